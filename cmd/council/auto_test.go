package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// The acceptance of the pace auto: what each course takes in calls and waits, and how it ends.
func TestAuto_TakesTheCallsAndWaitsOfItsCourse(t *testing.T) {
	options := []string{"--option", "A", "--option", "B", "--option", "C"}
	for _, test := range []struct {
		name     string
		options  []string
		members  int
		ballots  []string
		waits    []int
		exit     int
		says     []string       // by the terminal
		resolved string         // the words of the resolution on the record
		minutes  map[string]int // how often words stand in the transcript
	}{
		{name: "options, agreed", options: options, members: 3, ballots: []string{"A", "A > B", "A > C"},
			waits: []int{3, 1}, says: []string{"by 3 of 3 ballots: Which one?\n      A"}},
		{name: "free question, agreed", members: 3, ballots: []string{"A"}, waits: []int{3, 1, 3},
			says: []string{"by 3 of 3 ballots: Which one?\n      A"}, resolved: "That the council adopts A by May."},
		{name: "two to one, unanimous after a round", options: options, members: 3, ballots: []string{"A", "A", "B > A; A"},
			waits: []int{3, 3, 1}, says: []string{"by 3 of 3 ballots: Which one?\n      A"}},
		{name: "two to one that stays", options: options, members: 3, ballots: []string{"A", "A", "B > A"},
			waits: []int{3, 3, 1}, says: []string{"by 2 of 3 ballots: Which one?\n      A",
				"2 of 3 seats asked for what was decided"}},
		{name: "free question, two to one that stays", members: 3, ballots: []string{"A", "A", "B > A; B"},
			waits: []int{3, 1, 3, 3}, says: []string{"by 2 of 3 ballots: Which one?\n      A"},
			resolved: "That the council adopts A by May."},
		{name: "free question, another answer is chosen", members: 3, ballots: []string{"A; B", "A; B", "B"},
			waits: []int{3, 1, 3, 1}, says: []string{"by 3 of 3 ballots: Which one?\n      B"}},
		{name: "a cycle, spares split", options: options, members: 5, exit: cli.ExitNotDecided,
			ballots: []string{"A > B > C", "B > C > A", "C > A > B", "A > B > C", "B > C > A"},
			waits:   []int{3, 3, 2, 1}, says: []string{"\n\nMember m4 (60 % sure): ", "It leans to: A",
				"A: Member m1, Member m4", "Member m2 would think again on: A measurement that m2 makes."},
			// A spare's position was a row without words among the ballots, below a second heading of the positions.
			minutes: map[string]int{"## Sealed positions\n": 1, "#### Member m4": 1, "> I am m4: A.": 1,
				"| Member m4 | “A > B > C” | as in its position, e": 1,
				"| Member m1 | “A > B > C” | as in its ballot, e":   1, "|  |": 0}},
		{name: "free question, a cycle, spares split", members: 5, exit: cli.ExitNotDecided,
			ballots: []string{"A; A > B > C", "B; B > C > A", "C; C > A > B", "A > B > C", "B > C > A"},
			waits:   []int{3, 1, 3, 3, 2, 1}, says: []string{"The council did not reach a resolution. It leans to: A",
				"They differ on: Which costs less?", "A: Member m1, Member m4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAutoCouncil(t, test.members, test.ballots...)
			a.held = slices.Clone(test.waits)
			a.run(test.exit, append([]string{"convene", "Which one?", "--config", a.config, "--output", "none"},
				test.options...)...)
			a.took(test.waits...)
			for _, words := range test.says {
				a.says(&a.out, words)
			}
			a.run(cli.ExitOK, "show", "--file", "session.json")
			check.Is(t, "words of the resolution", test.resolved, gjson.Get(a.out.String(),
				"outcome.resolutions.0.motionText").String())
			for words, times := range test.minutes {
				check.Is(t, words, times, strings.Count(a.wrote("transcript.md"), words))
			}
			a.run(cli.ExitOK, "verify")
		})
	}
}

// took compares the calls and waits of a session, by the server's log.
func (a *autoCouncil) took(waits ...int) {
	a.Helper()
	calls := 0
	for _, n := range waits {
		calls += n
	}
	if len(a.log) != calls || a.waits() != len(waits) {
		a.Errorf("want %d calls in %d waits, got %d in %d: %s", calls, len(waits), len(a.log), a.waits(), a.kinds())
	}
}

// events returns the record of the only session.
func (a *autoCouncil) events() []gjson.Result { return gjson.Parse(a.wrote("events.json")).Array() }

// A seat that hangs in a round is not awaited once its ballot could change nothing.
func TestAuto_DoesNotAwaitABallotThatCanChangeNothing(t *testing.T) {
	t.Parallel()
	a := newAutoCouncil(t, 3, "A", "A", "B > A; A")
	a.hangs = time.Hour
	a.run(cli.ExitOK, "convene", "Which one?", "--config", a.config, "--output", "none", "--option", "A", "--option", "B")
	check.Says(t, a.out.String(), "Which one?\n      A", "Also paid for: 1 question that was cut off",
		"Member m3 was not awaited, for its ballot could change nothing any more, and counts as absent")
	check.Is(t, "in the record", 1, strings.Count(a.wrote("events.json"), `"kind":"not-awaited"`))
	check.Says(t, a.wrote("transcript.md"), "it could change nothing any more, and was not awaited")
	a.run(cli.ExitOK, "verify")
	a.run(cli.ExitOK, "record", "replay")
}

// edit changes the council's configuration.
func (a *autoCouncil) edit(change func(*council.Charter)) {
	a.Helper()
	var c council.Charter
	check.OK(a, json.Unmarshal([]byte(readFile(a.T, a.config)), &c))
	change(&c)
	a.write(c)
}

// A council at each pace takes no more calls that wait for one another than docs/costs.md says: those that are put as
// of the same event count once.
func TestPace_BoundsTheCallsThatWaitForOneAnother(t *testing.T) {
	for _, test := range []struct {
		pace, output string
		most         int
	}{{"auto", "documentation", 8}, {"quick", "documentation", 8}, {"standard", "documentation", 16}} {
		a := newAutoCouncil(t, 5, "A", "B")
		a.talk.Rounds, a.talk.Last = 1, "m5"
		a.run(cli.ExitOK, "convene", "Which one?", "--config", a.config, "--pace", test.pace, "--output", test.output)
		groups := map[int64]bool{}
		for _, e := range a.events() {
			if asOf := e.Get("payload.asOf"); asOf.Exists() {
				groups[asOf.Int()] = true
			}
		}
		if len(groups) > test.most || len(groups) < test.most-3 {
			t.Errorf("%s, %s: %d calls waited for one another; at most %d, and not far fewer", test.pace, test.output,
				len(groups), test.most)
		}
		check.Is(t, "the pace of the record", test.pace, a.events()[0].Get("payload.charter.deliberation.pace").String())
	}
}

// A member whose server refuses it for good is excluded: it is called no more, and needs no key.
func TestResume_GoesOnWithoutAMember(t *testing.T) {
	a := newAutoCouncil(t, 3, "A", "B > A; A", "B")
	a.limited, a.hurried, a.talk.Last = "m3", true, "m2"
	a.edit(func(c *council.Charter) { c.Members[2].Model.Headers = map[string]string{"X-Key": "${M3_KEY}"} })
	a.env = map[string]string{"M3_KEY": "key-of-m3"}
	a.run(cli.ExitSuspended, "convene", "Which one?", "--config", a.config, "--output", "none", "--option", "A",
		"--option", "B")
	id := strings.Fields(a.errs.String()[strings.Index(a.errs.String(), "council resume ")+15:])[0]
	a.says(&a.errs, "To go on without m3: council resume "+id+" --without m3")
	a.run(cli.ExitUsage, "resume", "--without", "m3", "--adjourn", "Enough.")
	for member, words := range map[string]string{"m9": `there is no member "m9" to exclude`,
		"m3 m3": "m3 is excluded already", "m1 m2 m3": "no member would be left to ask"} {
		args := []string{"resume"}
		for m := range strings.FieldsSeq(member) {
			args = append(args, "--without", m)
		}
		a.run(cli.ExitError, args...)
		a.says(&a.errs, words)
	}
	check.Is(t, "events of what was refused", 0, strings.Count(a.wrote("events.json"), "MEMBERS_EXCLUDED"))
	a.env = nil
	a.run(cli.ExitError, "resume")
	a.says(&a.errs, "M3_KEY")
	before := a.refusals
	a.run(cli.ExitOK, "resume", "--without", "m3")
	check.Is(t, "calls of the excluded member", before, a.refusals)
	check.Says(t, a.out.String(), "Member m3 is not asked any more and counts as absent",
		"missing (excluded). You chose to go on without the member.")
	fault := gjson.Get(a.wrote("session.json"), `faults.#(fault=="excluded")`)
	check.Is(t, "absent", "m3 ABSENT", fault.Get("member").String()+" "+fault.Get("standing").String())
	check.Says(t, a.wrote("transcript.md"), "that the session goes on without Member m3.", "Member m3 is not asked for")
	a.run(cli.ExitOK, "verify")
	a.run(cli.ExitOK, "record", "replay")
}
