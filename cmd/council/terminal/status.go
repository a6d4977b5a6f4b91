package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/live"
)

// Scene is the input of the status of a running session.
type Scene struct {
	State   live.State
	Minutes *minutes.Minutes
	Now     time.Time
	Usual   time.Duration // how long a session of this charter usually takes; 0: not known
	Left    time.Duration // how much longer it takes if its members go on as they did; 0: not known
	Keys    string        // the keys and commands that work now
}

var asked = map[council.AskKind]string{
	council.AskPosition: "take a position", council.AskNominate: "vote for a leader", council.AskTurn: "speak",
	council.AskReply: "answer a question", council.AskSecond: "second the motion or not",
	council.AskAmend: "decide on amendments", council.AskBallot: "vote", council.AskRank: "rank the options",
	council.AskAssess: "judge the phase", council.AskSummary: "summarise", council.AskDraft: "write the document",
	council.AskReview: "review the document", council.AskDissent: "say why it dissents",
}

// Status returns the rows of a session's status: phase, open questions, streamed words, waits, costs and how to
// stop. Each row is at most width columns wide and has the marks that [Paint] takes. It drops rows beyond height,
// the beginning of streamed words first.
func Status(s Scene, width, height int) []string {
	title := "── " + s.where() + " "
	title += strings.Repeat("─", max(0, width-Cells(title)))
	rows := Rows(string(markDim)+ansi.Truncate(title, width, "…")+string(markEnd), width)
	if s.State.Paused {
		rows = append(rows, Rows(string(markBold+"Paused: no further question is put."+markEnd), width)...)
	}
	end := slices.Concat(Rows(s.spent(), width), Rows(string(markDim)+s.Keys+string(markEnd), width))
	asks := s.asks()
	room, speaking := height-len(rows)-len(end), 0
	for _, a := range asks {
		room -= len(Rows(a.says, width))
		if a.words != "" {
			speaking++
		}
	}
	for _, a := range asks {
		rows = append(rows, Rows(a.says, width)...)
		if a.words != "" {
			words := []rune(a.words)
			words = words[max(0, len(words)-width*(most+1)):] // more is not shown
			rows = append(rows, last(Rows(hostile.Inset+string(words), width), min(most, room/speaking))...)
		}
	}
	rows = append(rows[:min(len(rows), max(0, height-len(end)))], end...)
	return rows[:min(len(rows), height)]
}

const most = 8 // rows of one member's words

func last(rows []string, n int) []string { return rows[max(0, len(rows)-max(0, n)):] }

// where names the phase and round of a session.
func (s Scene) where() string {
	v := s.Minutes.Visit()
	if v == nil {
		return "Before the first phase"
	}
	phases := s.Minutes.Started.Charter.Phases
	i := slices.IndexFunc(phases, func(p council.Phase) bool { return p.ID == v.Phase })
	place := fmt.Sprintf("Phase %d of %d: %s", i+1, len(phases), hostile.Label(string(v.Phase)))
	switch {
	case v.End != nil:
		return "After phase " + hostile.Label(string(v.Phase))
	case v.Rounds > 0 && i >= 0:
		place += fmt.Sprintf(" · round %d of %d", v.Rounds, phases[i].StopConditions.MaxRounds)
	}
	return place
}

// speech is a row on an open question, or on streamed words.
type speech struct{ says, words string }

// asks lists the questions that are with members: those under way, answered and waiting. For questions sealed until all
// have answered it names the members that have answered, never their answers.
func (s Scene) asks() (lines []speech) {
	c := &s.Minutes.Started.Charter
	var answered, open []string
	sealed := council.AskKind("")
	for _, a := range s.State.Asks {
		name := string(coloured(c, a.Member))
		switch {
		case a.Blind && a.Done:
			answered, sealed = append(answered, name), a.Kind
		case a.Blind:
			open, sealed = append(open, name), a.Kind
		case a.Done:
			lines = append(lines, speech{says: name + " has answered."})
		default:
			lines = append(lines, speech{fmt.Sprintf("%s is asked to %s · %s", name, asked[a.Kind], lasts(s.Now.Sub(a.Since))),
				hostile.Label(a.Words)})
		}
	}
	if sealed != "" {
		for _, e := range s.Minutes.Pending {
			if a, ok := e.Answered(); ok && a.Ask.Kind() == sealed {
				answered = append(answered, string(coloured(c, e.Actor)))
			}
		}
		text := "Asked to " + asked[sealed] + ", sealed until all have answered."
		if len(answered) > 0 {
			text += " Answered: " + strings.Join(answered, ", ") + "."
		}
		if len(open) > 0 {
			text += " Not yet: " + strings.Join(open, ", ") + "."
		}
		lines = append(lines, speech{says: text})
	}
	for _, a := range s.State.Asks {
		if a.Wait != "" {
			most := ""
			if left := a.Until.Sub(s.Now); left > 0 {
				most = " up to " + lasts(left)
			}
			says := fmt.Sprintf("  %s waits%s for %s.", coloured(c, a.Member), most, hostile.Label(a.Wait))
			lines = append(lines, speech{says: says})
		}
	}
	return lines
}

// spent returns the calls, tokens and cost so far, the rest of the budget, the running time, and the usual one.
func (s Scene) spent() string {
	u, b := s.Minutes.Replies().Usage(), s.Minutes.Budget
	parts := []string{plural.Things(u.Total.Calls, "call")}
	tokens := plural.Things(u.Total.Tokens(), "token")
	if b.Tokens > 0 {
		tokens += " (" + plural.Thousands(max(0, b.Tokens-u.Total.Tokens())) + " left)"
	}
	parts = append(parts, tokens)
	switch limit := council.Dollars(b.USD); {
	case u.Cost == nil:
	case u.Cost.Total == nil:
		parts = append(parts, "cost unknown")
	case limit > 0:
		cost := council.Dollars(*u.Cost.Total)
		parts = append(parts, fmt.Sprintf("%s (%s left)", cost, max(0, limit-cost)))
	default:
		parts = append(parts, council.Dollars(*u.Cost.Total).String())
	}
	if !s.State.Began.IsZero() {
		took := lasts(s.Now.Sub(s.State.Began))
		switch {
		case s.Left > 0:
			took += ", about " + lasts(roughly(s.Left)) + " left"
		case s.Usual > 0:
			took += ", usually " + lasts(s.Usual)
		}
		parts = append(parts, took)
	}
	if b.Minutes > 0 {
		parts = append(parts, fmt.Sprintf("at most %s of waiting", council.FormatMinutes(b.Minutes)))
	}
	return strings.Join(parts, " · ")
}

// roughly rounds an estimate: to 5 seconds, and from five minutes on to a minute.
func roughly(d time.Duration) time.Duration {
	if d >= 5*time.Minute {
		return d.Round(time.Minute)
	}
	return max(5*time.Second, d.Round(5*time.Second))
}

func lasts(d time.Duration) string { return max(0, d).Round(time.Second).String() }

// Grid aligns rows in columns of at most so many cells of a terminal in all; 0: no limit. The widest columns are
// narrowed, and their cells folded. right may be nil, or names right-aligned columns: then a rule follows row one.
func Grid(rows [][]string, columns int, right func(column int) bool) (lines []string) {
	var widths, words []int // of the columns, and of the longest word in each
	for _, cells := range rows {
		for j, cell := range cells {
			if j == len(widths) {
				widths, words = append(widths, 1), append(words, 1)
			}
			widths[j] = max(widths[j], Cells(cell))
			for word := range strings.FieldsSeq(cell) {
				words[j] = max(words[j], min(Cells(word), 20))
			}
		}
	}
	narrow(widths, words, columns-2*(len(widths)-1))
	for i, cells := range rows {
		of, height := make([][]string, len(cells)), 1
		for j, cell := range cells {
			of[j] = wrapped(cell, widths[j], true)
			height = max(height, len(of[j]))
		}
		for k := range height {
			line := ""
			for j := range cells {
				shown := strings.Join(of[j][min(k, len(of[j])):min(k+1, len(of[j]))], "")
				blank := strings.Repeat(" ", max(0, widths[j]-Cells(shown)))
				if right != nil && right(j) {
					shown, blank = blank+shown, ""
				}
				line += shown + blank + "  "
			}
			lines = append(lines, strings.TrimRight(line, " "))
		}
		if i == 0 && right != nil {
			rule := ""
			for _, w := range widths {
				rule += strings.Repeat("─", w) + "  "
			}
			lines = append(lines, strings.TrimRight(rule, " "))
		}
	}
	return lines
}

// narrow makes the widest columns narrower, none below its least width, until all together take at most so many cells.
func narrow(widths, least []int, most int) {
	for most > 0 {
		all, widest := 0, -1
		for j, w := range widths {
			if all += w; w > least[j] && (widest < 0 || w > widths[widest]) {
				widest = j
			}
		}
		if all <= most || widest < 0 {
			return
		}
		widths[widest]--
	}
}
