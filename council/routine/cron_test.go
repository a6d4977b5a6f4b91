package routine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

func next(t *testing.T, cron, zone, after string) string {
	t.Helper()
	at := check.Get(time.Parse(time.RFC3339, after))(t)
	due, err := Routine{Cron: cron, TimeZone: zone}.Next(at)
	if err != nil {
		t.Errorf("%s: %v", cron, err)
	}
	return due.UTC().Format(time.RFC3339)
}

func TestCron_TheNextTime(t *testing.T) {
	const berlin = "Europe/Berlin" // summer time in 2026: from 29 March, 01:00 UTC, to 25 October, 01:00 UTC
	for _, test := range []struct{ cron, zone, after, want string }{
		{"0 9 * * 1", "UTC", "2026-11-22T17:50:00Z", "2026-11-23T09:00:00Z"},
		{"0 9 * * 1", "UTC", "2026-11-23T09:00:00Z", "2026-11-30T09:00:00Z"},
		{"0 9 * * MON-FRI", berlin, "2026-11-27T08:00:00Z", "2026-11-30T08:00:00Z"},
		{"@daily", berlin, "2026-07-01T12:00:00Z", "2026-07-01T22:00:00Z"},
		{"30 23 31 12 *", "UTC", "2026-12-31T23:30:59Z", "2027-12-31T23:30:00Z"},
		{"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 12 1 * 1", "UTC", "2026-11-24T00:00:00Z", "2026-11-30T12:00:00Z"}, // either of the two
		// A time that does not exist: at the next instant, once.
		{"30 2 * * *", berlin, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
		{"30 2 * * *", berlin, "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		{"*/10 2 * * *", berlin, "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z"},
		{"*/10 2 * * *", berlin, "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"},
		// One that exists twice: the first time.
		{"30 2 * * *", berlin, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
		{"30 2 * * *", berlin, "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{"30 2 * * *", berlin, "2026-10-25T01:10:00Z", "2026-10-26T01:30:00Z"},
		{"0 0 * * *", "America/Sao_Paulo", "2017-10-14T12:00:00Z", "2017-10-15T03:00:00Z"}, // midnight was skipped
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T10:00:00Z", "2026-10-03T15:30:00Z"},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T10:00:00Z", "2026-04-04T14:45:00Z"}, // half an hour, twice
	} {
		if got := next(t, test.cron, test.zone, test.after); got != test.want {
			t.Errorf("%s in %s after %s: %s, not %s", test.cron, test.zone, test.after, got, test.want)
		}
	}
}

func TestCron_ASchedulesFaultsAreTold(t *testing.T) {
	for cron, words := range map[string]string{
		"30 2 31 2 *": "never comes", "0 0 30 2 *": "never comes", "": "five fields", "0 9 * *": "five fields",
		"* * * * * *": "five fields", "60 9 * * 1": `"60" is no minute`, "0 24 * * *": `"24" is no hour`,
		"1,99 * * * *": `"99" is no minute`, "0 9 * * MONDAY": `"MONDAY" is no day of the week`,
		"0 9 * JUL-FEB *": "is no month", "*/0 * * * *": "is no minute", "0 9 L * *": "is no day of the month",
		"0 JUL * * *": "is no hour", "70/5 * * * *": "", "1-5-7 * * * *": "is no minute",
		"TZ=0 0 9 * *": "is no minute", "a": "five fields", "@every 5m": "five fields", "0 9 * FOO *": "is no month",
	} {
		_, err := Routine{Cron: cron}.Next(time.Now())
		if !errors.Is(err, ErrBad) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", cron, err)
		}
	}
	check.ErrorIs(t, "it", ErrBad, check.Err((Routine{Cron: "@daily", TimeZone: "Mars/Base"}).Next(time.Now())))
}

// twin says by hand whether a field of numbers, stars, steps, ranges and lists holds a value.
func twin(field string, value, low int) bool {
	for one := range strings.SplitSeq(field, ",") {
		span, step, stepped := strings.Cut(one, "/")
		every := 1
		if stepped {
			every, _ = strconv.Atoi(step)
		}
		from, to := low, 60
		if span != "*" {
			a, b, ranged := strings.Cut(span, "-")
			from, _ = strconv.Atoi(a)
			if to = from; ranged {
				to, _ = strconv.Atoi(b)
			}
		}
		if value >= from && value <= to && (value-from)%every == 0 {
			return true
		}
	}
	return false
}

// TestCron_TheNextTimeIsWhatACountByMinutesFinds compares random schedules with a walk over every minute.
func TestCron_TheNextTimeIsWhatACountByMinutesFinds(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	pick := func(low, high int) string {
		switch a, b := low+chance.IntN(high-low+1), low+chance.IntN(high-low+1); chance.IntN(4) {
		case 0:
			return "*"
		case 1:
			return fmt.Sprint(a)
		case 2:
			return fmt.Sprintf("%d-%d/%d", min(a, b), max(a, b), 1+chance.IntN(5))
		default:
			return fmt.Sprintf("%d,%d,*/%d", a, b, 2+chance.IntN(9))
		}
	}
	for range 300 {
		f := []string{pick(0, 59), pick(0, 23), pick(1, 28), "*", pick(0, 6)}
		cron := strings.Join(f, " ")
		after := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(chance.IntN(525600)) * time.Minute)
		want := after.Add(time.Minute)
		for ; ; want = want.Add(time.Minute) {
			day, week := twin(f[2], want.Day(), 1), twin(f[4], int(want.Weekday()), 0)
			either := !strings.HasPrefix(f[2], "*") && !strings.HasPrefix(f[4], "*")
			if twin(f[0], want.Minute(), 0) && twin(f[1], want.Hour(), 0) && (day && week || either && (day || week)) {
				break
			}
		}
		if got, err := (Routine{Cron: cron, TimeZone: "UTC"}).Next(after); err != nil || !got.Equal(want) {
			t.Errorf("%s after %s: %s (%v), not %s", cron, after, got, err, want)
		}
	}
}

func TestCron_AFileIsReadAsItWasWritten(t *testing.T) {
	r := Routine{Cron: "0 9 * * 1", TimeZone: "UTC", Unless: NoNewCommits, Convene: []string{"--model", "rehearsal",
		"Is \"it\" sound?\nSay why."}}
	doc := check.Get(r.File())(t)
	back, err := Read(doc)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(r) {
		t.Errorf("%+v, %v from\n%s", back, err, doc)
	}
	for doc, words := range map[string]string{
		"corn = \"0 9 * * 1\"\n":                               `line 1: there is no key "corn": the keys are cron, `,
		"cron = \"@daily\"\n[more]\nx = 1\n":                   `there is no key "more`,
		"cron = \"@daily\"\n":                                  "what to convene",
		"cron = 7\n":                                           "line 1",
		"cron = \"@daily\"\nconvene = [\"x\"]\nunless = \"x\"": "unless can only be",
		"cron = ": "line 1",
	} {
		if _, err := Read([]byte(doc)); !errors.Is(err, ErrBad) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}
