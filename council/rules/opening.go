package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
)

// MinConfidence is the least confidence at which a sealed position counts as settled under contestedOnly.
const MinConfidence = 0.8

// election is the choice of the leader, with the sealed positions before it.
type election struct {
	*record
	retries int // how often all positions were asked for anew
	ranking []council.MemberID
}

// begin puts the first questions. They are put again after memory was recalled, and where no position was usable.
func (l *election) begin() step {
	if !l.charter.Deliberation.SealedPositions {
		return l.call()
	}
	place := ""
	if l.retries > 0 {
		place = "o" + strconv.Itoa(l.retries+1) + "."
	}
	return l.ask(council.AskPosition, place, l.seats...)
}

// call asks for votes for a leader, or counts those that the positions named.
func (l *election) call() step {
	if l.charter.Deliberation.ElectWithPositions {
		return l.countVotes()
	}
	return l.ask(council.AskNominate, "", l.seats...)
}

// positionPayload checks a sealed position, with its ranking of the options, of which the first is its stance.
func (l *election) positionPayload(answered council.Answered, b council.Position, options []string,
) (council.Payload, error) {
	if !(b.Confidence >= 0 && b.Confidence <= 1) {
		return nil, badReply("confidence must lie between 0 and 1")
	}
	if !l.charter.Deliberation.ElectWithPositions || !slices.Contains(l.seats, b.CandidateID) {
		b.CandidateID = ""
	}
	if len(options) == 0 {
		b.Ranking, b.UnreadRanking, b.Stance = nil, nil, l.stanceOf(b.Stance)
	} else if _, ok := b.Ranking.Of(options); !ok {
		return nil, errRanking
	} else {
		b.Stance = b.Ranking.First()
	}
	return council.PositionSealed{Answered: answered, Position: b}, requireText("position", b.Position)
}

// openPositions opens the positions. Without a usable one the session is suspended before more is paid for. The
// council agrees if all seal the same stance and are sure of it.
func (l *election) openPositions() step {
	sealed, stances := 0, map[council.Stance]bool{}
	for _, p := range council.Payloads[council.PositionSealed](l.log) {
		stance := council.StanceOf(p.Stance)
		if p.Confidence < MinConfidence {
			stance = ""
		}
		sealed, stances[stance] = sealed+1, true
	}
	if sealed == 0 {
		return due(council.SessionSuspended{Fault: council.Fault{Kind: council.FaultUnusable,
			Message: "no member gave a usable position"}})
	}
	agreed := l.charter.Deliberation.ContestedOnly && sealed == len(l.seats) && len(stances) == 1 && !stances[""]
	return due(council.PositionsOpened{Sealed: sealed, Absent: len(l.seats) - sealed, Agreed: agreed})
}

// countBaseline counts the sealed positions as if they were ballots; without an answer the election goes on.
func (l *election) countBaseline() step {
	b := council.Baseline{}
	options, ranks := l.charter.Options, map[council.MemberID]quorum.Ranking{}
	for e, p := range council.Payloads[council.PositionSealed](l.log) {
		ranks[e.Actor], _ = p.Ranking.Of(options)
	}
	if len(options) == 0 {
		for i, one := range l.namedStances() {
			for _, m := range one.HeldBy {
				ranks[m] = quorum.Ranking{{i}}
			}
			options, b.Held = append(options, one.Answer), append(b.Held, one.HeldBy)
		}
	}
	ranked := func(m council.MemberID) bool { return len(ranks[m]) > 0 }
	if !slices.ContainsFunc(l.seats, ranked) {
		return l.call()
	}
	b.Decision, b.Choice = countRankings(l.charter.DecidingPhase().Governance, l.seats, options, ranks, 0)
	return due(b)
}

// namedStances lists the answers that positions name, in the words and the order of first naming.
func (r *record) namedStances() (all []council.Held) {
	for e, p := range council.Payloads[council.PositionSealed](r.log) {
		stance := council.StanceOf(p.Stance)
		switch at := slices.IndexFunc(all, func(one council.Held) bool { return council.StanceOf(one.Answer) == stance }); {
		case stance == "":
		case at < 0:
			all = append(all, council.Held{Answer: p.Stance, HeldBy: []council.MemberID{e.Actor}})
		default:
			all[at].HeldBy = append(all[at].HeldBy, e.Actor)
		}
	}
	return all
}

// countVotes makes the result of the election due: the members ranked by votes, equals by lot.
func (l *election) countVotes() step {
	result, votes := council.LeaderElected{Absent: len(l.seats)}, map[council.MemberID]int{}
	count := func(candidate council.MemberID) {
		result.Absent--
		if votes[candidate]++; candidate == "" {
			result.Invalid++
		}
	}
	for _, e := range l.log {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			if l.charter.Deliberation.ElectWithPositions {
				count(p.CandidateID)
			}
		case council.LeaderBallotCast:
			count(p.CandidateID)
		case council.MemberFaulted:
			if p.Kind == council.AskNominate && p.Standing == council.StandingInvalid {
				count("")
			}
		}
	}
	ranking := council.DrawOrder(l.id, "election", l.seats)
	slices.SortStableFunc(ranking, func(a, b council.MemberID) int { return votes[b] - votes[a] })
	result.Leader, result.Tie, result.Ranking = ranking[0], votes[ranking[0]] == votes[ranking[1]], ranking
	for _, m := range ranking {
		if votes[m] > 0 {
			result.Votes = append(result.Votes, council.CandidateVotes{Candidate: m, Votes: votes[m]})
		}
	}
	return due(result)
}

// checkOpening returns why a session cannot begin like this, or nil.
func checkOpening(p council.SessionStarted) error {
	switch {
	case p.Rules != Version:
		return badOpening("/rules", "the session was opened under other rules than this version of council follows")
	case p.Session == "":
		return badOpening("/session", "the session has no id")
	case strings.TrimSpace(p.Topic.Text) == "":
		return badOpening("/topic/text", "the topic is empty")
	}
	for _, d := range p.Topic.Documents {
		if council.Digest(d.Text) != d.SHA256 {
			return badOpening("/topic/documents", "document %s is not what its SHA-256 says", d.Name)
		}
	}
	if r := p.Topic.Reopens; r != nil {
		n := utf8.RuneCountInString(r.Because)
		given := func(name string) bool {
			return slices.ContainsFunc(p.Topic.Documents, func(d council.Document) bool { return d.Name == name })
		}
		switch {
		case r.Session == "" || r.Session == p.Session:
			return badOpening("/topic/reopens/session", "a session that is taken up again is another one, and has an id")
		case n > council.MaxNote || strings.TrimSpace(r.Because) == "":
			return badOpening("/topic/reopens/because", "a session is taken up again for a reason of 1 to 2,000 characters")
		case !given(r.Record) || r.Draft != "" && !given(r.Draft):
			return badOpening("/topic/reopens", "what is taken up again is not among the documents")
		}
	}
	if err := charter.Check(&p.Charter); err != nil {
		return err
	}
	if c, d := &p.Charter, p.Charter.Deliberation; c.IsAuto() &&
		(len(c.Phases) != 1 || !d.SealedPositions || !d.ElectWithPositions) {
		return badOpening("/deliberation/pace", "the charter was not changed to its pace: see charter.SetPace")
	}
	if why := p.Charter.CannotHold(p.Charter.Budget); why != "" {
		return badOpening("/budget", "%s", why)
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

// checkMemory returns why a session cannot begin with these reminders, or nil.
func checkMemory(c *council.Charter, memory []council.Reminder) error {
	left := append([]council.MemberID{""}, c.Seats()...)
	for i, r := range memory {
		at, next := fmt.Sprintf("/memory/%d", i), slices.Index(left, r.Member)
		if next < 0 {
			return badOpening(at,
				"reminders are for the council and then the members in seat order, once each; %q is not next", r.Member)
		}
		left = left[next+1:]
		if err := checkReminder(at, r); err != nil {
			return err
		}
	}
	return nil
}

func checkReminder(at string, r council.Reminder) error {
	if n := len(r.Records); n == 0 || n > council.MaxReminded || r.Left < 0 {
		return badOpening(at, "a reminder has 1 to %d records, not %d", council.MaxReminded, n)
	}
	seen, size := map[string]bool{}, 0
	for i, m := range r.Records {
		where := fmt.Sprintf("%s/records/%d", at, i)
		summary, detail := utf8.RuneCountInString(m.Summary), utf8.RuneCountInString(m.Detail)
		switch {
		case !isMemoryID(m.ID) || !memoryKind.MatchString(m.Kind) || !memoryDate.MatchString(m.Date):
			return badOpening(where, "the record has no proper id, kind or date")
		case m.Session != "" && !isMemoryID(string(m.Session)), m.Alike < 0,
			utf8.RuneCountInString(m.Vote) > maxSpeaker:
			return badOpening(where, "record %s has no proper session, vote or count", m.ID)
		case seen[m.ID]:
			return badOpening(where, "record %s stands there twice", m.ID)
		case strings.TrimSpace(m.Summary) == "":
			return badOpening(where, "record %s says nothing", m.ID)
		case summary > council.MaxRememberedSummary || detail > council.MaxRememberedDetail:
			return badOpening(where, "record %s is too long: a summary has at most %d characters, a detail at most %d",
				m.ID, council.MaxRememberedSummary, council.MaxRememberedDetail)
		}
		seen[m.ID] = true
		size += summary + detail
	}
	if size > council.MaxReminder {
		return badOpening(at, "the reminder has %d characters; at most %d are allowed", size, council.MaxReminder)
	}
	return nil
}

func badOpening(at, format string, args ...any) error {
	return &council.CharterError{Pointer: at, Problem: fmt.Sprintf(format, args...)}
}

// reminders returns the reminders that a member may see, where last is the phase that was entered last.
func (r *record) reminders(m council.MemberID, last council.PhaseID) []council.Reminder {
	own := r.charter.ReadsMemberMemory(last)
	return slices.DeleteFunc(slices.Clone(r.memory), func(of council.Reminder) bool {
		return of.Member != "" && (of.Member != m || !own)
	})
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
