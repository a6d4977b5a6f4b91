package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

func remembered(id string) council.Remembered {
	return council.Remembered{ID: id, Kind: "open_loop", Summary: "Who does " + id + " is open.", Date: "2026-05-12"}
}

func reminder(of council.MemberID, ids ...string) council.Reminder {
	r := council.Reminder{Member: of}
	for _, id := range ids {
		r.Records = append(r.Records, remembered(id))
	}
	return r
}

// reminded convenes a council that memory has something to say to.
func reminded(t *testing.T, edit func(*council.Charter), memory ...council.Reminder) *floor {
	t.Helper()
	c := smallCharter()
	if edit != nil {
		edit(&c)
	}
	return begun(t, "s1", c, memory...)
}

func TestProtocolMemory_MemoryIsFrozenInTheOpening(t *testing.T) {
	cites(t, 76)
	order := func(c *council.Charter) { c.TurnOrder = []council.MemberID{"cyn", "ada", "bob"} }
	f := reminded(t, order, reminder("", "r-3"), reminder("cyn", "r-2"), reminder("ada", "r-1"))
	want := []council.Reminder{reminder("", "r-3"), reminder("cyn", "r-2"), reminder("ada", "r-1")}
	same(t, want, last[council.SessionStarted](f).Memory)
	got := last[council.SessionStarted](convene(t, nil)).Memory
	check.That(t, got == nil, "without memory the opening has %v", got)
}

func TestProtocolMemory_ASessionDoesNotOpenOnABadReminder(t *testing.T) {
	cites(t, 77)
	with := func(edit func(*council.Remembered)) []council.Reminder {
		r := reminder("", "r-1")
		edit(&r.Records[0])
		return []council.Reminder{r}
	}
	many := reminder("", slices.Repeat([]string{"r-1"}, council.MaxReminded+1)...)
	for i := range many.Records {
		many.Records[i].ID = "r-" + strings.Repeat("x", i)
	}
	long := reminder("")
	for i := range council.MaxReminder/council.MaxRememberedDetail + 1 {
		r := remembered("r-" + strings.Repeat("x", i))
		r.Detail = strings.Repeat("ä", council.MaxRememberedDetail)
		long.Records = append(long.Records, r)
	}
	for name, memory := range map[string][]council.Reminder{
		"of nobody":       {reminder("mallory", "r-1")},
		"twice":           {reminder("bob", "r-1"), reminder("bob", "r-2")},
		"council twice":   {reminder("", "r-1"), reminder("ada", "r-3"), reminder("", "r-2")},
		"record twice":    {reminder("", "r-1", "r-1")},
		"too many":        {many},
		"too long":        {long},
		"negative rest":   {{Records: []council.Remembered{remembered("r-1")}, Left: -1}},
		"no id":           with(func(r *council.Remembered) { r.ID = "" }),
		"id of two lines": with(func(r *council.Remembered) { r.ID = "r-1\nr-2" }),
		"no kind":         with(func(r *council.Remembered) { r.Kind = "Open Loop" }),
		"no date":         with(func(r *council.Remembered) { r.Date = "yesterday" }),
		"no summary":      with(func(r *council.Remembered) { r.Summary = " \n" }),
		"long summary": with(func(r *council.Remembered) {
			r.Summary = strings.Repeat("ä", council.MaxRememberedSummary+1)
		}),
		"long detail": with(func(r *council.Remembered) { r.Detail = strings.Repeat("ä", council.MaxRememberedDetail+1) }),
	} {
		e, err := rules.Open("s1", council.Topic{Text: "T"}, smallCharter(), memory...)
		check.ErrorIs(t, name, council.ErrBadCharter, err)
		check.ErrorIs(t, name, rules.ErrBadEvent, check.Err(rules.Replay(rules.Log(e))))
	}
	brim := with(func(r *council.Remembered) {
		r.Summary, r.Detail = strings.Repeat("ä", council.MaxRememberedSummary),
			strings.Repeat("ä", council.MaxRememberedDetail)
	})
	check.OK(t, check.Err(rules.Open("s1", council.Topic{Text: "T"}, smallCharter(), brim...)))
}

func TestProtocolMemory_ALogWithRemindersOutOfOrderIsRefused(t *testing.T) {
	cites(t, 76)
	for name, memory := range map[string][]council.Reminder{
		"members before the council": {reminder("ada", "r-1"), reminder("", "r-2")},
		"members out of seat order":  {reminder("bob", "r-1"), reminder("ada", "r-2")},
		"one without records":        {reminder("ada")},
	} {
		e := check.Get(rules.Open("s1", council.Topic{Text: "T"}, smallCharter()))(t)
		started := e.Payload.(council.SessionStarted)
		started.Memory = memory
		e.Payload = started
		check.ErrorIs(t, name, rules.ErrBadEvent, check.Err(rules.Replay(rules.Log(e))))
	}
}

// owners names the owners of the memories in a member's view.
func (f *floor) owners(ask string) string {
	f.Helper()
	var owners []string
	for _, r := range f.s.View(f.ask(ask)).Memory {
		owners = append(owners, "<"+string(r.Member)+">")
	}
	return strings.Join(owners, "")
}

func TestProtocolMemory_AMemberIsToldTheCouncilsMemoryAndItsOwn(t *testing.T) {
	cites(t, 78)
	read := func(c *council.Charter) { c.Phases[0].MemoryPolicy.ReadMemberMemory = true }
	f := reminded(t, read, reminder("", "r-1"), reminder("ada", "r-2"), reminder("bob", "r-3"))
	for ask, want := range map[string]string{"nominate.ada": "<><ada>", "nominate.bob": "<><bob>", "nominate.cyn": "<>"} {
		check.Is(t, ask, want, f.owners(ask))
	}
}

func TestProtocolMemory_ThePhaseSaysWhetherAMemberIsToldItsOwnMemory(t *testing.T) {
	cites(t, 79)
	f := reminded(t, func(c *council.Charter) {
		c.Phases = []council.Phase{phase("decide"), phase("close")}
		c.Phases[0].Transitions = []council.Transition{{To: "close", When: council.TriggerAlways}}
		c.Phases[1].MemoryPolicy.ReadMemberMemory = true
	}, reminder("", "r-1"), reminder("ada", "r-2"))
	told := func(ask, want string) {
		t.Helper()
		check.Is(t, ask, want, f.owners(ask))
	}
	told("nominate.ada", "<>")
	f.elect("ada", "ada", "ada")
	told("p1.r1.t1.turn.ada", "<>")
	f.allPass()
	told("p2.r1.t1.turn.ada", "<><ada>")
	f.allPass()
	told("summary.ada", "<><ada>")
}

func hits(ids ...string) council.MemoryRecalled {
	r := council.MemoryRecalled{Query: "it"}
	for _, id := range ids {
		r.Hits = append(r.Hits, council.Recollection{
			ID: id, Kind: council.RecalledTurn, Session: "s0", Speaker: "Ada", Date: "2026-05-12", Text: "It was tried.",
		})
	}
	return r
}

func TestProtocolMemory_MemoryIsRecalledDirectlyAfterTheOpening(t *testing.T) {
	cites(t, 80)
	bad := func(edit func(*council.Recollection)) council.MemoryRecalled {
		r := hits("s0.e4")
		edit(&r.Hits[0])
		return r
	}
	for name, r := range map[string]council.MemoryRecalled{
		"nothing":      hits(),
		"too many":     hits("a", "b", "c", "d"),
		"twice":        hits("a", "a"),
		"no query":     {Query: " ", Hits: hits("a").Hits},
		"long query":   {Query: strings.Repeat("ä", council.MaxRecallQuery+1), Hits: hits("a").Hits},
		"no id":        bad(func(r *council.Recollection) { r.ID = "" }),
		"no kind":      bad(func(r *council.Recollection) { r.Kind = "rumour" }),
		"no date":      bad(func(r *council.Recollection) { r.Date = "" }),
		"no session":   bad(func(r *council.Recollection) { r.Session = "../s0" }),
		"long speaker": bad(func(r *council.Recollection) { r.Speaker = strings.Repeat("ä", 201) }),
		"no text":      bad(func(r *council.Recollection) { r.Text = "" }),
		"long text":    bad(func(r *council.Recollection) { r.Text = strings.Repeat("ä", council.MaxRecollection+1) }),
	} {
		check.ErrorIs(t, name, rules.ErrBadRuling, check.Err(convene(t, nil).s.Rule(r)))
	}
	f := convene(t, nil)
	f.rule(hits("s0.e4", "s0", "r-1"))
	f.refuses(hits("s0.e5"))
	f = convene(t, nil)
	f.say("nominate.ada", council.Nomination{CandidateID: "ada"})
	f.refuses(hits("s0.e4"))
}

func TestProtocolMemory_WhatIsRecalledIsKnownFromTheFirstQuestionOn(t *testing.T) {
	cites(t, 81)
	for name, edit := range map[string]func(*council.Charter){"position.": sealed, "nominate.": nil} {
		f := convene(t, edit)
		f.rule(hits("s0.e4"))
		f.wantOpen(name+"ada", name+"bob", name+"cyn")
		v := f.s.View(f.ask(name + "ada"))
		if p, ok := v.Events[len(v.Events)-1].Payload.(council.MemoryRecalled); !ok || v.Ask.AsOf != 2 ||
			p.Hits[0].ID != "s0.e4" {
			t.Errorf("%s: as of %d it sees %+v", v.Ask.ID, v.Ask.AsOf, v.Events)
		}
		replayed := check.Get(rules.Replay(rules.Log(f.s.Events()...)))(t)
		same(t, f.s.Ready(), replayed.Ready())
	}
}

func TestProtocolMemory_ASummarySettlesWhatItsAuthorWasRemindedOf(t *testing.T) {
	cites(t, 82)
	f := reminded(t, nil, reminder("", "r-1"), reminder("ada", "r-2"), reminder("bob", "r-3"))
	f.elect("ada", "ada", "ada")
	f.allPass()
	settle := func(record string, how council.SettlementHow) council.Settlement {
		return council.Settlement{Record: record, How: how, Because: "We do."}
	}
	said := council.Summary{SummaryMarkdown: "S", Settles: []council.Settlement{
		settle("r-9", council.SettledResolved),
		settle("r-2", council.SettledSuperseded),
		settle("r-1", council.SettledResolved),
		settle("r-3", council.SettledResolved),
		settle("r-1", council.SettledSuperseded),
	}}
	bad := said
	bad.Settles = []council.Settlement{settle("r-1", "FORGOTTEN")}
	f.refused("summary.ada", bad)
	f.say("summary.ada", said)
	written := last[council.SummaryWritten](f)
	check.Equal(t, "recorded otherwise than said", said, written.Summary)
	want := []council.Settlement{settle("r-2", council.SettledSuperseded), settle("r-1", council.SettledResolved)}
	check.Equal(t, "what counts", want, last[council.SessionStarted](f).Settled("ada", written.Summary))
}

func TestMotion_ReplacesTheRecordsThatItsWordsName(t *testing.T) {
	cites(t, 236)
	for words, want := range map[string]string{
		"We use it. This replaces r-4k2m9qx7w3ab.":                      "r-4k2m9qx7w3ab",
		"Leave; REPLACES r-4k2m9qx7w3ab, r-90dd3jn1h5ve and r-7\nGo.":   "r-4k2m9qx7w3ab r-90dd3jn1h5ve r-7",
		"It settles r-4k2m9qx7w3ab, as r-90dd3jn1h5ve asked.":           "r-4k2m9qx7w3ab",
		"We keep to r-4k2m9qx7w3ab.":                                    "",
		"Nobody replaces anything, see r-4k2m9qx7w3ab.":                 "",
		"That NATS replaces Redis, unlike r-4k2m9qx7w3ab, next year.":   "",
		"One replaces r-4k2m9qx7w3ab; the other settles r-90dd3jn1h5ve": "r-4k2m9qx7w3ab r-90dd3jn1h5ve",
	} {
		check.Is(t, words, want, strings.Join(council.RecordsReplaced("Title", words), " "))
	}
}

func TestProtocolMemory_ANoteIsToldWithTheQuestionAfterIt(t *testing.T) {
	cites(t, 160, 161)
	f := inRound(t, nil)
	for _, wrong := range []string{"", " \n", strings.Repeat("x", council.MaxNote+1)} {
		f.refuses(council.NoteGiven{By: "me", Text: wrong})
	}
	open := f.turn()
	asked := f.ask(open)
	shown := len(f.s.View(asked).Events)
	f.rule(council.NoteGiven{By: "me", Text: "The budget was cut by half."})
	f.wantOpen(open)
	if now := f.ask(open); now != asked || len(f.s.View(now).Events) != shown {
		t.Errorf("the open question changed from %+v to %+v", asked, now)
	}
	f.contribute()
	view := f.s.View(f.ask(f.turn()))
	if note, ok := view.Events[shown].Payload.(council.NoteGiven); !ok || note.By != "me" {
		t.Errorf("the next question shows %T after %d events", view.Events[shown].Payload, shown)
	}
	f.rule(council.SessionSuspended{Fault: council.Fault{Kind: council.FaultCancelled}})
	f.rule(council.NoteGiven{By: "me", Text: strings.Repeat("é", council.MaxNote)})
	check.Is(t, "suspended after a note", true, f.s.Suspended() != nil)
	check.OK(t, check.Err(rules.Replay(rules.Log(f.s.Events()...))))
}

func TestProtocolMemory_ANoteIsToldWithQuestionsThatWereNotPutYet(t *testing.T) {
	cites(t, 162, 163)
	f := inRound(t, nil)
	asked := f.ask(f.turn())
	shown := len(f.s.View(asked).Events)
	f.rule(council.NoteGiven{By: "me", Text: "It is cut.", ID: "n1", Ahead: true})
	now := f.ask(f.turn())
	if view := f.s.View(now); now.ID != asked.ID || len(view.Events) != shown+1 {
		t.Errorf("%+v became %+v, which shows %d events, and not %d", asked, now, len(view.Events), shown+1)
	}
	f.refuses(council.NoteGiven{By: "me", Text: "It is cut.", ID: "n1"})
	f.rule(council.NoteGiven{By: "me", Text: "It is cut.", ID: "n2"})
	f.contribute()
	check.OK(t, check.Err(rules.Replay(rules.Log(f.s.Events()...))))
}

func TestProtocolMemory_ANoteIsNotToldAheadOnceOneOfTheQuestionsIsAnswered(t *testing.T) {
	cites(t, 162)
	f := convene(t, nil)
	f.elect("ada")
	f.refuses(council.NoteGiven{By: "me", Text: "Late.", Ahead: true})
	f.rule(council.NoteGiven{By: "me", Text: "Late."})
}

func TestProtocolMemory_OwnNotesAreFrozenInTheOpening(t *testing.T) {
	cites(t, 165)
	topic := council.Topic{Text: "How?", Documents: []council.Document{council.NewDocument("memory/MEMORY.md", "We pay.")}}
	topic.Documents[0].Note = &council.OwnNote{Left: 3}
	opening := check.Get(rules.Open("s", topic, smallCharter()))(t)
	s := check.Get(rules.Replay(rules.Log(opening)))(t)
	for _, ask := range s.Ready().Asks {
		if shown := s.View(ask).Topic.Documents; len(shown) != 1 || shown[0].Note == nil || shown[0].Note.Left != 3 {
			t.Errorf("%s is shown %+v", ask.Member, shown)
		}
	}
	topic.Documents[0].Text = "We pay more."
	check.Fails(t, "a note that is not what its SHA-256 says", check.Err(rules.Open("s", topic, smallCharter())), "")
}
