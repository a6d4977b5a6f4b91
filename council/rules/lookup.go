package rules

import (
	"github.com/council-engine/council/council"
)

// checkUses holds what a member looked up against what its charter lets it: who, how often, how much. What a tool said
// is not judged.
func (s *Session) checkUses(id council.MemberID, uses []council.ToolUse) error {
	if len(uses) == 0 {
		return nil
	}
	m := s.charter.Member(id)
	if m == nil || m.Tools == nil {
		return badReply("%s has no tools", id)
	}
	if may := m.Tools.Calls(council.Uses(s.log, id)); len(uses) > may {
		return badReply("%s may call tools %d times more, not %d times", id, may, len(uses))
	}
	for _, u := range uses {
		if len(u.Result) > m.Tools.Bytes() {
			return badReply("a result has at most %d bytes", m.Tools.Bytes())
		}
		if u.SHA256 != council.Digest(u.Result) {
			return badReply("a result of %s is not what its SHA-256 says", u.Tool)
		}
	}
	return nil
}
