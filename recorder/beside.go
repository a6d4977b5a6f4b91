package recorder

import (
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
)

// Beside is what a session's members were asked and that no event of its log holds. It depends on which of several
// members was faster, and on crashes, so it is evidence and no part of the record.
type Beside struct {
	Paid map[council.AskID]council.Usage // what the replies to a question took, all tries together
	Cut  map[council.AskID]int           // how often a question was put without an answer: nobody knows whether that was billed
}

// Beside reads the conversations of a session. recorded reports whether the log holds an answer to a question. It locks
// and changes nothing.
func (r *Root) Beside(id council.SessionID, recorded func(council.AskID) bool) (b Beside, err error) {
	files, err := r.folder(id)
	if err != nil {
		return b, err
	}
	defer files.Close()
	if b.Cut, err = readDoubts(files); err != nil {
		return b, err
	}
	b.Paid = map[council.AskID]council.Usage{}
	members, err := conversation.Members(files)
	for i := 0; i < len(members) && err == nil; i++ {
		err = b.read(files, id, members[i], recorded)
	}
	return b, plain(files.Path(), err)
}

func (b *Beside) read(files atomicfile.Files, id council.SessionID, m council.MemberID, recorded func(council.AskID) bool) error {
	found, err := conversation.Read(files, id, m)
	if err != nil {
		return err
	}
	maps.Copy(b.Paid, conversation.Paid(found.Lines))
	maps.DeleteFunc(b.Paid, func(ask council.AskID, _ council.Usage) bool { return recorded(ask) })
	for _, ask := range slices.DeleteFunc(conversation.Unanswered(found.Lines), recorded) {
		b.Cut[ask]++
	}
	return nil
}
