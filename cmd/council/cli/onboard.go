package cli

import (
	"errors"
)

// errStopped: the person stopped the command.
var errStopped = errors.New("stopped; what was stored before is kept")
