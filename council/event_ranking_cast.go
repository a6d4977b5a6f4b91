package council

// RankingCast records one member's ranking of the options of a choice.
//
// Protocol: 174, 175.
type RankingCast struct {
	Answered
	Motion MotionID `json:"motion"`
	Ranked
}

// Row implements [Payload].
func (RankingCast) Row() Row { return Row{Type: "RANKING_CAST", Answers: AskRank} }

func (p RankingCast) reply() Reply { return p.Reply(p.Ranked) }
