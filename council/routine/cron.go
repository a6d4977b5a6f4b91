package routine

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Next returns the first time after the given one at which the routine is due. The fields of cron are those of a clock
// on the wall: a time that the clock skips in spring is due at the next instant that it shows, once; one that it shows
// twice in autumn is due the first time only. [ErrBad]: the expression or the time zone is wrong, or no time matches.
func (r Routine) Next(after time.Time) (time.Time, error) {
	if err := checkCron(r.Cron); err != nil {
		return time.Time{}, err
	}
	zone := time.Local
	if r.TimeZone != "" {
		var err error
		if zone, err = time.LoadLocation(r.TimeZone); err != nil {
			return time.Time{}, bad("there is no time zone %q on this machine: give one such as Europe/Berlin or UTC",
				r.TimeZone)
		}
	}
	// UTC has no summer time, so the search sees every minute of the wall clock once.
	wall := shown(after.In(zone))
	for {
		var err error
		if wall, err = gronx.NextTickAfter(r.Cron, wall, false); err != nil || wall.Year() > after.Year()+10 {
			return time.Time{}, bad("the schedule %q never comes: no date matches it", r.Cron)
		}
		if due := instant(wall, zone); due.After(after) {
			return due, nil
		}
	}
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

// fields are what each field of cron may hold. Parts are checked here because the library tells some errors only when
// the clock shows the time of the part before.
var fields = []struct {
	name      string
	low, high int
	words     []string // in the place of numbers, from low on
}{
	{name: "minute", high: 59},
	{name: "hour", high: 23},
	{name: "day of the month", low: 1, high: 31},
	{name: "month", low: 1, high: 12, words: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT",
		"NOV", "DEC"}},
	{name: "day of the week", high: 7, words: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}},
}

// macros stand for five fields.
var macros = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"}

var part = regexp.MustCompile(`^(?:\*|([0-9]{1,2}|[A-Z]{3})(?:-([0-9]{1,2}|[A-Z]{3}))?)(?:/([0-9]{1,2}))?$`)

func checkCron(cron string) error {
	if slices.Contains(macros, cron) {
		return nil
	}
	given := strings.Fields(cron)
	if len(given) != len(fields) {
		return bad("the schedule %q does not have the five fields of cron: minute, hour, day of the month, month, "+
			"day of the week, such as \"0 9 * * 1\" for Mondays at nine", cron)
	}
	for i, f := range fields {
		for one := range strings.SplitSeq(strings.ToUpper(given[i]), ",") {
			m := part.FindStringSubmatch(one)
			ok := m != nil && m[3] != "0" && m[3] != "00"
			last := f.low
			for _, text := range slices.DeleteFunc(slices.Clone(m)[min(1, len(m)):min(3, len(m))], isEmpty) {
				n, err := strconv.Atoi(text)
				if err != nil {
					n = slices.Index(f.words, text) + f.low
				}
				ok = ok && n >= last && n <= f.high
				last = n
			}
			if !ok {
				return bad("%q is no %s in the schedule %q: it takes %d to %d, *, ranges, lists and steps such as */2",
					one, f.name, cron, f.low, f.high)
			}
		}
	}
	return nil
}

func isEmpty(s string) bool { return s == "" }
