package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// closing is the end of a session: its document, the dissents, the outcome, and the execution after it.
type closing struct {
	*record
	poll      *poll
	covered   bool               // the ballot of the choice covered the brief
	repeats   repeats            // reviews and dissents that ballots hold
	undecided *council.Undecided // the leader's answer in the place of a decision
	version   int                // of the draft being written, voted on or reviewed; 0 before any
	draft     *council.DraftWritten
	draftVote vote
	approved  bool
	blockers  []council.Blocker
	adjourned bool
	outcome   *council.Outcome
	handoff   council.Handoff
}

// begin asks for the first draft, if the charter wants a document.
func (c *closing) begin() step {
	if c.charter.Output.Type != council.OutputDocumentation {
		return c.callDissent()
	}
	return c.callDraft()
}

func (c *closing) callDraft() step {
	c.version++
	return c.ask(council.AskDraft, c.place(), c.leader)
}

func (c *closing) place() string { return "d" + strconv.Itoa(c.version) + "." }

func (c *closing) callVote(p council.DraftWritten) step {
	c.draft = &p
	return c.poll.askForBallots(council.AskBallot, c.place(), c.count)
}

func (c *closing) count() step {
	decision := countBallots(c.charter.DraftGovernance(), len(c.seats), c.vote.count)
	return due(council.DraftDecided{DraftRef: c.draft.DraftRef, Decision: decision})
}

// takeDecision goes on with the dissents if the draft is approved; else it asks the others for blockers.
func (c *closing) takeDecision(p council.DraftDecided) step {
	if c.vote.result = p.Result; p.Result != quorum.NoQuorum {
		c.draftVote = c.vote
	}
	if c.approved = p.Result == quorum.Carried; c.approved {
		return c.callDissent()
	}
	c.blockers = c.draft.Lacks()
	reviewers := c.membersWhere(func(m council.MemberID) bool { return c.vote.choices[m] != council.ChoiceYes })
	if len(reviewers) == 0 {
		return c.callRevision()
	}
	if c.charter.IsAuto() {
		for _, m := range reviewers {
			if e, b := c.draftBallot(m); len(b.CriticalBlockers) > 0 {
				c.repeats = append(c.repeats, step{by: m, due: council.ReviewGiven{Answered: c.from(e), Version: c.version,
					Review: council.Review{CriticalBlockers: c.numberBlockers(m, b.CriticalBlockers)}}})
			}
		}
		return c.repeats.next(c.callRevision)
	}
	return c.ask(council.AskReview, c.place(), reviewers...)
}

// draftBallot returns a member's ballot on the draft, zero if it has none.
func (c *closing) draftBallot(m council.MemberID) (in council.Event, cast council.BallotCast) {
	for e, b := range council.Payloads[council.BallotCast](c.log) {
		if e.Actor == m && b.Draft != nil && b.Draft.Version == c.version {
			in, cast = e, b
		}
	}
	return in, cast
}

// from marks an event that repeats what a reply said.
func (r *record) from(e council.Event) council.Answered {
	return council.Answered{From: e.Seq, AsOf: r.asOf()}
}

// callRevision asks for the next version, or gives up when the charter allows no more or there is no blocker.
func (c *closing) callRevision() step {
	if c.version > c.charter.DocumentationReview.MaxRevisionRounds || len(c.blockers) == 0 {
		return c.callDissent()
	}
	return c.callDraft()
}

// mayBlock reports whether a member may raise blockers against the approved draft with its dissent.
func (c *closing) mayBlock(m council.MemberID) bool {
	return c.approved && c.draftVote.choices[m] != council.ChoiceYes
}

// callDissent offers a bounded opinion to the members that voted against a decision, or for something lost.
func (c *closing) callDissent() step {
	dissenters := c.membersWhere(func(m council.MemberID) bool {
		against := func(r carriedMotion) bool { return r.vote.canDissent(m) }
		return slices.ContainsFunc(c.decided, against) || c.lost.canDissent(m) || c.draftVote.canDissent(m)
	})
	if c.charter.IsAuto() {
		return c.repeatDissents(dissenters)
	}
	if len(dissenters) == 0 {
		return c.end()
	}
	return c.ask(council.AskDissent, "", dissenters...)
}

// repeatDissents takes the reasons of ballots as dissents: from a choice of another answer, and the approved draft.
func (c *closing) repeatDissents(dissenters []council.MemberID) step {
	for _, m := range dissenters {
		var d council.Dissent
		var said council.Event
		if len(c.decided) > 0 && c.decided[0].vote.canDissent(m) {
			said, d.Dissent = c.poll.reason(m)
		}
		if e, b := c.draftBallot(m); c.approved && c.draftVote.canDissent(m) {
			said = e
			d.Dissent = strings.TrimSpace(d.Dissent + "\n\n" + b.Rationale)
			d.CriticalBlockers = c.numberBlockers(m, b.CriticalBlockers)
		}
		if d.Dissent != "" || len(d.CriticalBlockers) > 0 {
			c.repeats = append(c.repeats, step{by: m, due: council.DissentWritten{Answered: c.from(said), Dissent: d}})
		}
	}
	return c.repeats.next(c.end)
}

func (c *closing) end() step {
	rehearsed := c.charter.Rehearsing() > 0
	outcome := council.Outcome{
		Ended: council.SessionCompleted, Leader: c.leader, Decided: len(c.decided) > 0 && !rehearsed,
		Rehearsed: rehearsed, Documentation: c.documentStatus(), Undecided: c.undecided,
	}
	outcome.Resolutions = council.Map(c.decided, func(r carriedMotion) council.Resolution { return r.Resolution })
	if c.adjourned {
		outcome.Ended = council.SessionCutShort
	}
	if c.draft != nil {
		outcome.Draft = new(c.draft.DraftRef)
	}
	c.concludeExecution(&outcome)
	return due(council.SessionClosed{Outcome: outcome})
}

func (c *closing) documentStatus() council.DocumentationStatus {
	switch {
	case c.charter.Output.Type != council.OutputDocumentation:
		return council.DocumentationNone
	case c.draft == nil:
		return council.DocumentationMissing
	case c.approved:
		return council.DocumentationApproved
	}
	return council.DocumentationUnapproved
}

// concludeExecution computes from a session's decisions whether the brief that its leader wrote is to be carried out.
func (c *closing) concludeExecution(o *council.Outcome) {
	if c.handoff.Brief == nil {
		return
	}
	executes, lost, _ := c.handoff.Brief.Named(c.log, motionIDs(c.decided))
	noDocument := o.Documentation == council.DocumentationNone
	switch withheld := &o.ExecutionWithheld; {
	case o.Rehearsed:
		*withheld = council.WithheldRehearsed
	case c.adjourned:
		*withheld = council.WithheldAdjourned
	case !o.Decided:
		*withheld = council.WithheldUndecided
	case len(lost) > 0:
		*withheld = council.WithheldMotion
	case len(executes) == 0:
		*withheld = council.WithheldUnnamed
	case noDocument && !c.covered:
		*withheld = council.WithheldUnvoted
	case !noDocument && o.Documentation != council.DocumentationApproved:
		*withheld = council.WithheldDocument
	}
	if o.RequiresExecution = o.ExecutionWithheld == ""; o.RequiresExecution || o.ExecutionWithheld.UpToPerson() {
		o.Executes = executes
	}
}

// withIDs returns a brief that names the session's resolutions by their ids.
func (c *closing) withIDs(b *council.Brief) *council.Brief {
	return new(b.WithIDs(c.log, motionIDs(c.decided)))
}

func (c *closing) summaryPayload(answered council.Answered, b council.Summary) (council.Payload, error) {
	if len(c.decided) > 0 {
		b.Undecided = nil
	}
	for _, settlement := range b.Settles {
		if settlement.How != council.SettledResolved && settlement.How != council.SettledSuperseded {
			return nil, badReply("record %s is RESOLVED or SUPERSEDED, not %q", settlement.Record, settlement.How)
		}
	}
	p := council.SummaryWritten{Answered: answered, Summary: b}
	if b.RequiresExecution {
		if b.ExecutionBrief == nil {
			return nil, badReply("a resolution that requires execution needs an executionBrief")
		}
		p.ExecutionBrief = c.withIDs(b.ExecutionBrief)
		p.BriefSHA256 = p.ExecutionBrief.SHA256()
	}
	return p, requireText("summaryMarkdown", b.SummaryMarkdown)
}

// draftPayload names the draft by its digest, with the brief that goes with it, and notes the blockers that the leader
// passed over. A brief that a revision states anew and that names nothing carries out the same as the one before.
func (c *closing) draftPayload(answered council.Answered, b council.Draft) (council.Payload, error) {
	for _, section := range b.MissingSections {
		if !slices.Contains(c.charter.DocumentationReview.Sections, section) {
			return nil, badReply("the charter asks for no section %q", section)
		}
	}
	given := map[string]council.BlockerResponse{}
	for _, r := range b.Responses {
		if r.Answer != council.AnswerAccepted && r.Answer != council.AnswerRejected && r.Answer != council.AnswerDeferred {
			return nil, badReply("blocker %s is accepted, rejected or deferred, not %q", r.BlockerID, r.Answer)
		}
		if !slices.ContainsFunc(c.blockers, func(known council.Blocker) bool { return known.ID == r.BlockerID }) {
			return nil, badReply("there is no blocker %q to answer", r.BlockerID)
		}
		given[r.BlockerID] = r
	}
	b.Responses = council.Map(c.blockers, func(blocker council.Blocker) council.BlockerResponse {
		unanswered := council.BlockerResponse{BlockerID: blocker.ID, Answer: council.AnswerUnanswered}
		return cmp.Or(given[blocker.ID], unanswered)
	})
	ref := council.DraftRef{Version: c.version, SHA256: council.Digest(b.Markdown), BriefSHA256: c.handoff.BriefSHA256}
	if c.version == 1 || c.handoff.Brief == nil {
		b.ExecutionBrief = nil // there is none to state anew
	} else if b.ExecutionBrief != nil {
		b.ExecutionBrief = c.withIDs(b.ExecutionBrief)
		if len(b.ExecutionBrief.Motions) == 0 {
			b.ExecutionBrief.Motions = c.handoff.Brief.Motions
		}
		ref.BriefSHA256 = b.ExecutionBrief.SHA256()
	}
	return council.DraftWritten{Answered: answered, DraftRef: ref, Draft: b}, requireText("the document", b.Markdown)
}

// numberBlockers gives each blocker an id that is unique in the session and names its member.
func (c *closing) numberBlockers(m council.MemberID, blockers []council.Blocker) []council.Blocker {
	numbered := slices.Clone(blockers)
	for i := range numbered {
		numbered[i].ID = c.place() + string(m) + ".b" + strconv.Itoa(i+1)
	}
	return numbered
}

// briefPayload checks a person's amendment of the brief, and adds its digest and the resolutions that it carries out.
func (c *closing) briefPayload(r council.BriefAmended) (council.Payload, error) {
	if err := c.checkApplies(r); err != nil {
		return nil, err
	}
	r.Brief = *c.withIDs(&r.Brief)
	executes, lost, unknown := r.Brief.Named(c.log, motionIDs(c.decided))
	if others := append(lost, unknown...); len(others) > 0 {
		return nil, badRuling("the brief names %q, which is no resolution of the council", others[0])
	}
	if len(executes) == 0 { // a person may leave out the names of the brief before
		executes = c.handoff.Executes
	}
	r.BriefSHA256, r.Executes = r.Brief.SHA256(), executes
	return r, nil
}

// checkBrief refuses a ruling that does not apply to the execution, or is on another brief than the current one.
func (c *closing) checkBrief(p council.Payload, sha256 string) error {
	if err := c.checkApplies(p); err != nil {
		return err
	}
	if now := c.handoff.BriefSHA256; sha256 != now {
		return badRuling("the brief is %s, not %s", now, sha256)
	}
	return nil
}

// rulingRefusals explains by the execution's status why a ruling does not apply.
var rulingRefusals = map[council.ExecutionStatus]string{
	council.ExecutionNotRequired:      "the session's leader called for no execution, so there is no brief to rule on",
	council.ExecutionAwaitingApproval: "the execution awaits approval",
	council.ExecutionCleared:          "the charter asks for no approval, and the execution is cleared",
	council.ExecutionPermitted:        "the execution is approved already",
	council.ExecutionRefused:          "the execution is rejected",
	council.ExecutionUnderWay:         "the execution has started",
	council.ExecutionSucceeded:        "the execution is finished: it succeeded",
	council.ExecutionFailed:           "the execution is finished: it failed",
}

// checkApplies refuses a ruling that does not apply to the execution.
func (c *closing) checkApplies(p council.Payload) error {
	switch h := c.handoff; {
	case c.outcome == nil:
		return badRuling("the session is not closed yet")
	case h.Takes(p.Row().Type):
		return nil
	case h.Status == council.ExecutionWithheld:
		return badRuling("%s", h.Withheld.Why())
	default:
		return badRuling("%s", rulingRefusals[h.Status])
	}
}

func (c *closing) checkOpen() error {
	if c.outcome != nil {
		return badRuling("the session is closed")
	}
	return nil
}
