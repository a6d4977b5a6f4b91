package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// checkOpening returns why a session cannot begin like this, or nil.
func checkOpening(p council.SessionStarted) error {
	bad := func(pointer, problem string) error { return &council.CharterError{Pointer: pointer, Problem: problem} }
	if p.Rules != Version {
		return bad("/rules", "the session was opened under other rules than this version of council follows")
	}
	if p.Session == "" {
		return bad("/session", "the session has no id")
	}
	if strings.TrimSpace(p.Topic.Text) == "" {
		return bad("/topic/text", "the topic is empty")
	}
	for _, d := range p.Topic.Documents {
		if council.Digest(d.Text) != d.SHA256 {
			return bad("/topic/documents", "document "+d.Name+" is not what its SHA-256 says")
		}
	}
	if r := p.Topic.Reopens; r != nil {
		n := utf8.RuneCountInString(r.Because)
		given := func(name string) bool {
			return slices.ContainsFunc(p.Topic.Documents, func(d council.Document) bool { return d.Name == name })
		}
		switch {
		case r.Session == "" || r.Session == p.Session:
			return bad("/topic/reopens/session", "a session that is taken up again is another one, and has an id")
		case n > council.MaxNote || strings.TrimSpace(r.Because) == "":
			return bad("/topic/reopens/because", "a session is taken up again for a reason of 1 to 2,000 characters")
		case !given(r.Record) || r.Draft != "" && !given(r.Draft):
			return bad("/topic/reopens", "what is taken up again is not among the documents")
		}
	}
	if err := charter.Check(&p.Charter); err != nil {
		return err
	}
	if why := p.Charter.CannotHold(p.Charter.Budget); why != "" {
		return bad("/budget", why)
	}
	return checkMemory(&p.Charter, p.Memory)
}

// The forms of memory's ids, kinds and dates. Ids of turns begin with the id of their session.
var (
	memoryID   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	memoryKind = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)
	memoryDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

// isMemoryID looks at the length apart: counted in an expression, it makes every start of the program slow.
func isMemoryID(id string) bool { return len(id) <= 200 && memoryID.MatchString(id) }

const maxSpeaker = 200

// sortReminders returns the reminders that have records: the council's first, then the members' in seat order. One of
// an unknown member comes last, and is refused there.
func sortReminders(c *council.Charter, memory []council.Reminder) []council.Reminder {
	memory = slices.DeleteFunc(slices.Clone(memory), func(r council.Reminder) bool { return len(r.Records) == 0 })
	if len(memory) == 0 {
		return nil
	}
	seats := c.Seats()
	slices.SortStableFunc(memory, func(a, b council.Reminder) int {
		return seatIndex(seats, a.Member) - seatIndex(seats, b.Member)
	})
	return memory
}

// seatIndex returns a member's place, 0 for the council itself.
func seatIndex(seats []council.MemberID, m council.MemberID) int {
	if m == "" {
		return 0
	}
	if i := slices.Index(seats, m); i >= 0 {
		return i + 1
	}
	return len(seats) + 1
}

// checkMemory returns why a session cannot begin with these reminders, or nil.
func checkMemory(c *council.Charter, memory []council.Reminder) error {
	seats, last := c.Seats(), -1
	for i, r := range memory {
		at := fmt.Sprintf("/memory/%d", i)
		seat := seatIndex(seats, r.Member)
		switch {
		case seat > len(seats):
			return badReminder(at, "there is no member %q to be reminded", r.Member)
		case seat == last:
			who := "the council"
			if r.Member != "" {
				who = "member " + string(r.Member)
			}
			return badReminder(at, "%s is reminded twice", who)
		case seat < last:
			return badReminder(at, "the council's reminder comes first, then those of the members in seat order")
		}
		last = seat
		if err := checkReminder(at, r); err != nil {
			return err
		}
	}
	return nil
}

func checkReminder(at string, r council.Reminder) error {
	if n := len(r.Records); n == 0 || n > council.MaxReminded || r.Left < 0 {
		return badReminder(at, "a reminder has 1 to %d records, not %d", council.MaxReminded, n)
	}
	seen, size := map[string]bool{}, 0
	for i, m := range r.Records {
		where := fmt.Sprintf("%s/records/%d", at, i)
		summary, detail := utf8.RuneCountInString(m.Summary), utf8.RuneCountInString(m.Detail)
		switch {
		case !isMemoryID(m.ID) || !memoryKind.MatchString(m.Kind) || !memoryDate.MatchString(m.Date):
			return badReminder(where, "the record has no proper id, kind or date")
		case m.Session != "" && !isMemoryID(string(m.Session)), m.Alike < 0,
			utf8.RuneCountInString(m.Vote) > maxSpeaker:
			return badReminder(where, "record %s has no proper session, vote or count", m.ID)
		case seen[m.ID]:
			return badReminder(where, "record %s stands there twice", m.ID)
		case strings.TrimSpace(m.Summary) == "":
			return badReminder(where, "record %s says nothing", m.ID)
		case summary > council.MaxRememberedSummary || detail > council.MaxRememberedDetail:
			return badReminder(where, "record %s is too long: a summary has at most %d characters, a detail at most %d",
				m.ID, council.MaxRememberedSummary, council.MaxRememberedDetail)
		}
		seen[m.ID] = true
		size += summary + detail
	}
	if size > council.MaxReminder {
		return badReminder(at, "the reminder has %d characters; at most %d are allowed", size, council.MaxReminder)
	}
	return nil
}

func badReminder(at, format string, args ...any) error {
	return &council.CharterError{Pointer: at, Problem: fmt.Sprintf(format, args...)}
}

// reminders returns the reminders that a member may see, where last is the phase that was entered last.
func (r *record) reminders(m council.MemberID, last council.PhaseID) []council.Reminder {
	own := r.charter.ReadsMemberMemory(last)
	var shown []council.Reminder
	for _, reminder := range r.memory {
		if reminder.Member == "" || own && reminder.Member == m {
			shown = append(shown, reminder)
		}
	}
	return shown
}

// checkRecall returns why the session cannot be given these recollections, or nil.
func (r *record) checkRecall(m council.MemoryRecalled) error {
	switch n := len(m.Hits); {
	case len(r.log) != 1:
		return badRuling("memory is recalled directly after %s or not at all", council.TypeOf[council.SessionStarted]())
	case n == 0 || n > council.MaxRecollections:
		return badRuling("1 to %d recollections are told, not %d", council.MaxRecollections, n)
	case utf8.RuneCountInString(m.Query) > council.MaxRecallQuery || strings.TrimSpace(m.Query) == "":
		return badRuling("what memory was searched for has 1 to %d characters", council.MaxRecallQuery)
	}
	seen := map[string]bool{}
	for _, hit := range m.Hits {
		switch size := utf8.RuneCountInString(hit.Text); {
		case !isMemoryID(hit.ID) || !memoryDate.MatchString(hit.Date):
			return badRuling("recollection %q has no proper id or date", hit.ID)
		case hit.Kind != council.RecalledTurn && hit.Kind != council.RecalledEpisode && hit.Kind != council.RecalledRecord:
			return badRuling("recollection %s is a turn, an episode or a record, not a %q", hit.ID, hit.Kind)
		case hit.Session != "" && !isMemoryID(string(hit.Session)),
			utf8.RuneCountInString(hit.Speaker) > maxSpeaker:
			return badRuling("recollection %s has no proper session or speaker", hit.ID)
		case seen[hit.ID]:
			return badRuling("recollection %s stands there twice", hit.ID)
		case size > council.MaxRecollection || strings.TrimSpace(hit.Text) == "":
			return badRuling("recollection %s has %d characters; 1 to %d are told", hit.ID, size, council.MaxRecollection)
		}
		seen[hit.ID] = true
	}
	return nil
}
