package mind

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/passage"
	"github.com/council-engine/council/council/member/rehearsal/wording"
	"github.com/council-engine/council/internal/hostile"
)

var escaped = regexp.MustCompile(`\\([[:punct:]])`)

// Slots fill the phrases about the question itself.
func (m *Mind) Slots(more ...string) []string {
	slots := append([]string{"{action}", hostile.Inline(m.Question.Action)}, more...)
	if m.Question.Form == Choice {
		a, b := m.Sides()
		slots = append(slots, "{a}", "“"+hostile.Inline(a)+"”", "{b}", "“"+hostile.Inline(b)+"”")
	}
	return slots
}

// Sides are the two sides of a choice, the one that this member prefers first: whichever the documents say more about,
// read with the member's own eyes.
func (m *Mind) Sides() (string, string) {
	a, b := m.Question.options[0], m.Question.options[1]
	if m.support(b)+0.3*concern.Chance(string(m.Me.ID), b) > m.support(a)+0.3*concern.Chance(string(m.Me.ID), a) {
		return b, a
	}
	return a, b
}

func (m *Mind) support(option string) float64 {
	sum, n := 0.0, 0.0
	for i, score := range m.Index.match(WordsOf(option, 1)) {
		if score > 0 {
			sum += float64(int(100 * m.Index.entries[i].Quality * (0.5 + Care(m.Me, &m.Index.entries[i])))) // whole numbers: the order does not matter
			n++
		}
	}
	return sum / 100 / (n + 2)
}

// Call names a theme, each seat in its own words.
func (m *Mind) Call(theme int) string {
	t := &m.Themes[theme]
	if n := m.Me.Seat % (len(t.Also) + 1); n > 0 {
		return t.Also[n-1]
	}
	return t.About
}

// StanceOf reads a member's last words for its stance.
func (m *Mind) StanceOf(p *concern.Player) concern.Stance {
	fill := strings.NewReplacer(m.Slots()...)
	for _, r := range slices.Backward(m.Log.Remarks) {
		if r.By != p.ID {
			continue
		}
		for s := concern.Wait; s <= concern.GoAhead; s++ {
			for _, phrase := range wording.For("stances", m.Question.Form, s).Lines() {
				if strings.Contains(r.text, capital(fill.Replace(phrase))) {
					return s
				}
			}
		}
	}
	return p.Stance
}

// Statement reports whether a passage is one that could stand in a motion or a document.
func Statement(e *Entry) bool { return e.Form != passage.Fragment && e.Form != passage.Row }

// Deliverable reads an id such as "problem_statement" as words.
func Deliverable(id string) string {
	name := strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(hostile.Line(id))), " "))
	for _, article := range []string{"the ", "a ", "an "} {
		name = strings.TrimPrefix(name, article)
	}
	return hostile.Inline("the " + Cut(name, 60))
}

// HasRaised reports whether this member has asked for w.
func (m *Mind) HasRaised(w concern.Want) bool { return m.raisedAt(w) != 0 }

// raisedAt is where this member asked for w last, or 0.
func (m *Mind) raisedAt(w concern.Want) council.Seq {
	for _, r := range m.MyWants() {
		if r.Want == w {
			return r.Seq
		}
	}
	return 0
}

// MotionNow is the note on the motion of the view, or one made of it when the log does not hold it.
func (m *Mind) MotionNow() *MotionNote {
	if m.Motion == nil {
		return &MotionNote{}
	}
	if note := m.Log.motion(m.Motion.ID); note.ID != "" {
		return note
	}
	return &MotionNote{Motion: *m.Motion, Wants: m.WantsIn(m.Motion.Text + " " + m.Motion.Decision)}
}

// VoteSlots fill the phrases about a motion, for a member that stands for mine.
func (m *Mind) VoteSlots(note *MotionNote, mine concern.Want) []string {
	d := m.Demand(mine)
	var needs []string
	for _, w := range note.Wants[:min(2, len(note.Wants))] {
		needs = append(needs, m.Demand(w).Need)
	}
	about := "“" + Words(Cut(hostile.Line(note.Title), 80)) + "”"
	if len(needs) > 0 {
		about = List(needs)
	}
	return []string{
		"{need}", d.Need, "{Need}", UpperFirst(d.Need), "{without}", d.Without, "{about}", m.Themes[mine.Theme].About,
		"{needs}", about, "{mover}", m.Name(note.Mover), "{mine}", m.raisedAt(mine).ID(), "{e}", note.Seq.ID(),
	}
}

// StanceIn reads how far a motion goes.
func (m *Mind) StanceIn(note *MotionNote) concern.Stance {
	text := strings.ToLower(note.Title + " " + note.Text)
	for _, sign := range []string{"not yet", "not to ", "for now", "not as it stands", "neither", "leave “", "come back when"} {
		if strings.Contains(text, sign) {
			return concern.Wait
		}
	}
	for _, sign := range []string{"one small step", "a first step: ", "small part", "begin with", "a first answer", "a trial of", "a pilot"} {
		if strings.Contains(text, sign) {
			return concern.Trial
		}
	}
	return concern.GoAhead
}

// Assumptions are what the council took for granted in the phase under way.
func (m *Mind) Assumptions() []string {
	if m.Index.Bare {
		return []string{
			"The topic says everything that the council needed to know. " + m.NothingToRead() + ".",
			"Whoever asked means by the words of the topic what the members took them to mean.",
		}
	}
	all := []string{"What the documents say is still true. Nobody checked it in this session."}
	seen := map[string]bool{}
	for _, r := range m.Log.Remarks {
		for _, c := range r.Cites {
			e := m.EntryOf(c.Quote)
			if r.Visit == m.Visit && e != nil && (e.Tone == passage.Doubts || e.Tone == passage.Intends || e.Tone == passage.Counts) && !seen[c.Quote] && len(all) < 4 {
				seen[c.Quote] = true
				all = append(all, "That “"+Plain(c.Quote)+"” ("+c.Ref+") can be relied on, as "+m.Name(r.By)+" did in "+r.Seq.ID()+".")
			}
		}
	}
	return all
}

// NothingToRead says why a council without passages has none.
func (m *Mind) NothingToRead() string {
	if len(m.Topic.Documents) > 0 {
		return "What was given as documents holds no text to quote"
	}
	return "No document was given"
}

// EntryOf finds the passage of a quote, or nil.
func (m *Mind) EntryOf(quote string) *Entry {
	first := ""
	for s := range concern.Stems(quote) {
		if len(s) > len(first) {
			first = s
		}
	}
	for _, n := range m.Index.Postings[first] {
		if Words(m.Index.entries[n].Text) == quote {
			return &m.Index.entries[n]
		}
	}
	return nil
}

// Plain undoes Markdown's escapes, for text that is not Markdown.
func Plain(s string) string { return escaped.ReplaceAllString(s, "$1") }

// InForce is what the council resolved to want, the newest resolution first.
func (m *Mind) InForce() []concern.Want {
	var all []concern.Want
	for _, n := range slices.Backward(m.Log.Motions) {
		if n.Carried() {
			all = append(all, n.Wants...)
		}
	}
	return unique(all)
}

func unique(wants []concern.Want) []concern.Want {
	var out []concern.Want
	for _, w := range wants {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// OpenWants are what others asked for in this phase and no resolution holds.
func (m *Mind) OpenWants() []Raise {
	settled := m.Log.Settled()
	var all []Raise
	for _, r := range m.Log.Raised {
		if r.Visit == m.Visit && r.By != m.Me.ID && !slices.Contains(settled, r.Want) {
			all = append(all, r)
		}
	}
	return all
}
