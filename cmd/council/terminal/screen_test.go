package terminal

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/live"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// tty is a virtual terminal behind the driver that turns a line feed into a new line.
type tty struct {
	*vt.Emulator
	writes int
}

func (s *tty) WriteString(text string) (int, error) {
	s.writes++
	return s.Emulator.WriteString(strings.ReplaceAll(text, "\n", "\r\n"))
}

// rows returns what stands on the screen. What is coloured, bold or dim is told as «30:Ada», «b:Carried» and «d:so».
func (s *tty) rows() string {
	var b strings.Builder
	for y := range s.Height() {
		line, before := "", ""
		for x := range s.Width() {
			c := s.CellAt(x, y)
			if c == nil || c.Content == "" {
				continue
			}
			look := styled(c)
			if look != before && before != "" {
				line += "»"
			}
			if look != before && look != "" {
				line += "«" + look + ":"
			}
			line, before = line+c.Content, look
		}
		if before != "" {
			line += "»"
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return strings.Trim(b.String(), "\n") + "\n"
}

func styled(c *uv.Cell) string {
	if i, ok := c.Style.Fg.(ansi.IndexedColor); ok {
		return fmt.Sprint(int(i))
	}
	switch {
	case c.Style.Attrs&uv.AttrBold != 0:
		return "b"
	case c.Style.Attrs&uv.AttrFaint != 0:
		return "d"
	}
	return ""
}

// onScreenOf returns a view on a terminal of a size, in which so many events of a session of three have happened.
func onScreenOf(columns, rows, happened int, asks ...live.Ask) (*View, *tty) {
	s := &tty{Emulator: vt.NewEmulator(columns, rows)}
	state := live.State{Began: noon.Add(-100 * time.Second), Asks: asks}
	v := &View{Out: s, Now: func() time.Time { return noon }, Live: true, Colour: true, Usual: 6 * time.Minute,
		Width: s.Width, Height: s.Height, State: func() *live.State { return &state },
		Keys: "Ctrl-C suspends · council say 7f3k2a \"…\" tells members"}
	for _, e := range story(happened) {
		v.Observe(e)
	}
	return v, s
}

// story returns the first events of a session with a budget, whose servers bill each reply.
func story(happened int) (events []council.Event) {
	c := counciltest.Charter(3, 4, "")
	for i, name := range []string{"Ada Lovelace", "Boole", "Curie"} {
		c.Members[i].ID, c.Members[i].Name = council.MemberID(strings.ToLower(strings.Fields(name)[0])), name
	}
	c.Budget = council.Budget{Tokens: 50_000, USD: 1}
	by := func(kind council.AskKind, m council.MemberID) council.Answered {
		return council.Answered{Ask: council.AskID(string(kind) + "." + string(m)), Usage: council.Usage{Calls: 1,
			InputTokens: 900, OutputTokens: 134, Billed: council.Dollars(0.0123), BilledCalls: 1}}
	}
	position := func(m council.MemberID, text string) council.Payload {
		return council.PositionSealed{Answered: by(council.AskPosition, m),
			Position: council.Position{Position: text, Confidence: 0.8}}
	}
	elects := func(m council.MemberID) council.Payload {
		return council.LeaderBallotCast{Answered: by(council.AskNominate, m),
			Nomination: council.Nomination{CandidateID: "ada", Rationale: "She knows the code."}}
	}
	votes := func(m council.MemberID, choice council.Choice, why string) council.Payload {
		return council.BallotCast{Answered: by(council.AskBallot, m), Subject: council.Subject{Motion: "p1.r1.t3"},
			Ballot: council.Ballot{Ballot: choice, Rationale: why}}
	}
	carried := council.Decision{Result: quorum.Carried, Count: quorum.Count{Yes: 2, No: 1}, Needed: 2}
	for _, said := range []struct {
		by council.MemberID
		council.Payload
	}{
		{"", council.SessionStarted{Topic: council.Topic{Text: "Shall we?"}, Charter: c}},
		{"ada", position("ada", "Keep the queue, and measure what it costs.")},
		{"boole", position("boole", "Prove first that the present one is too slow.")},
		{"curie", position("curie", "Move to NATS, for "+spoken+" rest follows.")}, {"", council.PositionsOpened{}},
		{"ada", elects("ada")}, {"boole", elects("boole")}, {"curie", elects("curie")},
		{"", council.LeaderElected{Leader: "ada"}}, {"", council.PhaseStarted{Phase: "explore", Goal: "To explore"}},
		{"", council.RoundStarted{Round: 1, Of: 4}}, // 11
		{"boole", council.ContributionMade{Answered: by(council.AskTurn, "boole"), Message: spoken + " disk is busy."}},
		{"curie", council.TurnPassed{Answered: by(council.AskTurn, "curie"), Reason: "I want to hear the operator."}},
		{"ada", council.MotionMade{Answered: by(council.AskTurn, "ada"), Motion: "p1.r1.t3", MotionTitle: "Keep the queue",
			MotionText: "The queue stays until its waits are measured.", DecisionIfPass: "The queue stays."}},
		{"boole", council.SecondAnswered{Answered: by(council.AskSecond, "boole"), Motion: "p1.r1.t3",
			Second: council.Second{Stand: "SUPPORT", Rationale: "It can be measured.", Second: true}}},
		{"", council.MotionSeconded{Motion: "p1.r1.t3", Seconder: "boole"}}, // 16
		{"ada", votes("ada", council.ChoiceYes, "It is the cheapest way to learn.")},
		{"boole", votes("boole", council.ChoiceYes, "It can be measured.")},
		{"curie", votes("curie", council.ChoiceNo, "Latency doubles with each month that we wait.")},
		{"", council.MotionDecided{Motion: "p1.r1.t3", Decision: carried}}, // 20
		{"ada", council.PhaseAssessed{Answered: by(council.AskAssess, "ada")}},
		{"", council.PhaseEnded{Phase: "explore", Resolutions: []council.MotionID{"p1.r1.t3"}}},
		{"ada", council.SummaryWritten{Answered: by(council.AskSummary, "ada"),
			Summary: council.Summary{SummaryMarkdown: "The queue stays."}}},
		{"ada", council.DraftWritten{Answered: by(council.AskDraft, "ada"), DraftRef: council.DraftRef{Version: 1},
			Draft: council.Draft{Markdown: "# The queue stays"}}}, // 24
		{"", council.DraftDecided{DraftRef: council.DraftRef{Version: 1}, Decision: carried}},
	} {
		e := council.Event{Seq: council.Seq(len(events) + 1), Turn: 1, Actor: said.by, Payload: said.Payload}
		if events = append(events, e); len(events) == happened {
			return events
		}
	}
	return events
}

// after returns a question that was put so many seconds ago.
func after(seconds int, kind council.AskKind, m council.MemberID) live.Ask {
	return live.Ask{ID: council.AskID(string(kind) + "." + string(m)), Member: m, Kind: kind, Blind: kind.Blind(),
		Since: noon.Add(-time.Duration(seconds) * time.Second)}
}

const spoken = "We keep what we have for now, because nobody has measured what the queue costs us each month, " +
	"and the last move of that size took a year. What I would measure first is how long a message waits on its way to " +
	"the disk, and how often the"

// TestScreens compares every screen of the view with what was looked at before, at three widths.
func TestScreens(t *testing.T) {
	speaking := after(12, council.AskTurn, "curie")
	speaking.Words = spoken
	waiting := after(40, council.AskBallot, "boole")
	waiting.Wait, waiting.Until = "another try (2 of 6): 429 Too Many Requests: slow down", noon.Add(12*time.Second)
	answered := after(40, council.AskBallot, "curie")
	answered.Done = true
	for _, columns := range []int{60, 80, 160} {
		var b strings.Builder
		for _, one := range []struct {
			name     string
			happened int
			asks     []live.Ask
			change   func(*View)
		}{
			{"it begins", 1, []live.Ask{after(2, council.AskPosition, "ada"), after(2, council.AskPosition, "boole"),
				after(2, council.AskPosition, "curie")}, nil},
			{"the first has answered", 2, []live.Ask{after(9, council.AskPosition, "boole"),
				after(9, council.AskPosition, "curie")}, nil},
			{"somebody speaks", 11, []live.Ask{speaking}, nil},
			{"two are asked", 14, []live.Ask{after(3, council.AskSecond, "boole"), speaking}, nil},
			{"a blind vote, and a wait", 17, []live.Ask{waiting, answered}, nil},
			{"it carried, and the leader judges", 20, []live.Ask{after(3, council.AskAssess, "ada")}, nil},
			{"the summary", 22, []live.Ask{after(61, council.AskSummary, "ada")}, nil},
			{"the document", 23, []live.Ask{after(61, council.AskDraft, "ada")}, nil},
			{"a review", 25, []live.Ask{after(4, council.AskReview, "boole")}, nil},
			{"a dissent", 25, []live.Ask{after(4, council.AskDissent, "curie")}, nil},
			{"paused", 11, nil, func(v *View) {
				state := live.State{Began: noon, Paused: true}
				v.State = func() *live.State { return &state }
			}},
			{"without colours", 11, []live.Ask{speaking}, func(v *View) { v.Colour = false }},
			{"the whole terminal", 11, []live.Ask{speaking}, func(v *View) { v.Full = full() }},
			{"the whole terminal, scrolled", 20, []live.Ask{speaking}, func(v *View) {
				v.Full = full()
				v.paint()
				v.Full.up = 4
			}},
		} {
			v, s := onScreenOf(columns, 24, one.happened, one.asks...)
			if one.change != nil {
				one.change(v)
			}
			v.paint()
			fmt.Fprintf(&b, "=== %s\n%s", one.name, s.rows())
		}
		check.Golden(t, filepath.Join("testdata", fmt.Sprintf("screens-%d.txt", columns)), b.String())
	}
}

func full() *Full {
	return &Full{Keyboard: NewKeyboard(strings.NewReader("")), Raw: func() func() { return func() {} },
		Keys: []Key{{Press: "s", Does: "say"}, {Press: "p", Does: "pause, go on"}, {Press: "q", Does: "suspend"}}}
}

// A light and a dark terminal show the same: nothing sets a background, and each colour can be read on both.
func TestScreen_ColoursCanBeReadOnLightAndOnDark(t *testing.T) {
	v, s := onScreenOf(80, 24, 13, after(1, council.AskTurn, "ada"))
	v.paint()
	for y := range s.Height() {
		for x := range s.Width() {
			if c := s.CellAt(x, y); c != nil && c.Style.Bg != nil {
				t.Fatalf("row %d sets a background: %+v", y, c)
			}
		}
	}
	for _, n := range colours {
		r, g, b, _ := ansi.IndexedColor(n).RGBA()
		light := 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
		if onWhite, onBlack := 1.05/(light+0.05), (light+0.05)/0.05; min(onWhite, onBlack) < 4.2 {
			t.Errorf("colour %d has a contrast of %.1f on white and %.1f on black", n, onWhite, onBlack)
		}
	}
}

// linear returns how much light a part of a colour is.
func linear(part uint32) float64 {
	c := float64(part) / 0xffff
	if c <= 0.03928 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// Where a terminal became narrower, what was written takes more rows, and all of them are cleared.
func TestScreen_TheStatusIsClearedAfterTheTerminalBecameNarrower(t *testing.T) {
	v, _ := onScreenOf(80, 24, 11, after(1, council.AskTurn, "ada"))
	v.paint()
	rows := len(v.drawn)
	v.Width = func() int { return 40 }
	if got, want := v.clear(), fmt.Sprintf("\r\x1b[%dA\x1b[J", rows+2); got != want { // the title and the keys
		t.Errorf("%d rows are cleared by %q, not %q", rows, got, want)
	}
	check.Is(t, "nothing is cleared again", "", v.clear())
}

// People are told what would end the debate, as models are.
func TestScreen_WhoHasTheFloorKnowsWhatWouldEndTheDebate(t *testing.T) {
	opened := council.PositionsOpened{Agreed: true}
	carried := func(yes int) council.MotionDecided {
		return council.MotionDecided{Decision: council.Decision{Result: quorum.Carried, Count: quorum.Count{Yes: yes}}}
	}
	const leads, quiet, last = "you begin as leader", "ends the phase", "the last round"
	for name, test := range map[string]struct {
		round, turn int
		events      []council.Payload
		says        string
	}{
		"the leader of those of one mind":      {1, 1, []council.Payload{opened}, leads},
		"after a motion with every vote":       {1, 1, []council.Payload{opened, carried(3)}, leads},
		"after a motion that somebody opposed": {1, 1, []council.Payload{opened, carried(2)}, ""},
		"after a motion that died":             {1, 1, []council.Payload{opened, council.MotionDied{}}, ""},
		"those who do not agree":               {1, 1, []council.Payload{council.PositionsOpened{}}, ""},
		"the next turn":                        {1, 2, []council.Payload{opened}, ""},
		"a further round":                      {2, 1, []council.Payload{opened}, quiet},
		"the last round":                       {3, 1, []council.Payload{opened}, last},
	} {
		v := asking(council.AskTurn)
		v.Charter.Deliberation = council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true}
		v.Phase.StopConditions.MaxRounds = 3
		v.Round, v.Turn = test.round, test.turn
		v.Events = append(v.Events, council.Event{Seq: 1, Payload: council.SessionStarted{Charter: *v.Charter}})
		for i, p := range test.events {
			v.Events = append(v.Events, council.Event{Seq: council.Seq(i + 2), Payload: p})
		}
		shown := Question(v, 0)
		for _, words := range []string{leads, quiet, last} {
			if strings.Contains(shown, words) != (words == test.says) {
				t.Errorf("%s: of %q:\n%s", name, words, shown)
			}
		}
	}
}
