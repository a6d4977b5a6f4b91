package evaluation

import "errors"

// ErrStopped means that not all questions were answered; the same evaluation can go on.
var ErrStopped = errors.New("the evaluation stopped")
