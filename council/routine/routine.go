// Package routine holds councils that convene again and again: the file of a routine, and the times at which it is due.
// It is a package of its own because a file that people edit is checked by the same rules wherever it is read.
package routine

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Routine is a file of the folder routines.
type Routine struct {
	// Cron has five fields: minute, hour, day of the month, month, day of the week.
	Cron     string   `toml:"cron" json:"cron"`
	TimeZone string   `toml:"timezone,omitempty" json:"timezone,omitempty"` // such as Europe/Berlin; "": see [Routine.Zone]
	Unless   string   `toml:"unless,omitempty" json:"unless,omitempty"`     // empty or [NoNewCommits]
	Convene  []string `toml:"convene,multiline" json:"convene"`             // flags and topic, as council convene takes them
}

// NoNewCommits lets a routine be skipped when the repository of the working folder is at the same commit as when the
// routine fired last.
const NoNewCommits = "no new commits since"

// ErrBad is what every error about the content of a routine wraps.
var ErrBad = errors.New("the routine cannot be used")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBad}, args...)...)
}

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,59}$`)

// CheckName refuses what cannot name a routine and its file. [ErrBad]
func CheckName(s string) error {
	if !name.MatchString(s) {
		return bad("a name has up to 60 small letters, digits and hyphens, such as weekly-review")
	}
	return nil
}

// Read reads the file of a routine. [ErrBad]: it is not TOML, has a key that is not known, or a value that cannot be
// used. Whether its words suit council convene is for the caller to see.
func Read(doc []byte) (Routine, error) {
	var r Routine
	d := toml.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		line, _ := unknown.Errors[0].Position()
		return r, bad("line %d: there is no key %q: the keys are cron, timezone, unless and convene", line,
			strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &wrong):
		line, column := wrong.Position()
		return r, bad("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	case err != nil:
		return r, bad("%w", err)
	}
	return r, r.Check()
}

// Check refuses a routine that can never convene anything. [ErrBad]
func (r Routine) Check() error {
	if r.Unless != "" && r.Unless != NoNewCommits {
		return bad("unless can only be %q", NoNewCommits)
	}
	if len(r.Convene) == 0 {
		return bad("it does not say what to convene")
	}
	_, err := r.Next(time.Now())
	return err
}

// File returns the routine as a file.
func (r Routine) File() ([]byte, error) {
	doc, err := toml.Marshal(r)
	return append([]byte("# A routine of council: see council routine --help.\n"), doc...), err
}
