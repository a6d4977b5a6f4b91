package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Transcript grows transcript.md with the log. It belongs to one goroutine.
//
// Every heading, table and result in it is ours. What a member said stands under the member's heading, in a quotation
// or in a cell, and holds no heading or table.
type Transcript struct {
	session session
	section string // the section under way, so that its heading is written once
	begun   bool
	inRound bool
}

// NewTranscript returns a transcript of nothing.
func NewTranscript() *Transcript { return &Transcript{} }

// Add takes in the next entry of the log and returns what it adds to the transcript, which may be nothing: ballots and
// other answers that were given unseen are shown together when they are counted. What one log's entries add, one after
// another, is its transcript.md.
func (t *Transcript) Add(e wire.Entry) string {
	first := len(t.session.Events) == 0
	t.session.take(e)
	p := &page{begun: t.begun}
	if first {
		t.title(p)
	}
	if e.Payload == nil {
		t.heading(p, "Content erased", e.Seq)
		p.block("The content of this event was erased from the record on request.")
	} else {
		e.Event = t.session.Marked(e.Event)
		t.write(p, e)
	}
	p.table(lookupHeads, t.session.lookupRows(e.Event))
	if a, ok := e.Answered(); ok {
		for _, cut := range a.Shortened {
			p.say("*In %s %s was longer than a council takes: %d of %d were kept.*", e.Seq.ID(), hostile.Inline(cut.Field), cut.To, cut.From)
		}
	}
	if e.Forgotten {
		p.say("*Words of %s were forgotten on request. %s stands where they stood.*", e.Seq.ID(), hostile.Inline(wire.Mark))
	}
	t.begun = p.begun
	return p.b.String()
}

func (t *Transcript) write(p *page, e wire.Entry) {
	switch e.Payload.(type) {
	case council.SessionStarted:
		t.writeStart(p)
	case council.MemoryRecalled:
		t.writeRecalled(p, e)
	case council.PositionSealed, council.PositionsOpened, council.LeaderBallotCast, council.LeaderElected,
		council.LeaderSucceeded:
		t.writeOpening(p, e)
	case council.PhaseStarted, council.RoundStarted, council.DebateClosed, council.PhaseAssessed, council.PhaseEnded:
		t.writePhase(p, e)
	case council.ContributionMade, council.TurnPassed, council.MotionMade, council.MotionSeconded, council.MotionDied,
		council.MotionDecided:
		t.writeDebate(p, e)
	case council.SummaryWritten:
		t.writeSummary(p, e)
	case council.DraftWritten, council.DraftDecided, council.ReviewGiven:
		t.writeDocument(p, e)
	case council.DissentWritten:
		t.writeDissent(p, e)
	case council.MemberFaulted:
		t.writeFault(p, e)
	case council.SessionSuspended, council.SessionResumed, council.SessionAdjourned, council.BudgetAmended,
		council.ServerMoved:
		t.writeStop(p, e)
	case council.SessionClosed:
		t.writeEnd(p, e)
	case council.BriefAmended, council.ExecutionApproved, council.ExecutionRejected, council.ExecutionStarted,
		council.ExecutionFinished:
		t.writeExecution(p, e)
	}
}

// enter writes the heading of a section, unless it is under way.
func (t *Transcript) enter(p *page, section, intro string) {
	if t.section == section {
		return
	}
	t.section, t.inRound = section, false
	p.heading(2, section, 0)
	p.block(intro)
}

// heading writes a heading below that of the section or the round under way.
func (t *Transcript) heading(p *page, text string, seq council.Seq) {
	level := 3
	if t.inRound {
		level = 4
	}
	p.heading(level, text, seq)
}

// The sections that are entered by whatever comes first in them.
const (
	sectionPositions = "Sealed positions"
	sectionElection  = "Election of the leader"
	sectionSummary   = "Leader's summary"
	sectionDocument  = "The document"
	sectionDissent   = "Dissent"
	sectionAfter     = "After the session"
)

// enterFor begins the section that an ask belongs to, unless it is a question within a phase.
func (t *Transcript) enterFor(p *page, kind council.AskKind) {
	switch kind {
	case council.AskPosition:
		t.enter(p, sectionPositions, "Each member wrote down its position before it had seen any other's. "+
			"All were opened together.")
	case council.AskNominate:
		t.enter(p, sectionElection, "")
	case council.AskSummary:
		t.enter(p, sectionSummary, "")
	case council.AskDraft, council.AskReview:
		t.enter(p, sectionDocument, "")
	case council.AskDissent:
		t.enter(p, sectionDissent, "")
	}
}
