// Package routine holds councils that convene again and again: the file of a routine, and the times at which it is
// due. It is a package of its own because a file that people edit is checked by the same rules wherever it is read.
package routine

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/adhocore/gronx"
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

// NoNewCommits skips a routine while the working folder's repository is at the commit of the last firing.
const NoNewCommits = "no new commits since"

var ErrBad = errors.New("the routine cannot be used") // wrapped by every error about the content of a routine

func badRoutine(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBad}, args...)...)
}

var routineName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,59}$`)

// CheckName refuses a bad name of a routine and its file. [ErrBad]
func CheckName(s string) error {
	if !routineName.MatchString(s) {
		return badRoutine("a name has up to 60 small letters, digits and hyphens, such as weekly-review")
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
		return r, badRoutine("line %d: there is no key %q: the keys are cron, timezone, unless and convene", line,
			strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &wrong):
		line, column := wrong.Position()
		return r, badRoutine("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	case err != nil:
		return r, badRoutine("%w", err)
	}
	return r, r.Check()
}

// Check refuses a routine that can never convene anything. [ErrBad]
func (r Routine) Check() error {
	if r.Unless != "" && r.Unless != NoNewCommits {
		return badRoutine("unless can only be %q", NoNewCommits)
	}
	if len(r.Convene) == 0 {
		return badRoutine("it does not say what to convene")
	}
	_, err := r.Next(time.Now())
	return err
}

// File returns the routine as a file.
func (r Routine) File() ([]byte, error) {
	doc, err := toml.Marshal(r)
	return append([]byte("# A routine of council: see council schedule --help.\n"), doc...), err
}

// Next returns the first time after the given one at which the routine is due. The fields of cron are those of a clock
// on the wall: a time that the clock skips in spring is due at the next instant that it shows, once; one that it shows
// twice in autumn is due the first time only. It is in the routine's zone. [ErrBad]: the expression or the zone is
// wrong, or no time matches.
func (r Routine) Next(after time.Time) (time.Time, error) {
	if err := checkCron(r.Cron); err != nil {
		return time.Time{}, err
	}
	zone, err := r.Zone()
	if err != nil {
		return time.Time{}, err
	}
	// UTC has no summer time, so the search sees every minute of the wall clock once.
	wall := wallClock(after.In(zone))
	for {
		if wall, err = gronx.NextTickAfter(r.Cron, wall, false); err != nil || wall.Year() > after.Year()+10 {
			return time.Time{}, badRoutine("the schedule %q never comes: no date matches it", r.Cron)
		}
		if due := firstInstant(wall, zone); due.After(after) {
			return due, nil
		}
	}
}

// Zone returns the time zone of the schedule: that of the machine when none is given. [ErrBad]: there is no such zone.
func (r Routine) Zone() (*time.Location, error) {
	if r.TimeZone == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(r.TimeZone)
	if err != nil {
		return nil, badRoutine("there is no time zone %q on this machine: give one such as Europe/Berlin or UTC", r.TimeZone)
	}
	return zone, nil
}

// wallClock returns the time of a clock on the wall, as a time in UTC.
func wallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// firstInstant returns the first time at which the clock of a zone shows wall, or the first after it.
func firstInstant(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, zone)
	start, end := t.ZoneBounds()
	switch wallClock(t).Compare(wall) { // time.Date moves a time that does not exist to either side of the gap
	case -1:
		return end
	case 1:
		return start
	}
	if !start.IsZero() {
		_, now := t.Zone()
		_, before := start.Add(-1).Zone()
		if first := t.Add(time.Duration(now-before) * time.Second); first.Before(start) {
			return first
		}
	}
	return t
}

// macros replace five fields.
var macros = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"}
var cronFields = []string{"minute", "hour", "day of the month", "month", "day of the week"}

// cronPart matches a part of a field between its commas: *, a number or name, or a range, and a step.
var cronPart = regexp.MustCompile(`^(\*|([0-9]{1,2}|[A-Z]{3})(-([0-9]{1,2}|[A-Z]{3}))?)(/[0-9]{1,2})?$`)

// checkCron checks the parts one by one, as the library reports some errors of a list only when the part before is due.
func checkCron(cron string) error {
	if slices.Contains(macros, cron) {
		return nil
	}
	given := strings.Fields(cron)
	if len(given) != len(cronFields) {
		return badRoutine("the schedule %q does not have the five fields of cron: minute, hour, day of the month, month, "+
			"day of the week, such as \"0 9 * * 1\" for Mondays at nine", cron)
	}
	for i, field := range cronFields {
		for one := range strings.SplitSeq(strings.ToUpper(given[i]), ",") {
			alone := slices.Repeat([]string{"*"}, len(cronFields))
			alone[i] = one
			named := i < 3 && strings.ToLower(one) != one // only months and weekdays have names
			if named || !cronPart.MatchString(one) || !gronx.IsValid(strings.Join(alone, " ")) {
				return badRoutine("%q is no %s in the schedule %q", one, field, cron)
			}
		}
	}
	return nil
}
