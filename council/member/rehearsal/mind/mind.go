// Package mind is what a rehearsed member has in mind when it is asked something: the passages of the documents as they
// matter to it, what has been said so far, and how to say something new.
package mind

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/internal/hostile"
)

// Mind is one member about to answer one ask: all it has is the view.
type Mind struct {
	council.View
	*concern.Cast
	Me       *concern.Player
	Question Question
	Index    *Index
	Log      *Minutes
}

// New reads the view. Its Me is nil when the charter has no such member.
func New(v council.View, x *Index) *Mind {
	k := concern.NewCast(v.Charter, v.Seats, v.Topic.Text)
	return &Mind{View: v, Cast: k, Me: k.Player(v.Seat.ID), Question: readTopic(v.Topic.Text), Index: x, Log: takeMinutes(v.Events, k)}
}

// Name is how a member is spoken of within a sentence, safe within Markdown: "the Builder", "Ada".
func (m *Mind) Name(id council.MemberID) string {
	if p := m.Player(id); p != nil {
		name := hostile.Inline(Cut(hostile.Line(p.Name), 60))
		if rest, ok := strings.CutPrefix(name, "The "); ok {
			return "the " + rest
		}
		return name
	}
	return hostile.Inline(string(id))
}

// Role is what a member is there for, safe within Markdown.
func (m *Mind) Role(id council.MemberID) string {
	if p := m.Player(id); p != nil {
		return hostile.Inline(Cut(hostile.Line(p.Role), 80))
	}
	return ""
}

var innerQuotes = strings.NewReplacer("“", "‘", "”", "’", "„", "‘")

// Words is a passage as it stands in a quote: plain text that Markdown takes for nothing else.
func Words(text string) string { return hostile.Inline(innerQuotes.Replace(text)) }

// Quote is a passage with its place.
func (m *Mind) Quote(e *Entry) string {
	if e.document == "" {
		return "“" + Words(e.Text) + "” (the topic)"
	}
	return "“" + Words(e.Text) + "” (" + hostile.Inline(e.ref()) + ")"
}

// Quoted reports whether somebody has quoted a passage.
func (m *Mind) Quoted(e *Entry) bool { return m.Log.quoted[e.Text] }

// Care says how much a member cares for a passage, by what it is about.
func Care(p *concern.Player, e *Entry) float64 {
	sum := 0.0
	for _, t := range e.themes {
		w := p.Weights[t.theme]
		if t.theme == p.Lead() {
			w = max(w, 0.5) * 1.5
		}
		sum += w * t.weight
	}
	return sum
}

// Owner is the seat that a passage matters to most, so that not everybody picks the same.
func (m *Mind) Owner(e *Entry) int {
	best, most := 0, -1.0
	for s := range m.Players {
		p := &m.Players[s]
		care := Care(p, e) + 0.25*concern.Chance(string(p.ID), e.Text[:min(len(e.Text), 24)])
		if care > most {
			best, most = s, care
		}
	}
	return best
}

// Ranked is a passage with what makes it worth quoting.
type Ranked struct {
	*Entry
	Score float64
	Topic float64 // how much of it is about the topic
}

// Best ranks the passages that this member would quote next, at most n. Extra words pull passages up.
func (m *Mind) Best(n int, extra string) []Ranked {
	return m.Rank(n, extra, func(e *Entry) bool { return !m.Quoted(e) })
}

// Rank ranks the passages that may be taken, at most n.
func (m *Mind) Rank(n int, extra string, may func(*Entry) bool) []Ranked {
	topic := m.Index.match(WordsOf(m.Topic.Text, 1))
	pull := m.Index.match(m.pull(extra))
	topicMost, pullMost := most(topic), most(pull)
	var all []Ranked
	for i := range m.Index.entries {
		e := &m.Index.entries[i]
		r := Ranked{Entry: e, Topic: topic[i] / topicMost}
		r.Score = e.Quality * (0.1 + r.Topic + 0.6*Care(m.Me, e) + 0.5*pull[i]/pullMost)
		if len(all) == cap4(n) && r.Score <= all[len(all)-1].Score || r.Score <= 0 || !may(e) {
			continue
		}
		if m.Owner(e) != m.Me.Seat {
			if r.Score *= 0.5; len(all) == cap4(n) && r.Score <= all[len(all)-1].Score {
				continue
			}
		}
		at, _ := slices.BinarySearchFunc(all, r, func(a, b Ranked) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), -1) // equals keep the order of the document
		})
		all = slices.Insert(all, at, r)
		all = all[:min(len(all), cap4(n))]
	}
	return distinct(all, n)
}

// cap4 leaves room for passages that say the same.
func cap4(n int) int { return 4 * n }

func distinct(all []Ranked, n int) []Ranked {
	seen := map[string]bool{}
	var out []Ranked
	for _, r := range all {
		if !seen[r.Text] && len(out) < n {
			seen[r.Text] = true
			out = append(out, r)
		}
	}
	return out
}

// pull are words beyond the topic: the phase's goal, what is asked for, and focus words that no built theme covers.
func (m *Mind) pull(extra string) map[string]float64 {
	w := WordsOf(extra, 1.5)
	if m.Phase != nil {
		for s := range concern.Stems(m.Phase.Goal) {
			w[s] = max(w[s], 0.5)
		}
	}
	for i := len(concern.Built); i < len(m.Themes); i++ {
		for s := range m.Themes[i].Stems {
			if m.Me.Weights[i] > 0 {
				w[s] = max(w[s], m.Me.Weights[i])
			}
		}
	}
	return w
}

// Polarity says whether a passage speaks for doing what the topic proposes, from -1 to 1: trouble with things as they
// are speaks for it, trouble with what is proposed against.
func (m *Mind) Polarity(e *Entry) float64 {
	object := m.object()
	if m.Question.Form != Proposal || object == "" {
		return 0
	}
	mentioned := false
	for s := range concern.Stems(e.Text) {
		mentioned = mentioned || s == object
	}
	switch {
	case mentioned && e.Trouble:
		return -1
	case mentioned || e.Trouble:
		return 1
	}
	return -0.2
}

// object is the rarest word of the action that the documents know: what the proposal is about.
func (m *Mind) object() string {
	object, fewest := "", len(m.Index.entries)/3+1
	for s := range concern.Stems(m.Question.Action) {
		if n := len(m.Index.Postings[s]); n > 0 && n < fewest {
			object, fewest = s, n
		}
	}
	return object
}

func most(scores []float64) float64 {
	top := 1e-9
	for _, s := range scores {
		top = math.Max(top, s)
	}
	return top
}

// NextWant is the demand that this member would raise now: of its foremost themes, the first that is not settled and
// that it has not raised yet. Later phases go further down its list.
func (m *Mind) NextWant(taken func(concern.Want) bool) (concern.Want, bool) {
	for depth := range 6 {
		for at := range min(3, len(m.Me.Order)) {
			t := m.Me.Order[at]
			if at > 0 && m.Me.Weights[t] < 0.25 {
				continue
			}
			n := depth - at
			if n < 0 || n >= len(m.Themes[t].Demands) {
				continue
			}
			w := concern.Want{Theme: t, N: (n + m.Me.Shift) % len(m.Themes[t].Demands)}
			if !taken(w) {
				return w, true
			}
		}
	}
	return concern.Want{}, false
}

// TakenUp reports whether w needs no asking for: it is resolved, somebody asked for it in this phase, or somebody else
// did in an earlier one.
func (m *Mind) TakenUp(w concern.Want) bool {
	if slices.Contains(m.Log.Settled(), w) {
		return true
	}
	return slices.ContainsFunc(m.Log.Raised, func(r Raise) bool {
		return r.Want == w && r.Visit > 0 && (r.Visit == m.Visit || r.By != m.Me.ID)
	})
}

// AskedBefore is where this member asked for w in an earlier phase, or 0.
func (m *Mind) AskedBefore(w concern.Want) council.Seq {
	for _, r := range m.Log.Raised {
		if r.Want == w && r.By == m.Me.ID && r.Visit > 0 && r.Visit < m.Visit {
			return r.Seq
		}
	}
	return 0
}

// MyWants lists what this member asked for, newest first.
func (m *Mind) MyWants() []Raise {
	var mine []Raise
	for _, r := range slices.Backward(m.Log.Raised) {
		if r.By == m.Me.ID {
			mine = append(mine, r)
		}
	}
	return mine
}

// Deciding reports whether the phase under way is the one that answers the topic.
func (m *Mind) Deciding() bool {
	if m.Phase == nil {
		return true
	}
	for _, t := range m.Phase.Transitions {
		if t.When != council.TriggerRoundLimit && t.To != m.Phase.ID {
			return false
		}
	}
	return true
}
