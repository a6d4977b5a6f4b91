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
	all := ranked(topic, notes)
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

// maxLeftNames is how many names of what is left out for one reason are kept.
const maxLeftNames = 20

// ownNote is a note with what decides whether it is told.
type ownNote struct {
	council.Document
	rank   int   // what is told first
	shares int   // of an item: how many of the topic's telling words it has
	has    []int // which of them, those included that most items have
}

// The ranks of notes: others, such as MEMORY.md, come first.
const (
	noteItem = 1
	noteDay  = 2
)

// cutNote returns the beginning of a text, of at most n characters, with whole lines where it is not one long line.
func cutNote(text string, n int) string {
	text = string([]rune(text)[:n])
	if end := strings.LastIndexByte(text, '\n'); end >= len(text)/2 {
		return text[:end+1]
	}
	return text
}

// ranked returns notes with what decides whether they are told. Of the topic's telling words, those count that not most
// of four or more items have.
func ranked(topic string, notes []council.Document) []ownNote {
	about := About(council.Topic{Text: topic})
	all := make([]ownNote, len(notes))
	in, items := make([]int, len(about.topic)), 0
	for i, n := range notes {
		all[i] = ownNote{Document: n, rank: slices.Index([]string{"items", "daily"}, path.Base(path.Dir(n.Name))) + 1}
		if all[i].rank == noteItem {
			items++
			all[i].has = about.shared(telling(matterOf(n.Text)))
		}
		for _, at := range all[i].has {
			in[at]++
		}
	}
	for i := range all {
		for _, at := range all[i].has {
			if items < 4 || 2*in[at] <= items {
				all[i].shares++
			}
		}
	}
	return all
}
