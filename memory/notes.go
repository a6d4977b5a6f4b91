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

// How many characters of a person's own notes a session is told: in all, and of one. A note for which less than
// noteLeast is left is left out, unless that is enough for it.
const (
	NotesSize = 8000
	noteSize  = NotesSize / 2
	noteLeast = 200
)

// TellNotes chooses from a person's notes what a session on a topic is told: first MEMORY.md, then the items that share
// telling words with the topic, those with most of them first, then the days, the newest first, until [NotesSize]
// characters are full. A note that is too long is cut, where possible after a line, and says by how much. What is left
// out is counted by reason.
func TellNotes(topic string, notes []council.Document) (told []council.Document, left []council.Skipped) {
	shares := sharing(topic, notes)
	order := make([]int, len(notes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := notes[i].Name, notes[j].Name
		if n := cmp.Compare(noteRank(a), noteRank(b)); n != 0 {
			return n
		}
		if noteRank(a) == noteDay {
			return cmp.Compare(b, a)
		}
		return shares[j] - shares[i]
	})
	leave := func(reason string, n council.Document) {
		i := slices.IndexFunc(left, func(s council.Skipped) bool { return s.Reason == reason })
		if i < 0 {
			left = append(left, council.Skipped{Reason: reason})
			i = len(left) - 1
		}
		left[i].Count++
		left[i].Bytes += int64(len(n.Text))
		if len(left[i].Names) < maxLeftNames {
			left[i].Names = append(left[i].Names, n.Name)
		}
	}
	room := NotesSize
	for _, i := range order {
		n := notes[i]
		size := utf8.RuneCountInString(n.Text)
		may := min(room, noteSize)
		switch {
		case noteRank(n.Name) == noteItem && shares[i] == 0:
			leave("it shares no telling words with the topic", n)
			continue
		case may < min(size, noteLeast):
			leave(fmt.Sprintf("members are told %s characters of notes, and those before it took them",
				plural.Thousands(NotesSize)), n)
			continue
		case size > may:
			text := cutNote(n.Text, may)
			n = council.NewDocument(n.Name, text)
			n.Note = &council.OwnNote{Left: size - utf8.RuneCountInString(text)}
		}
		room -= utf8.RuneCountInString(n.Text)
		told = append(told, n)
	}
	return told, left
}

// maxLeftNames is how many names of what is left out for one reason are kept.
const maxLeftNames = 20

// The ranks of notes: what is told first.
const (
	noteMain = iota
	noteItem
	noteDay
)

func noteRank(name string) int {
	return slices.Index([]string{"items", "daily"}, path.Base(path.Dir(name))) + 1
}

// cutNote returns the beginning of a text, of at most n characters, with whole lines where it is not one long line.
func cutNote(text string, n int) string {
	text = string([]rune(text)[:n])
	if end := strings.LastIndexByte(text, '\n'); end >= len(text)/2 {
		return text[:end+1]
	}
	return text
}

// sharing returns for each item how many of the topic's telling words it has: those that not most of four or more items
// have. Other notes have none.
func sharing(topic string, notes []council.Document) []int {
	about := About(council.Topic{Text: topic})
	has := make([][]int, len(notes))
	in, items := make([]int, len(about.topic)), 0
	for i, n := range notes {
		if noteRank(n.Name) != noteItem {
			continue
		}
		items++
		has[i] = about.shared(telling(matterOf(n.Text)))
		for _, at := range has[i] {
			in[at]++
		}
	}
	shares := make([]int, len(notes))
	for i := range notes {
		for _, at := range has[i] {
			if items < 4 || 2*in[at] <= items {
				shares[i]++
			}
		}
	}
	return shares
}
