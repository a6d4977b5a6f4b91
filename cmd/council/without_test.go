package main

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

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
