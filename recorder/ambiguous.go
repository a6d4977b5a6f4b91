package recorder

import (
	"reflect"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/wire"
)

// Ambiguous lists the questions of all members that were put, but neither answered nor failed when the last process
// ended, and that the log does not settle: whether they were paid for is unknown. A session asks them again.
func (s *Session) Ambiguous() ([]council.AskID, error) {
	if s.err != nil {
		return nil, s.err
	}
	members, err := taped(s.files)
	if err != nil {
		return nil, err
	}
	settled := map[council.AskID]bool{}
	for _, e := range s.entries {
		if a, ok := answered(e); ok {
			settled[a.Ask] = true
		}
	}
	var asks []council.AskID
	for _, m := range members {
		c, err := s.Conversation(m)
		if err != nil {
			return nil, err
		}
		asks = append(asks, slices.DeleteFunc(c.Ambiguous(), func(a council.AskID) bool { return settled[a] })...)
	}
	return asks, nil
}

// taped lists the members that have a conversation in the session's folder.
func taped(session atomicfile.Files) ([]council.MemberID, error) {
	if _, err := session.Lstat(conversationsFolder); err != nil {
		return nil, nil // nobody has been asked anything
	}
	files, err := session.Folder(conversationsFolder)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	entries, err := files.List()
	if err != nil {
		return nil, err
	}
	var members []council.MemberID
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && memberForm.MatchString(id) {
			members = append(members, council.MemberID(id))
		}
	}
	return members, nil
}

// answered is the reply that an event records, if it records one.
func answered(e wire.Entry) (council.Answered, bool) {
	field := reflect.ValueOf(e.Payload).FieldByName("Answered")
	if !field.IsValid() {
		return council.Answered{}, false
	}
	a, ok := field.Interface().(council.Answered)
	return a, ok
}
