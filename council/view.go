package council

// View holds what a member may be shown for one ask: the log up to the ask's AsOf, and where the protocol stands. It is
// read-only and stays what it was while the session goes on.
type View struct {
	Session   SessionID
	Ask       Ask
	Topic     *Topic
	Charter   *Charter
	Seat      *Member    // the member asked
	Seats     []MemberID // all members in turn order
	Phase     *Phase     // nil before the first phase and after the last
	Round     int
	Turn      int
	Motion    *Motion       // the motion to second or vote on, as it stands
	Proposed  []Proposal    // the amendments to accept or second; the one to vote on
	Question  *Question     // to answer
	MayAsk    bool          // a turn may put a question
	Standing  []MotionID    // the motions that carried in the phase so far and stand, in order
	Blocks    bool          // the draft was approved without the member's YES: its dissent may have blockers
	Undecided bool          // nothing was carried: the summary gives what stands in the place of a decision
	Draft     *DraftWritten // the draft to vote on, review or revise
	Blockers  []Blocker     // to answer in a revision
	Memory    []Reminder    // what the member may be told: the council's memory, then its own where the phase allows it
	Events    []Event       // the log up to AsOf
}

// Blind reports whether the answer stays sealed until all that were asked with the member have answered.
func (v View) Blind() bool { return blind(v.Ask.Kind, v.Turn) }

// Motion is a motion before the council.
type Motion struct {
	ID       MotionID
	Mover    MemberID
	Title    string
	Text     string
	Decision string     // what is decided if it carries
	Options  []string   // of a choice; nil otherwise
	Of       []MotionID // of a choice between the motions of a round: these, in the order of its options

	Supersedes []MotionID // what it replaces if it carries
	Seq        Seq        // of the event that made it
}

// Question is a question that a member put in its turn.
type Question struct {
	By, To MemberID
	Text   string
	Seq    Seq // of the event that put it
}

// Wording returns what the motion says.
func (m *Motion) Wording() Wording {
	return Wording{MotionTitle: m.Title, MotionText: m.Text, DecisionIfPass: m.Decision}
}
