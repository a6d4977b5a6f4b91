package council

// Ruling is a decision by the people who convened the council. The set is closed.
type Ruling interface{ ruling() }

// Recall gives the session what a search of memory found, directly after its opening. It has the bounds of package
// council's constants: 1 to MaxRecollections hits.
type Recall struct {
	Query string
	Hits  []Recollection
}

// Suspend stops the session so that it can be resumed: an interrupt, for example.
type Suspend struct{ Fault Fault }

// Resume ends a suspension.
type Resume struct{ By string }

// Adjourn ends the deliberation where it stands.
type Adjourn struct{ By, Reason string }

// AmendBudget replaces the session's budget.
type AmendBudget struct {
	By     string
	Budget Budget
}

// MoveServer says where the server of a member is found from now on.
type MoveServer struct {
	By      string
	Member  MemberID
	BaseURL string
}

// AmendBrief replaces the execution brief of a closed session; approvals of the old one are void. What the new one names
// as its motions must have carried.
type AmendBrief struct {
	By    string
	Brief Brief
}

// Approve lets one brief, named by its SHA-256, be executed. In advance: by whoever convened, before the brief could be
// read; that does not approve a brief that is withheld.
type Approve struct {
	By, BriefSHA256, Note string
	InAdvance             bool
}

// Reject forbids it.
type Reject struct{ By, BriefSHA256, Reason string }

// StartExecution says that the brief named by its SHA-256 is being carried out.
type StartExecution struct{ By, BriefSHA256 string }

// FinishExecution says how that ended.
type FinishExecution struct {
	By        string
	Succeeded bool
	Note      string
}

func (Recall) ruling()          {}
func (Suspend) ruling()         {}
func (Resume) ruling()          {}
func (Adjourn) ruling()         {}
func (AmendBudget) ruling()     {}
func (MoveServer) ruling()      {}
func (AmendBrief) ruling()      {}
func (Approve) ruling()         {}
func (Reject) ruling()          {}
func (StartExecution) ruling()  {}
func (FinishExecution) ruling() {}
