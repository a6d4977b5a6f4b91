package council

// Turns is the order in which the members of a phase have their turns.
type Turns string

// The orders of turns. Rotating, round n begins with the nth member in turn order; together, all members of a round
// are asked at once and see nothing of one another's turns before all are in.
const (
	TurnsOrdered  Turns = "ordered"
	TurnsRotate   Turns = "rotate"
	TurnsTogether Turns = "together"
)

// Pace is how much time a council takes. A charter that names one was changed to it when its session was opened.
type Pace string

// The paces. Quick: one round of all at once, then the vote. Standard: phases that explore have one round of all at
// once, those that decide two in order. Thorough: everything as it was written, in order.
const (
	PaceQuick    Pace = "quick"
	PaceStandard Pace = "standard"
	PaceThorough Pace = "thorough"
)
