package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// journalLine is one line of the journal, but for its sum.
type journalLine struct {
	Format int `json:"format"`
	memory.Step
	Standing standing `json:"standing"`
}

// standing sums up the journal up to a line, so that it need not be read whole.
type standing struct {
	Latest time.Time      `json:"latest"` // of the times of all steps
	Books  map[string]int `json:"books"`  // by owner: the last step that concerns the book
}

// concerns lists whose books a step concerns: every session the council's, and its members'.
func concerns(s memory.Step) []owner {
	if s.Change != nil {
		return []owner{owner(s.Change.Member)}
	}
	all := []owner{""}
	for _, m := range s.Session.Members {
		all = append(all, owner(m))
	}
	return all
}

// key returns an owner in the standing. No member can be called like the council there.
func (o owner) key() string { return cmp.Or(string(o), "COUNCIL") }

// Last returns the last step that concerns a book; 0 when there is none.
func (st standing) Last(o owner) int { return st.Books[o.key()] }

// Owners lists those whose books the journal concerns, the council first.
func (st standing) Owners() []owner {
	var all []owner
	for name := range st.Books {
		if name == owner("").key() {
			name = ""
		}
		all = append(all, owner(name))
	}
	slices.Sort(all)
	return all
}

// follow returns the line of a step that comes after this one, and numbers it.
func (l journalLine) follow(s memory.Step) journalLine {
	s.N = l.N + 1
	next := journalLine{Format: memory.Format, Step: s, Standing: standing{l.Standing.Latest, map[string]int{}}}
	maps.Copy(next.Standing.Books, l.Standing.Books)
	if s.At.After(next.Standing.Latest) {
		next.Standing.Latest = s.At
	}
	for _, o := range concerns(s) {
		next.Standing.Books[o.key()] = s.N
	}
	return next
}

// leadsTo holds a line against the one before it.
func (l journalLine) leadsTo(next journalLine) error {
	want := l.follow(next.Step)
	switch {
	case next.N != want.N:
		return fmt.Errorf("it is step %d in the place of step %d", next.N, want.N)
	case !maps.Equal(want.Standing.Books, next.Standing.Books) || !want.Standing.Latest.Equal(next.Standing.Latest):
		return errors.New("it does not say what the steps up to it come to")
	}
	return nil
}

// bytes returns the line as it is written after one with the previous sum.
func (l journalLine) bytes(previous string) (text []byte, sum string, err error) {
	object, err := wire.JSON(l)
	if err == nil {
		text, sum = chain.Seal(previous, object)
	}
	return text, sum, err
}

// parseLine reads a line without its newline. The sum is checked unless previous is empty.
func parseLine(text []byte, previous string) (journalLine, error) {
	var l struct {
		journalLine
		Sum string `json:"sum"`
	}
	if previous != "" {
		if _, err := chain.Check(previous, text); err != nil {
			return journalLine{}, err
		}
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&l); err != nil {
		if json.Unmarshal(text, &l) == nil && l.Format > memory.Format {
			return journalLine{}, newer(journalFile, l.Format)
		}
		return journalLine{}, errors.New("it is not a valid journal entry")
	}
	if l.Format > memory.Format {
		return journalLine{}, newer(journalFile, l.Format)
	}
	if l.N < 1 || (l.Session == nil) == (l.Change == nil) || l.Standing.Books == nil {
		return journalLine{}, errors.New("it is neither a session nor a change")
	}
	for _, o := range concerns(l.Step) {
		if _, err := ownerOf(council.MemberID(o)); err != nil {
			return journalLine{}, fmt.Errorf("it names %.80q as a member", string(o))
		}
	}
	return l.journalLine, nil
}
