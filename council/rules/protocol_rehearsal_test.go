package rules_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// seated gives the first seats of a charter models of these providers.
func seated(providers ...string) func(*council.Charter) {
	return func(c *council.Charter) {
		for i, p := range providers {
			c.Members[i].Model = council.Model{Provider: p, Model: "m"}
		}
	}
}

// A motion carries and the leader calls for its execution, but nothing is decided where a seat is the rehearsal.
func TestRehearsal_DecidesNothing(t *testing.T) {
	cites(t, 222, 224)
	for name, c := range map[string]struct {
		providers []string
		rehearsed bool
	}{
		"models alone":            {[]string{"openai", "anthropic", "ollama"}, false},
		"scripts alone":           {nil, false},
		"a script among models":   {[]string{"openai", "script", "ollama"}, false},
		"rehearsals alone":        {[]string{"rehearsal", "rehearsal", "rehearsal"}, true},
		"one rehearsal":           {[]string{"openai", "rehearsal", "ollama"}, true},
		"a rehearsal and scripts": {[]string{"rehearsal"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, seated(c.providers...))
			f.carry()
			f.calls("p1.r1.t1")
			for _, id := range f.open() {
				f.say(id, council.Dissent{})
			}
			o := f.outcome()
			if o.Rehearsed != c.rehearsed || o.Decided == c.rehearsed || len(o.Resolutions) != 1 {
				t.Errorf("rehearsed %t, decided %t with %d resolutions; want rehearsed %t", o.Rehearsed, o.Decided,
					len(o.Resolutions), c.rehearsed)
			}
			want := council.WithheldUnvoted // a person may approve it
			if c.rehearsed {
				want = council.WithheldRehearsed
			}
			check.Is(t, "withheld", want, o.ExecutionWithheld)
		})
	}
}

func TestRehearsal_TakesNoRulingOnItsBrief(t *testing.T) {
	cites(t, 223)
	f := inRound(t, func(c *council.Charter) { seated("openai", "rehearsal")(c); free(c) })
	f.carry()
	b := f.calls()
	for _, id := range f.open() {
		f.say(id, council.Dissent{})
	}
	sum := b.SHA256()
	for _, r := range []council.Ruling{
		council.ExecutionApproved{By: "kim", BriefSHA256: sum},
		council.ExecutionApproved{By: "kim", BriefSHA256: sum, InAdvance: true},
		council.ExecutionRejected{By: "kim", BriefSHA256: sum},
		council.BriefAmended{By: "kim", Brief: b},
		council.ExecutionStarted{By: "kim", BriefSHA256: sum},
	} {
		f.refuses(r)
	}
	_, err := f.s.Rule(council.ExecutionApproved{By: "kim", BriefSHA256: sum})
	if want := council.WithheldRehearsed.Why(); err == nil || err.Error() != want {
		t.Errorf("an approval is refused with %v, want %s", err, want)
	}
	if h := f.s.Handoff(); h.Status != council.ExecutionWithheld || h.HandedOff() {
		t.Errorf("the handoff is %s, handed off: %t", h.Status, h.HandedOff())
	}
}
