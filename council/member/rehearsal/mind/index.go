package mind

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/passage"
)

// Entry is one passage of the documents, or of the topic when there are none.
type Entry struct {
	passage.Passage
	document string // "" for the topic
	Quality  float64
	themes   []weighted
	Tone     passage.Tone
	Trouble  bool // it tells of something that goes wrong or is missing
}

// weighted is how much a passage speaks of a built theme.
type weighted struct {
	theme  int
	weight float64
}

// ref is how the passage is cited: "README.md:12", or the event that holds the topic.
func (e *Entry) ref() string {
	if e.document == "" {
		return "e1"
	}
	return e.document + ":" + strconv.Itoa(e.Line)
}

// Index finds passages by their words.
type Index struct {
	entries  []Entry
	Postings map[string][]int32 // by stem, each passage once
	Bare     bool               // no document was given
}

// newIndex reads the documents; without any, the topic.
func newIndex(t *council.Topic) *Index {
	x := &Index{Postings: map[string][]int32{}}
	for _, d := range t.Documents {
		for _, p := range passage.Split(d.Name, d.Text) {
			x.add(p, d.Name)
		}
	}
	if len(x.entries) == 0 {
		x.Bare = true
		question := readTopic(t.Text).Text
		for _, p := range passage.Split("topic.txt", t.Text) {
			if p.Text != question { // the question is no ground for its answer
				x.add(p, "")
			}
		}
	}
	return x
}

func (x *Index) add(p passage.Passage, document string) {
	p.Text = innerQuotes.Replace(p.Text) // so that it can stand in quotes
	e := Entry{Passage: p, document: document, Quality: quality(p), Tone: passage.ToneOf(p.Text), Trouble: passage.Troubled(p.Text)}
	n := int32(len(x.entries))
	var hits [64]float32
	words := 0
	for s := range concern.Stems(p.Text + " " + p.Heading) {
		words++
		for _, t := range concern.ThemesByStem[s] {
			hits[t] += concern.Built[t].Stems[s]
		}
		if list := x.Postings[s]; len(list) == 0 || list[len(list)-1] != n {
			x.Postings[s] = append(list, n)
		}
	}
	for t := range concern.Built {
		if hits[t] > 0 {
			e.themes = append(e.themes, weighted{t, float64(hits[t]) / math.Sqrt(float64(max(words, 4)))})
		}
	}
	x.entries = append(x.entries, e)
}

// quality says how well a passage would stand as a quote, from 0 to 1.
func quality(p passage.Passage) float64 {
	q := map[passage.Form]float64{passage.Sentence: 1, passage.Item: 0.9, passage.Row: 0.5, passage.Fragment: 0.25}[p.Form]
	switch n := len([]rune(p.Text)); {
	case n < 40:
		q *= 0.6
	case n > 180:
		q *= 0.8
	}
	if strings.HasSuffix(p.Text, ":") || strings.HasSuffix(p.Text, "…") {
		q *= 0.6
	}
	if strings.ContainsAny(p.Text, "{}=$\\|") || strings.Contains(p.Text, "--") {
		q *= 0.5
	}
	return q
}

// match scores passages by how many of the words they hold, rare words more.
func (x *Index) match(words map[string]float64) []float64 {
	scores := make([]float64, len(x.entries))
	for _, s := range slices.Sorted(maps.Keys(words)) { // sums of floats depend on their order
		list := x.Postings[s]
		if len(list) == 0 {
			continue
		}
		rare := math.Log(1 + float64(len(x.entries))/float64(len(list)))
		for _, n := range list {
			scores[n] += words[s] * rare
		}
	}
	return scores
}

// WordsOf weighs the words of a text equally.
func WordsOf(text string, weight float64) map[string]float64 {
	words := map[string]float64{}
	for s := range concern.Stems(text) {
		words[s] = weight
		if len(words) >= 400 {
			break
		}
	}
	return words
}

// Shelf keeps the indexes of the sessions at hand, so that a document is read once. It is safe for concurrent use.
type Shelf struct {
	mu      sync.Mutex
	indexes map[string]func() *Index
	order   []string
}

// maxIndexes is how many sets of documents are kept: more sessions than that are rarely open in one process.
const maxIndexes = 8

// Index finds or makes the index of a topic and its documents. It blocks while another goroutine makes the same.
func (s *Shelf) Index(t *council.Topic) *Index {
	name := shelfmark(t)
	s.mu.Lock()
	open, ok := s.indexes[name]
	if !ok {
		topic := council.Topic{Text: t.Text, Documents: slices.Clone(t.Documents)}
		open = sync.OnceValue(func() *Index { return newIndex(&topic) })
		if s.indexes == nil {
			s.indexes = map[string]func() *Index{}
		}
		s.indexes[name] = open
		if s.order = append(s.order, name); len(s.order) > maxIndexes {
			delete(s.indexes, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.mu.Unlock()
	return open()
}

// shelfmark names a set of documents by their digests.
func shelfmark(t *council.Topic) string {
	var b strings.Builder
	for _, d := range t.Documents {
		sum := d.SHA256
		if sum == "" {
			sum = council.Digest(d.Text)
		}
		b.WriteString(d.Name + "\n" + sum + "\n")
	}
	b.WriteString("\n" + council.Digest(t.Text)) // it is what is read when the documents say nothing
	return b.String()
}
