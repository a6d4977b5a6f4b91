package rehearsal

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// mind is one member about to answer one ask: all it has is the view.
type mind struct {
	council.View
	*cast
	me  *player
	q   question
	x   *index
	log *minutes
}

func newMind(v council.View, x *index) *mind {
	k := newCast(v.Charter, v.Seats, v.Topic.Text)
	return &mind{View: v, cast: k, me: k.player(v.Seat.ID), q: readTopic(v.Topic.Text), x: x, log: takeMinutes(v.Events, k)}
}

// name is how a member is spoken of within a sentence, safe within Markdown: "the Builder", "Ada".
func (m *mind) name(id council.MemberID) string {
	if p := m.player(id); p != nil {
		name := hostile.Inline(cut(hostile.Line(p.Name), 60))
		if rest, ok := strings.CutPrefix(name, "The "); ok {
			return "the " + rest
		}
		return name
	}
	return hostile.Inline(string(id))
}

func (m *mind) role(id council.MemberID) string {
	if p := m.player(id); p != nil {
		return hostile.Inline(cut(hostile.Line(p.Role), 80))
	}
	return ""
}

var innerQuotes = strings.NewReplacer("“", "‘", "”", "’", "„", "‘")

// words is a passage as it stands in a quote: plain text that Markdown takes for nothing else.
func words(text string) string { return hostile.Inline(innerQuotes.Replace(text)) }

// quote is a passage with its place.
func (m *mind) quote(e *entry) string {
	if e.document == "" {
		return "“" + words(e.Text) + "” (the topic, [e1])"
	}
	return "“" + words(e.Text) + "” (" + hostile.Inline(e.ref()) + ")"
}

func (m *mind) quoted(e *entry) bool { return m.log.quoted[words(e.Text)] }

// care says how much a member cares for a passage, by what it is about.
func (p *player) care(e *entry) float64 {
	sum := 0.0
	for _, t := range e.themes {
		w := p.weights[t.theme]
		if t.theme == p.lead() {
			w = max(w, 0.5) * 1.5
		}
		sum += w * t.weight
	}
	return sum
}

// owner is the seat that a passage matters to most, so that not everybody picks the same.
func (m *mind) owner(e *entry) int {
	best, most := 0, -1.0
	for s := range m.seats {
		p := &m.seats[s]
		care := p.care(e) + 0.25*chance(string(p.ID), e.Text[:min(len(e.Text), 24)])
		if care > most {
			best, most = s, care
		}
	}
	return best
}

type ranked struct {
	*entry
	score float64
	topic float64 // how much of it is about the topic
}

// best ranks the passages that this member would quote next, at most n. Extra words pull passages up.
func (m *mind) best(n int, extra string) []ranked {
	return m.rank(n, extra, func(e *entry) bool { return !m.quoted(e) })
}

func (m *mind) rank(n int, extra string, may func(*entry) bool) []ranked {
	topic := m.x.match(wordsOf(m.Topic.Text, 1))
	pull := m.x.match(m.pull(extra))
	topicMost, pullMost := most(topic), most(pull)
	var all []ranked
	for i := range m.x.entries {
		e := &m.x.entries[i]
		r := ranked{entry: e, topic: topic[int32(i)] / topicMost}
		r.score = e.quality * (0.1 + r.topic + 0.6*m.me.care(e) + 0.5*pull[int32(i)]/pullMost)
		if len(all) == cap4(n) && r.score <= all[len(all)-1].score || r.score <= 0 || !may(e) {
			continue
		}
		if m.owner(e) != m.me.seat {
			if r.score *= 0.5; len(all) == cap4(n) && r.score <= all[len(all)-1].score {
				continue
			}
		}
		at, _ := slices.BinarySearchFunc(all, r, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(b.score, a.score), -1) // equals keep the order of the document
		})
		all = slices.Insert(all, at, r)
		all = all[:min(len(all), cap4(n))]
	}
	return distinct(all, n)
}

// cap4 leaves room for passages that say the same.
func cap4(n int) int { return 4 * n }

func distinct(all []ranked, n int) []ranked {
	seen := map[string]bool{}
	var out []ranked
	for _, r := range all {
		if !seen[r.Text] && len(out) < n {
			seen[r.Text] = true
			out = append(out, r)
		}
	}
	return out
}

// pull are words beyond the topic: the phase's goal, what is asked for, and focus words that no built theme covers.
func (m *mind) pull(extra string) map[string]float64 {
	w := wordsOf(extra, 1.5)
	if m.Phase != nil {
		for s := range stems(m.Phase.Goal) {
			w[s] = max(w[s], 0.5)
		}
	}
	for i := len(built); i < len(m.themes); i++ {
		for s := range m.themes[i].stems {
			if m.me.weights[i] > 0 {
				w[s] = max(w[s], m.me.weights[i])
			}
		}
	}
	return w
}

// polarity says whether a passage speaks for doing what the topic proposes, from -1 to 1: trouble with things as they
// are speaks for it, trouble with what is proposed against.
func (m *mind) polarity(e *entry) float64 {
	object := m.object()
	if m.q.form != proposal || object == "" {
		return 0
	}
	mentioned := false
	for s := range stems(e.Text) {
		mentioned = mentioned || s == object
	}
	switch {
	case mentioned && e.trouble:
		return -1
	case mentioned || e.trouble:
		return 1
	}
	return -0.2
}

// object is the rarest word of the action that the documents know: what the proposal is about.
func (m *mind) object() string {
	object, fewest := "", len(m.x.entries)/3+1
	for s := range stems(m.q.action) {
		if n := len(m.x.postings[s]); n > 0 && n < fewest {
			object, fewest = s, n
		}
	}
	return object
}

func most(scores map[int32]float64) float64 {
	top := 1e-9
	for _, s := range scores {
		top = math.Max(top, s)
	}
	return top
}

// nextWant is the demand that this member would raise now: of its foremost themes, the first that is not settled and
// that it has not raised yet. Later phases go further down its list.
func (m *mind) nextWant(taken func(want) bool) (want, bool) {
	for depth := range 6 {
		for at := range min(3, len(m.me.order)) {
			t := m.me.order[at]
			if at > 0 && m.me.weights[t] < 0.25 {
				continue
			}
			n := depth - at
			if n < 0 || n >= len(m.themes[t].demands) {
				continue
			}
			w := want{t, (n + m.me.shift) % len(m.themes[t].demands)}
			if !taken(w) {
				return w, true
			}
		}
	}
	return want{}, false
}

// takenUp reports whether w needs no asking for: it is resolved, somebody asked for it in this phase, or somebody else
// did in an earlier one.
func (m *mind) takenUp(w want) bool {
	if slices.Contains(m.log.settled(), w) {
		return true
	}
	return slices.ContainsFunc(m.log.raised, func(r raise) bool {
		return r.want == w && r.visit > 0 && (r.visit == m.Visit || r.by != m.me.ID)
	})
}

// askedBefore is where this member asked for w in an earlier phase, or 0.
func (m *mind) askedBefore(w want) council.Seq {
	for _, r := range m.log.raised {
		if r.want == w && r.by == m.me.ID && r.visit > 0 && r.visit < m.Visit {
			return r.seq
		}
	}
	return 0
}

// myWants lists what this member asked for, newest first.
func (m *mind) myWants() []raise {
	var mine []raise
	for _, r := range slices.Backward(m.log.raised) {
		if r.by == m.me.ID {
			mine = append(mine, r)
		}
	}
	return mine
}

// deciding reports whether the phase under way is the one that answers the topic.
func (m *mind) deciding() bool {
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
