package routine

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Next returns the first time after the given one at which the routine is due. The fields of cron are those of a clock
// on the wall: a time that the clock skips in spring is due at the next instant that it shows, once; one that it shows
// twice in autumn is due the first time only. It is in the zone of the routine. [ErrBad]: the expression or the zone is
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
	wall := shown(after.In(zone))
	for {
		if wall, err = gronx.NextTickAfter(r.Cron, wall, false); err != nil || wall.Year() > after.Year()+10 {
			return time.Time{}, bad("the schedule %q never comes: no date matches it", r.Cron)
		}
		if due := instant(wall, zone); due.After(after) {
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
		return nil, bad("there is no time zone %q on this machine: give one such as Europe/Berlin or UTC", r.TimeZone)
	}
	return zone, nil
}

// shown returns what the clock on the wall shows, as a time in UTC.
func shown(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// instant returns when the clock of a zone first shows what wall says, or the first instant after that if it skips it.
func instant(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, zone)
	start, end := t.ZoneBounds()
	switch shown(t).Compare(wall) { // time.Date moves a time that does not exist to either side of the gap
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

// macros stand for five fields.
var macros = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"}

var fields = []string{"minute", "hour", "day of the month", "month", "day of the week"}

// part is what a field may hold between its commas: *, a number or name, or a range, and a step.
var part = regexp.MustCompile(`^(\*|([0-9]{1,2}|[A-Z]{3})(-([0-9]{1,2}|[A-Z]{3}))?)(/[0-9]{1,2})?$`)

// checkCron checks the parts one by one, because the library tells some errors of a list only when the clock shows the
// time of the part before.
func checkCron(cron string) error {
	if slices.Contains(macros, cron) {
		return nil
	}
	given := strings.Fields(cron)
	if len(given) != len(fields) {
		return bad("the schedule %q does not have the five fields of cron: minute, hour, day of the month, month, "+
			"day of the week, such as \"0 9 * * 1\" for Mondays at nine", cron)
	}
	for i, field := range fields {
		for one := range strings.SplitSeq(strings.ToUpper(given[i]), ",") {
			alone := slices.Repeat([]string{"*"}, len(fields))
			alone[i] = one
			named := i < 3 && strings.ToLower(one) != one // only months and weekdays have names
			if named || !part.MatchString(one) || !gronx.IsValid(strings.Join(alone, " ")) {
				return bad("%q is no %s in the schedule %q", one, field, cron)
			}
		}
	}
	return nil
}
