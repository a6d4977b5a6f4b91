package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

// store is all books of a council, as a program would keep them.
type store struct {
	books map[council.MemberID]memory.Book
	left  []memory.Record
}

func newStore() *store {
	s := &store{books: map[council.MemberID]memory.Book{}}
	for _, m := range owners() {
		s.books[m] = memory.Book{Member: m}
	}
	return s
}

func owners() []council.MemberID { return []council.MemberID{"", ada, boole, curie} }

func (s *store) close(session memory.Session) {
	for _, m := range owners() {
		before, told := s.books[m], fmt.Sprintf("%+v", s.books[m].Records)
		after, left := memory.FoldSession(before, session)
		if fmt.Sprintf("%+v", before.Records) != told {
			panic("the fold changed the book that it was given")
		}
		s.books[m], s.left = after, append(s.left, left...)
	}
}

// reminders returns the reminders of a session that opens at the given time.
func (s *store) reminders(at time.Time) []council.Reminder {
	var all []council.Reminder
	for _, m := range owners() {
		if r := memory.Digest(s.books[m], at, memory.Subject{}, council.ReminderSize, false); len(r.Records) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// all lists the records of all books.
func (s *store) all() (all []memory.Record) {
	for _, m := range owners() {
		all = append(all, s.books[m].Records...)
	}
	return all
}

// find returns the record of a book whose summary begins as given.
func (s *store) find(t testing.TB, m council.MemberID, summary string) memory.Record {
	t.Helper()
	for _, r := range s.books[m].Records {
		if strings.HasPrefix(r.Summary, summary) {
			return r
		}
	}
	t.Fatalf("nothing in the book of %q begins %q:\n%s", m, summary, told(s.books[m]))
	return memory.Record{}
}

// told returns the text of a book for a golden file.
func told(b memory.Book) string { return string(memory.BookPage(b)) }

// Read testdata/nats.txt for what four sessions leave.
func TestFold_Story(t *testing.T) {
	s := newStore()
	var got strings.Builder
	for _, tell := range story {
		closed, later := upTo(tell(t, s).hold(t))
		s.close(closed)
		if later.From > 1 {
			s.close(later)
		}
	}
	for _, m := range owners() {
		fmt.Fprintf(&got, "%s\n", told(s.books[m]))
	}
	file := filepath.Join("testdata", "nats.txt")
	if *memory.Rewrite {
		check.OK(t, os.MkdirAll("testdata", 0o755))
		check.OK(t, os.WriteFile(file, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	check.OK(t, err)
	check.Equal(t, "books", string(want), got.String())
}
