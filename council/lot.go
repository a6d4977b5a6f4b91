package council

import (
	"cmp"
	"slices"
)

// DrawOrder returns entries in an order drawn for one matter of a session: that of the SHA-256 of session, matter and
// entry, each followed by a line feed, in hexadecimal. So it follows from the session's id alone.
func DrawOrder[T ~string](session SessionID, matter string, entries []T) []T {
	lot := make(map[T]string, len(entries))
	for _, e := range entries {
		lot[e] = Digest(string(session) + "\n" + matter + "\n" + string(e) + "\n")
	}
	return slices.SortedFunc(slices.Values(entries), func(a, b T) int { return cmp.Compare(lot[a], lot[b]) })
}

// DrawOptions returns options in the order in which they are listed to a member: one of its own where the charter
// shuffles them, but for persons and scripts, else as they are.
func (c *Charter) DrawOptions(session SessionID, member MemberID, options []string) []string {
	if m := c.Asked(member); !c.ShufflesOptions() || m == nil || m.Model.Kind().Person || m.Model.Kind().Scripted {
		return options
	}
	return DrawOrder(session, "options\n"+string(member), options)
}

// Pseudonyms returns the letters under which the members of a session know one another, such as C for "Member C". It is
// nil where they know one another by name.
func (c *Charter) Pseudonyms(session SessionID) map[MemberID]string {
	if !c.HidesPeers() {
		return nil
	}
	names := make(map[MemberID]string, len(c.Members))
	for i, id := range DrawOrder(session, "pseudonym", c.IDs()) {
		names[id] = letters(i)
	}
	return names
}

// letters counts A to Z, then AA and on.
func letters(i int) string {
	name := string(rune('A' + i%26))
	if i < 26 {
		return name
	}
	return letters(i/26-1) + name
}

// NumberedPositions returns the events that sealed a position in the order of their numbers: the first is Position 1 in
// the prompts of members that know one another under pseudonyms. It is nil for any other session.
func (c *Charter) NumberedPositions(session SessionID, events []Event) []Event {
	if !c.HidesPeers() {
		return nil
	}
	by := map[MemberID]Event{}
	var authors []MemberID
	for _, e := range events {
		if _, ok := e.Payload.(PositionSealed); ok {
			by[e.Actor], authors = e, append(authors, e.Actor)
		}
		if _, opened := e.Payload.(PositionsOpened); opened {
			break
		}
	}
	return Map(DrawOrder(session, "position", authors), func(m MemberID) Event { return by[m] })
}

// HidesPeers reports whether members know one another under pseudonyms.
func (c *Charter) HidesPeers() bool { return isTrue(c.Deliberation.AnonymizePeers) }

// HidesConfidence reports whether members are not shown one another's confidence.
func (c *Charter) HidesConfidence() bool { return isTrue(c.Deliberation.HideConfidence) }

// ShufflesOptions reports whether each member is shown the options in an order of its own.
func (c *Charter) ShufflesOptions() bool { return isTrue(c.Deliberation.ShuffleOptions) }

func isTrue(setting *bool) bool { return setting != nil && *setting }
