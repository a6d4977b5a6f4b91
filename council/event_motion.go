package council

import "github.com/council-engine/council/council/quorum"

// MotionMade records a turn that moved a motion or proposed a choice, whose question is the title.
type MotionMade struct {
	Answered
	Motion         MotionID `json:"motion"` // its id: the place of the turn
	MotionTitle    string   `json:"motionTitle" text:"short"`
	MotionText     string   `json:"motionText,omitempty" text:"said"`
	DecisionIfPass string   `json:"decisionIfPass,omitempty" text:"said"` // the decision if it carries
	Options        []string `json:"options,omitempty" text:"option"`      // of a choice

	// The motions in force of the phase that this one replaces if it carries.
	Supersedes []MotionID `json:"supersedes,omitempty"`
}

// Row implements [Payload].
func (MotionMade) Row() Row { return replyRow("MOTION_MADE", "21, 171, 214", AskTurn) }
func (p MotionMade) reply() Reply {
	t := Turn{Action: ActionCallVote, MotionTitle: p.MotionTitle, MotionText: p.MotionText,
		DecisionIfPass: p.DecisionIfPass, Supersedes: p.Supersedes, Options: p.Options}
	if len(p.Options) > 0 {
		t.Action = ActionCallChoice
	}
	return p.Reply(t)
}

// SecondAnswered records one member's answer to the call for a second, and its stand on the motion.
type SecondAnswered struct {
	Answered
	Motion MotionID `json:"motion"`
	Second
}

func (SecondAnswered) Row() Row       { return replyRow("SECOND_ANSWERED", "22, 182", AskSecond) }
func (p SecondAnswered) reply() Reply { return p.Reply(p.Second) }

// MotionSeconded puts the motion to the vote, after the amendments that were proposed to it.
type MotionSeconded struct {
	Motion MotionID `json:"motion"`

	// The first who seconds in the order of the lot whose matter is the motion's id (see LEADER_ELECTED), as in
	// SECOND_ANSWERED. Absent where the motion needed no second.
	Seconder MemberID `json:"seconder,omitempty"`
}

func (MotionSeconded) Row() Row { return openingRow("MOTION_SECONDED", "23, 183") }

// MotionDied records that no member seconded the motion, or that its mover withdrew it.
type MotionDied struct {
	Motion    MotionID `json:"motion"`
	Withdrawn bool     `json:"withdrawn,omitempty"`
}

func (MotionDied) Row() Row { return openingRow("MOTION_DIED", "24, 187") }

// AmendmentsAnswered records one member's answer to the amendments that were proposed to a motion.
type AmendmentsAnswered struct {
	Answered
	Motion MotionID `json:"motion"`
	Amend
}

func (AmendmentsAnswered) Row() Row       { return replyRow("AMENDMENTS_ANSWERED", "186", AskAmend) }
func (p AmendmentsAnswered) reply() Reply { return p.Reply(p.Amend) }

// AmendmentsWeighed sorts the amendments to a motion, in seat order. Those in neither list die.
type AmendmentsWeighed struct {
	Motion   MotionID      `json:"motion"`
	Accepted []AmendmentID `json:"accepted,omitempty"` // by the mover: they are taken at once
	Put      []AmendmentID `json:"put,omitempty"`      // to the vote, because another member seconded them
}

func (AmendmentsWeighed) Row() Row { return openingRow("AMENDMENTS_WEIGHED", "188") }

// AmendmentDecided gives the result of a vote on an amendment, or records that one fell.
type AmendmentDecided struct {
	Motion    MotionID    `json:"motion"`
	Amendment AmendmentID `json:"amendment"`

	// Absent where the amendment fell: its words are no longer in the motion, or made it one that was lost.
	Vote *Decision `json:"vote,omitempty"`
}

func (AmendmentDecided) Row() Row { return openingRow("AMENDMENT_DECIDED", "189, 191") }

// MotionAmended records a motion with an amendment that its mover accepted, or that carried.
type MotionAmended struct {
	Motion    MotionID    `json:"motion"`
	Amendment AmendmentID `json:"amendment"`
	Wording
}

func (MotionAmended) Row() Row { return dueRow("MOTION_AMENDED", "190") }

// ChoicePut puts options to the vote: those of the deciding phase, or the motions of a round that was held together.
type ChoicePut struct {
	Motion MotionID `json:"motion"`

	// Given and added; of motions their titles, numbered where two are alike.
	Options []string   `json:"options" text:"option"`
	Motions []MotionID `json:"motions,omitempty"` // those that are put as options, in the same order
	Reason  DebateEnd  `json:"reason,omitempty"`  // why the debate ends; empty for motions
}

func (ChoicePut) Row() Row { return dueRow("CHOICE_PUT", "173, 199, 226") }

// BallotCast records one member's vote on a motion, an amendment or a draft.
type BallotCast struct {
	Answered
	Subject
	Ballot
}

func (BallotCast) Row() Row       { return replyRow("BALLOT_CAST", "26, 27, 49, 189", AskBallot) }
func (p BallotCast) reply() Reply { return p.Reply(p.Ballot) }

// Subject names the motion, the amendment or the draft of a ballot: exactly one of them is set.
type Subject struct {
	Motion    MotionID    `json:"motion,omitempty" jsonschema:"oneof_required=motion"`
	Amendment AmendmentID `json:"amendment,omitempty" jsonschema:"oneof_required=amendment"`
	Draft     *DraftRef   `json:"draft,omitempty" jsonschema:"oneof_required=draft"`
}

// RankingCast records one member's ranking of the options of a choice.
type RankingCast struct {
	Answered
	Motion MotionID `json:"motion"`
	Ranked
}

func (RankingCast) Row() Row       { return replyRow("RANKING_CAST", "174, 175", AskRank) }
func (p RankingCast) reply() Reply { return p.Reply(p.Ranked) }

// MotionDecided gives the result of a vote on a motion, with all that is needed to count it again.
type MotionDecided struct {
	Motion MotionID `json:"motion"`
	Decision

	// Of a choice: its options by index; one past them is none of these. The result and the count above are those of
	// `pair`: YES ranks its first above its second, NO below.
	Choice *quorum.Choice `json:"choice,omitempty"`
}

func (MotionDecided) Row() Row { return openingRow("MOTION_DECIDED", "29 to 34, 176 to 179") }

// Decision is the count of a vote, with everything needed to count it again. CARRIED needs the quorum, `yes` ≥ `needed`
// and `yes` > `no`.
type Decision struct {
	Result quorum.Result `json:"result"`

	// `quorum` is the effective one, never 0
	Rule  quorum.Rule  `json:"rule"`
	Count quorum.Count `json:"count"`

	// YES ballots needed: half of `of` rounded down, plus 1, at a threshold of one half, else `of` × `threshold` rounded
	// up and at least 1.
	Needed int `json:"needed"`

	// `members`, or `yes` + `no` + `abstain` for present, or `yes` + `no` for cast.
	Of int `json:"of"`
}
