package prompt

import (
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// question is one ask as far as its words depend on it: of the open ask, or of one that was answered.
type question struct {
	kind  council.AskKind
	asOf  council.Seq
	phase council.PhaseID
	round int
	turn  int
}

// openQuestion returns the question of the view's ask.
func openQuestion(v council.View) question {
	q := question{kind: v.Ask.Kind, asOf: v.Ask.AsOf, round: v.Round, turn: v.Turn}
	if v.Phase != nil {
		q.phase = v.Phase.ID
	}
	return q
}

// answeredBy returns the question that an event answers, or faults on.
func answeredBy(e council.Event, kind council.AskKind) question {
	a, _ := e.Answered()
	return question{kind: kind, asOf: a.AsOf, phase: e.Phase, round: e.Round, turn: e.Turn}
}

// text returns the question in words, and the form of its answer apart, given where the protocol stood when it was put.
func (q question) text(s *scribe, at place) (asking, form string) {
	c := s.charter
	data := struct {
		Phase      *council.Phase
		Round      int
		Rounds     int
		Turn       int
		Seats      int
		Last       bool
		Standing   []string // the motions that stand
		MayAsk     bool
		Others     []string // whom a question may be put to
		Question   string
		Asker      string
		After      string // what the convener asks after the close
		Vote       majority
		Motion     string
		Mover      string
		Draft      int
		Document   bool
		Sections   []string
		Guidance   []council.Guide
		Blockers   []string
		Candidates []string
		Evidence   []string
		Executor   string
		Settle     bool // the member was reminded of something
		Undecided  bool // nothing was carried
		Blocks     bool // a dissent may say what is wrong with the approved draft
		Stances    bool
		Options    []string // to rank, with none of these; on a turn those of the phase
		Choices    bool     // a turn may propose a choice
		Elect      bool     // the position names a leader
		AtOnce     bool     // the leader begins, because nobody is of another mind
		Debate     bool     // members say where they stand on the motion
		Amends     bool     // and may propose amendments
		Own        bool     // the member moved the motion
		Most       int      // amendments that are voted on
		Amendments []string // those proposed, with their members; of a ballot the one that is voted on
	}{
		Phase: c.Phase(q.phase), Round: q.round, Turn: q.turn, Seats: len(c.Members), Standing: at.standing,
		Motion: at.motion, Draft: at.draft, Document: c.Output.Type == council.OutputDocumentation,
		Sections: c.DocumentationReview.Sections, Guidance: c.DocumentationReview.Guidance,
		Executor: c.Execution.DefaultExecutorProfile,
		MayAsk:   at.mayAsk && q.turn > 0, Question: at.question, Asker: s.name(at.asker), After: at.after,
		Settle: s.reminded(at), Stances: c.AsksStances(),
		Undecided: !at.decided, Blocks: at.blocks,
		Elect: c.Deliberation.ElectWithPositions, AtOnce: at.agreed && q.round == 1 && q.turn == 1,
	}
	if data.Phase == nil {
		data.Phase = &council.Phase{ID: q.phase}
	}
	data.Rounds = data.Phase.StopConditions.MaxRounds
	data.Last = q.round >= data.Rounds
	data.Vote = majorityOf(c, data.Phase.Governance)
	data.Evidence = evidence(data.Phase)
	if data.Motion != "" {
		data.Draft = 0 // a ballot on a motion
		g := data.Phase.Governance
		data.Debate, data.Amends, data.Most = g.Debate, g.Amends() && len(at.options) == 0, g.MaxAmendments
		data.Own = at.mover == s.me
		for _, a := range at.amendments {
			data.Amendments = append(data.Amendments, string(a.Event)+" by "+s.who(a.Member))
		}
		data.Mover = s.name(at.mover)
		if at.mover == s.me {
			data.Mover = "yourself"
		}
		data.Options = s.numbered(at.options, at.proposed)
	} else if q.kind == council.AskBallot {
		data.Vote = majorityOf(c, draftGovernance(c, at))
	}
	if q.kind == council.AskPosition {
		data.Options = s.numbered(c.OpeningOptions(), false)
	} else if q.kind == council.AskTurn {
		data.Options = s.numbered(c.OptionsOf(data.Phase), false)
		data.Choices = data.Phase.Governance.Choices && q.turn > 0
	}
	if q.kind == council.AskDraft {
		data.Blockers = at.blockers
	}
	for _, id := range c.Seats() {
		data.Candidates = append(data.Candidates, string(id))
		if id != s.me {
			data.Others = append(data.Others, string(id))
		}
	}
	if c.Deliberation.Convener {
		data.Others = append(data.Others, string(council.Convener))
	}
	text := words(string(q.kind), data)
	i := strings.LastIndex(text, formBegins)
	if i < 0 { // of a document
		return text, ""
	}
	return text[:i], text[i:]
}

// recurs reports whether the question is put often: the form of its answer is then given again only where it changed.
func (q question) recurs() bool {
	return q.kind == council.AskTurn || q.kind == council.AskSecond || q.kind == council.AskBallot ||
		q.kind == council.AskRank
}

// formBegins begins the form of an answer at the end of a question.
const formBegins = "\nAnswer with"

// numbered lists options with their numbers, and none of these after them. What members proposed is fenced.
func (s *scribe) numbered(options []string, proposed bool) []string {
	if len(options) == 0 {
		return nil
	}
	var lines []string
	for i, o := range options {
		if proposed {
			o = s.fence.wrap(o)
		}
		lines = append(lines, strconv.Itoa(i+1)+". "+o)
	}
	return append(lines, strconv.Itoa(len(options)+1)+". "+council.NoneOfThese)
}

// draftGovernance returns the rule of votes on drafts: the charter's own, else that of the last phase.
func draftGovernance(c *council.Charter, at place) council.Governance {
	switch g := c.DocumentationReview.Governance; {
	case g != nil:
		return *g
	case at.last != nil:
		return at.last.Governance
	}
	return council.Governance{}
}
