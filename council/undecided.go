package council

import "strings"

// Undecided is the answer of a council that carried nothing, as its leader gives it. Exactly one of its parts is set.
type Undecided struct {
	Alternatives  []Alternative  `json:"alternatives,omitempty"` // between which no vote decided
	Question      string         `json:"question,omitempty" text:"said"`
	Investigation *Investigation `json:"investigation,omitempty"`
}

// Alternative is an answer that the council neither carried nor ruled out.
type Alternative struct {
	Answer  string     `json:"answer" text:"said"`
	HeldBy  []MemberID `json:"heldBy,omitempty"`    // the members that stand behind it
	RightIf string     `json:"rightIf" text:"said"` // the condition under which it is the right one
}

// Investigation is what has to be measured before the council can decide.
type Investigation struct {
	Measure string `json:"measure" text:"said"`
	By      string `json:"by,omitempty" text:"said"` // who measures it
	Means   string `json:"means" text:"said"`        // which result means what
}

// Words returns what the answer is in one line, for people; "" of none.
func (u *Undecided) Words() string {
	switch {
	case u == nil:
		return ""
	case u.Question != "":
		return "A question whose answer would decide: " + u.Question
	case u.Investigation != nil:
		return "To be measured first: " + u.Investigation.Measure
	}
	var answers []string
	for _, a := range u.Alternatives {
		answers = append(answers, a.Answer)
	}
	return "Alternatives: " + strings.Join(answers, "; ")
}
