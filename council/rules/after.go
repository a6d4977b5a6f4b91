package rules

import (
	"slices"

	"github.com/council-engine/council/council"
)

// After returns what a member of a closed session knew when it closed, for a question that is put to it afterwards: the
// view goes on with what is asked and answered then, which stands in no log and decides nothing. ok is false while the
// session is not closed.
func (s *Session) After(m council.MemberID) (v council.View, ok bool) {
	closed := slices.IndexFunc(s.log, func(e council.Event) bool {
		_, ok := e.Payload.(council.SessionClosed)
		return ok
	})
	v = s.View(council.Ask{Kind: council.AskReply, Member: m, AsOf: council.Seq(closed + 1)})
	v.Phase, v.Round, v.Turn, v.Motion, v.MayAsk = nil, 0, 0, nil, false
	return v, closed >= 0
}
