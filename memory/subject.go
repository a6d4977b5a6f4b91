package memory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
)

// Subject is the subject of a session, for comparison with records. The zero value is an empty topic, which every
// record touches.
type Subject struct {
	topic     []word
	at        map[string][]int // indexes of the topic's words by their stem
	documents map[string]bool  // stems
}

// About returns the subject of a session with this topic and its documents.
func About(topic council.Topic) Subject {
	s := Subject{at: map[string][]int{}, documents: map[string]bool{}}
	for _, w := range tellingWords(normalize(topic.Text)) {
		if !slices.ContainsFunc(s.topic, w.isAkin) {
			s.at[w.stem()] = append(s.at[w.stem()], len(s.topic))
			s.topic = append(s.topic, w)
		}
	}
	for _, d := range topic.Documents {
		for _, w := range tellingWords(normalize(d.Text)) {
			s.documents[w.stem()] = true
		}
	}
	return s
}

// tellingWords returns the words of a text that show its subject. Of scripts without spaces every two neighbouring
// characters are a word.
func tellingWords(m normalizedText) []word {
	words := slices.DeleteFunc(slices.Clone(m.words), func(w word) bool {
		return commonplace[w.text] || functionWords[w.text] || utf8.RuneCountInString(w.text) < 3 && !w.name
	})
	for i := range len(m.run) - 1 {
		words = append(words, word{text: string(m.run[i : i+2]), exact: true})
	}
	return words
}

// stem returns the beginning that words with different endings share, four characters: see isAkin.
func (w word) stem() string {
	n := 0
	for end := range w.text {
		if n++; n > 4 && !w.exact {
			return w.text[:end]
		}
	}
	return w.text
}

// sharedWords lists the indexes of the topic's words that are among others, endings apart.
func (s *Subject) sharedWords(words []word) (found []int) {
	for _, w := range words {
		for _, at := range s.at[w.stem()] {
			if !slices.Contains(found, at) && s.topic[at].isAkin(w) {
				found = append(found, at)
			}
		}
	}
	return found
}

// setShared sets for each candidate the words that it shares with the subject. One word is enough if few candidates
// have it; two if they are less rare; else half of the topic's words. Of documents, a record must share half of its own
// words, and three at least.
func (s *Subject) setShared(all []candidate) {
	in := make([]int, len(s.topic)) // the number of candidates with each word of the topic
	shared := make([][]int, len(all))
	for i := range all {
		shared[i] = s.sharedWords(slices.Concat(all[i].words, tagWords(all[i].record)))
		for _, at := range shared[i] {
			in[at]++
		}
	}
	rare, rather := max(3, len(all)/8), max(3, len(all)/3)
	for i := range all {
		var words []string
		half := 2*len(shared[i]) >= len(s.topic) && len(shared[i]) > 0
		for _, at := range shared[i] {
			if half || in[at] <= rather {
				words = append(words, s.topic[at].text)
				all[i].called = all[i].called || in[at] <= rare
			}
		}
		if half || all[i].called || len(words) > 1 {
			all[i].shares = "shares " + joinNames(words, quote) + " with the topic"
			continue
		}
		var also []string
		for _, w := range all[i].words {
			if s.documents[w.stem()] && !slices.Contains(also, w.text) {
				also = append(also, w.text)
			}
		}
		if len(also) > 2 && 2*len(also) >= len(all[i].words) {
			all[i].shares = "shares " + joinNames(also[:3], quote) + " with the documents"
		}
	}
}

// tagWords returns the words of a record's tags: of the topic on which it came up first, and of persons.
func tagWords(r *Record) []word {
	var words []word
	for _, tag := range r.Tags {
		if !strings.Contains(tag, ":") && !commonplace[tag] {
			words = append(words, word{text: tag})
		}
	}
	return words
}

// isSimilar reports whether two candidates of a kind say nearly the same: they share seven tenths of the words of the
// longer, have the same negations, and neither has a name or a number more.
func (c *candidate) isSimilar(d *candidate) bool {
	const least = 3
	longer := max(len(c.words), len(d.words))
	if min(len(c.words), len(d.words)) < least || c.negated != d.negated {
		return false
	}
	both, all := c.countShared(d)
	_, also := d.countShared(c)
	return all && also && 10*both >= 7*longer
}

// countShared counts the words that another candidate has too, and reports whether it has all names and numbers.
func (c *candidate) countShared(by *candidate) (n int, names bool) {
	names = true
	for i, w := range c.words {
		if slices.ContainsFunc(by.words, w.isAkin) {
			n++
		} else if w.exact || w.name && i > 0 {
			names = false
		}
	}
	return n, names
}

// Characters of a person's own notes that a session is given.
const (
	NotesSize = 8000
	noteSize  = NotesSize / 2 // of one note
	noteLeast = 200           // of one note that is cut
)

// ChooseNotes chooses from a person's notes those for a session on a topic: first MEMORY.md, then the items that share
// telling words with the topic, those with most of them first, then the days, the newest first, until [NotesSize]
// characters are full. A note that is too long is cut, if possible after a line, and says by how much. Notes that are
// left out are counted by reason.
func ChooseNotes(topic string, notes []council.Document) (told []council.Document, left []council.Skipped) {
	all := rankNotes(topic, notes)
	slices.SortStableFunc(all, func(a, b ownNote) int {
		newer := 0
		if a.rank == noteDay {
			newer = cmp.Compare(b.Name, a.Name)
		}
		return cmp.Or(a.rank-b.rank, newer, b.shares-a.shares)
	})
	leave := func(reason string, n council.Document) {
		i := slices.IndexFunc(left, func(s council.Skipped) bool { return s.Reason == reason })
		if i < 0 {
			left = append(left, council.Skipped{Reason: reason, Notes: true})
			i = len(left) - 1
		}
		left[i].Add(council.LeftFile{Name: n.Name, Bytes: int64(len(n.Text))})
	}
	room := NotesSize
	for _, n := range all {
		tell, size, may := n.Document, utf8.RuneCountInString(n.Text), min(room, noteSize)
		switch {
		case n.rank == noteItem && n.shares == 0:
			leave("it shares no telling words with the topic", tell)
			continue
		case may < min(size, noteLeast):
			leave(fmt.Sprintf("members are told %s characters of notes, and those before it took them",
				plural.Thousands(NotesSize)), tell)
			continue
		case size > may:
			text := cutNote(n.Text, may)
			tell = council.NewDocument(n.Name, text)
			tell.Note = &council.OwnNote{Left: size - utf8.RuneCountInString(text)}
		}
		room -= utf8.RuneCountInString(tell.Text)
		told = append(told, tell)
	}
	return told, left
}

type ownNote struct {
	council.Document
	rank   int // 0 comes first
	shares int // of an item: the number of the topic's telling words that it has
}

// The ranks of notes: others, such as MEMORY.md, come first.
const (
	noteItem = 1
	noteDay  = 2
)

// cutNote returns at most n characters from the beginning of a text, with whole lines unless they are long.
func cutNote(text string, n int) string {
	text = string([]rune(text)[:n])
	if end := strings.LastIndexByte(text, '\n'); end >= len(text)/2 {
		return text[:end+1]
	}
	return text
}

// rankNotes ranks notes. Of the topic's telling words, those count that not most of four or more items have.
func rankNotes(topic string, notes []council.Document) []ownNote {
	about := About(council.Topic{Text: topic})
	all, has := make([]ownNote, len(notes)), make([][]int, len(notes)) // and the indexes of the topic's words in each
	in, items := make([]int, len(about.topic)), 0
	for i, n := range notes {
		all[i] = ownNote{Document: n, rank: slices.Index([]string{"items", "daily"}, path.Base(path.Dir(n.Name))) + 1}
		if all[i].rank == noteItem {
			items++
			has[i] = about.sharedWords(tellingWords(normalize(n.Text)))
		}
		for _, at := range has[i] {
			in[at]++
		}
	}
	for i := range all {
		for _, at := range has[i] {
			if items < 4 || 2*in[at] <= items {
				all[i].shares++
			}
		}
	}
	return all
}

const mostConflicts = 2

type decision struct {
	*Record
	topic, title normalizedText
}

// conflictsAmong lists the pairs of decisions among records that may conflict, each in both orders.
func conflictsAmong(records []*Record) (pairs [][2]*Record) {
	var all []decision
	for _, r := range records {
		if r.Kind == KindDecision {
			title, _, _ := strings.Cut(r.Summary, ": ")
			all = append(all, decision{r, normalize(r.topic()), normalize(title)})
		}
	}
	for _, d := range all {
		for _, o := range all {
			if d.mayConflict(o) {
				pairs = append(pairs, [2]*Record{d.Record, o.Record})
			}
		}
	}
	return pairs
}

// mayConflict reports whether two decisions of different sessions have, by their words, the same matter or one a part
// of the other's: by their questions, or by titles of three words or more. Two characters without spaces are a word.
func (d decision) mayConflict(o decision) bool {
	if d.Rehearsed != o.Rehearsed || slices.ContainsFunc(d.Evidence, func(e Evidence) bool {
		return slices.ContainsFunc(o.Evidence, func(at Evidence) bool { return at.SessionID == e.SessionID })
	}) {
		return false
	}
	return phaseOf(d.Record) == phaseOf(o.Record) && d.topic.Same(o.topic) ||
		len(d.title.words)+len(d.title.run)/2 >= 3 && d.title.Same(o.title)
}

// MayConflict lists pairs of active decisions: one that a session made or confirmed, and another with which it may
// conflict. A session replaces only decisions that its motion names, so a person is shown the others.
func (b Book) MayConflict(session council.SessionID) [][2]*Record {
	var active []*Record
	for i := range b.Records {
		if r := &b.Records[i]; r.Status == StatusActive {
			active = append(active, r)
		}
	}
	return slices.DeleteFunc(conflictsAmong(active),
		func(pair [2]*Record) bool { return pair[0].countEvidence(session) == 0 })
}
