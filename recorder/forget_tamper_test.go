package recorder_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// Of a line that was forgotten the payload keeps its form.
func TestForgetTamper_TamperingWithAForgottenLineIsFound(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	root, path, entries := spoken(t)
	var named []council.Seq
	for _, e := range entries {
		if e.Type() == council.TypeOf[council.BallotCast]() || e.Type() == council.TypeOf[council.ContributionMade]() {
			named = append(named, e.Seq)
		}
	}
	check.Get(root.Forget(sessionID, expunge.Erasing{Events: named}, fixed))(t)
	log := folder(t, inSession(path, ""))["events.json"]
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(log, "[\n"), "\n]"), "\n,")
	put := func(lines []string) { write(t, inSession(path, "events.json"), "[\n"+strings.Join(lines, "\n,")+"\n]") }
	at := slices.IndexFunc(entries, func(e wire.Entry) bool { return e.Type() == council.TypeOf[council.BallotCast]() })
	line := lines[at]
	covered := strings.Index(line, `"payload":`)
	for name, forged := range map[string]string{
		"taken out":       strings.Replace(line, `,"forgotten":true`, "", 1),
		"with a salt":     strings.Replace(line, `"forgotten":true`, `"salt":"5a"`, 1),
		"with both":       strings.Replace(line, `"forgotten":true`, `"salt":"5a","forgotten":true`, 1),
		"not forgotten":   strings.Replace(line, `"forgotten":true`, `"forgotten":false`, 1),
		"spaced":          strings.Replace(line, `"payload":{`, `"payload":{ `, 1),
		"without a mark":  strings.Replace(line, council.ForgottenMark, "forgotten", 1),
		"another payload": line[:covered] + `"payload":{"leader":"[forgotten]"},"forgotten":true}`,
	} {
		put(splice(lines, at, 1, forged))
		if _, err := root.Verify(sessionID); !errors.Is(err, recorder.ErrDamaged) && !errors.Is(err, recorder.ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(lines)
	vouched(t, root, 1)
}

// Marking an event as forgotten does not change a vote: the count stands in an event that has no words, and so can
// never be marked.
func TestForgetTamper_ForgettingCannotChangeAVote(t *testing.T) {
	t.Parallel()
	root, path, entries := spoken(t)
	log := folder(t, inSession(path, ""))["events.json"]
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(log, "[\n"), "\n]"), "\n,")
	forge := func(i int, change func(payload string) string) string {
		front, rest, _ := strings.Cut(lines[i], `"payload":`)
		payload := rest[:strings.LastIndex(rest, `,"salt":`)]
		return front + `"payload":` + change(payload) + `,"forgotten":true}`
	}
	tried := map[council.EventType]int{}
	for i, e := range entries {
		changes := map[council.EventType][2]string{
			council.TypeOf[council.BallotCast]():       {`"YES"`, `"NO"`},
			council.TypeOf[council.SecondAnswered]():   {`"second":true`, `"second":false`},
			council.TypeOf[council.LeaderBallotCast](): {`"candidateId":"ada"`, `"candidateId":"bob"`},
			council.TypeOf[council.MotionDecided]():    {`"yes":`, `"no":1,"yes":`},
			council.TypeOf[council.LeaderElected]():    {`"leader":"ada"`, `"leader":"bob"`},
			council.TypeOf[council.SessionClosed]():    {`"yes":`, `"absent":0,"yes":`},
			council.TypeOf[council.DraftDecided]():     {`"needed":`, `"needed":1`},
		}
		c, ok := changes[e.Type()]
		if !ok || !strings.Contains(lines[i], c[0]) {
			continue
		}
		tried[e.Type()]++
		forged := forge(i, func(p string) string {
			p = strings.Replace(p, c[0], c[1], 1)
			if before, after, ok := strings.Cut(p, "About "); ok { // as if words had been forgotten
				_, after, _ = strings.Cut(after, `"`)
				return before + council.ForgottenMark + `"` + after
			}
			return strings.Replace(p, `{`, `{"x":"[forgotten]",`, 1)
		})
		write(t, inSession(path, "events.json"), "[\n"+strings.Join(splice(lines, i, 1, forged), "\n,")+"\n]")
		report, err := root.Verify(sessionID)
		if !errors.Is(err, recorder.ErrDamaged) && !errors.Is(err, recorder.ErrNewer) {
			t.Errorf("%s (%s): %v\n%s\n%q", e.ID, e.Type(), err, forged, notes(report, "log"))
		}
	}
	if len(tried) < 6 {
		t.Fatalf("only %v were forged", tried)
	}
	// A mark where no words can stand is none, whatever was rendered from it since.
	for i, e := range entries {
		if e.Type() == council.TypeOf[council.BallotCast]() {
			forged := forge(i, func(p string) string { return strings.Replace(p, `"model":"m-1"`, `"model":"[forgotten]"`, 1) })
			write(t, inSession(path, "events.json"), "[\n"+strings.Join(splice(lines, i, 1, forged), "\n,")+"\n]")
			check.Get(root.Rebuild(sessionID, fixed.Now()))(t)
			if report, err := root.Verify(sessionID); !errors.Is(err, recorder.ErrDamaged) ||
				!strings.Contains(strings.Join(findings(report), "\n"), "its words are there") {
				t.Errorf("%s: %v %q", e.ID, err, findings(report))
			}
			break
		}
	}
	// Words can be taken out by anyone who can write the file. The verification reports it, and nothing else follows.
	for i, e := range entries {
		if e.Type() == council.TypeOf[council.TurnPassed]() {
			forged := forge(i, func(p string) string {
				return strings.Replace(p, "About "+token("p1.r1.t3.turn.cyn", "reason"), council.ForgottenMark, 1)
			})
			write(t, inSession(path, "events.json"), "[\n"+strings.Join(splice(lines, i, 1, forged), "\n,")+"\n]")
			report, _ := root.Verify(sessionID)
			check.Says(t, notes(report, "log"), "Words of event "+e.ID+" were forgotten")
			return
		}
	}
}
