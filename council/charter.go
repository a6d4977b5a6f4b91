package council

import (
	"cmp"
	"maps"
	"slices"

	"github.com/council-engine/council/council/quorum"
)

// Charter is everything that was settled before the council met. It is frozen in the first event of a session.
// The JSON names are those of council.config.json; every default has been filled in.
type Charter struct {
	CouncilName         string              `json:"councilName" text:"charter"`
	Purpose             string              `json:"purpose" text:"charter"`
	SessionPolicy       SessionPolicy       `json:"sessionPolicy"`
	Phases              []Phase             `json:"phases"`
	Output              Output              `json:"output"`
	DocumentationReview DocumentationReview `json:"documentationReview"`
	Deliberation        Deliberation        `json:"deliberation"`
	Budget              Budget              `json:"budget,omitzero"`
	Options             []string            `json:"options,omitempty" text:"required"` // to choose between, in the deciding phase
	Prices              []Rate              `json:"prices,omitempty" text:"-"`         // those known of the members' models
	Members             []Member            `json:"members"`
	TurnOrder           []MemberID          `json:"turnOrder,omitempty"`
	Storage             Storage             `json:"storage"`
	Execution           Execution           `json:"execution"`
}

// SessionPolicy bounds the walk through the phases.
type SessionPolicy struct {
	EntryPhaseID          PhaseID   `json:"entryPhaseId"`
	MaxPhaseTransitions   int       `json:"maxPhaseTransitions"`
	PhaseContextVerbosity Verbosity `json:"phaseContextVerbosity"`
}

// Verbosity is how much of the phase graph members see.
type Verbosity string

// The verbosities of the phase context packet, from the goal alone to the whole graph.
const (
	VerbosityMinimal  Verbosity = "minimal"
	VerbosityStandard Verbosity = "standard"
	VerbosityFull     Verbosity = "full"
)

// Phase is one stage of the deliberation, with rules of its own.
type Phase struct {
	ID                   PhaseID              `json:"id"`
	Decides              bool                 `json:"decides,omitempty"` // see [Charter.DecidingPhase]
	Goal                 string               `json:"goal" text:"charter"`
	PromptGuidance       []string             `json:"promptGuidance,omitempty" text:"charter"`
	Deliverables         []Deliverable        `json:"deliverables,omitempty"`
	Governance           Governance           `json:"governance"`
	Turns                Turns                `json:"turns,omitempty"` // empty: ordered
	StopConditions       StopConditions       `json:"stopConditions"`
	MemoryPolicy         MemoryPolicy         `json:"memoryPolicy"`
	EvidenceRequirements EvidenceRequirements `json:"evidenceRequirements"`
	QualityGates         []string             `json:"qualityGates,omitempty" text:"required"`
	Fallback             Fallback             `json:"fallback"`
	Transitions          []Transition         `json:"transitions,omitempty"`
}

// Deliverable is something a phase is meant to produce.
type Deliverable struct {
	ID          string `json:"id" text:"id"`
	Description string `json:"description" text:"charter"`
	Required    bool   `json:"required"`
}

// Governance sets when a motion carries.
type Governance struct {
	RequireSeconding  bool           `json:"requireSeconding"`
	MajorityThreshold quorum.Share   `json:"majorityThreshold"`
	CountOf           quorum.CountOf `json:"countOf"`          // the denominator of the threshold
	Quorum            int            `json:"quorum,omitempty"` // valid ballots needed; 0 means a majority of the members

	// Whether a turn may propose a choice between several options.
	Choices       bool `json:"choices,omitempty"`
	Debate        bool `json:"debate"`        // members support or oppose a motion before they vote
	MaxAmendments int  `json:"maxAmendments"` // to one motion that are voted on; with 0 none can be proposed
}

// Rule returns the arithmetic of a vote of so many members.
func (g Governance) Rule(members int) quorum.Rule {
	return quorum.Rule{Members: members, Quorum: g.Quorum, Threshold: g.MajorityThreshold, CountOf: g.CountOf}
}

// StopConditions say when a phase's debate ends.
type StopConditions struct {
	MaxRounds         int  `json:"maxRounds"`
	EndOnMajorityVote bool `json:"endOnMajorityVote"`
	MaxQuestions      int  `json:"maxQuestions,omitempty"` // that turns may put to members; 0: none
}

// MemoryPolicy sets a phase's access to memory.
type MemoryPolicy struct {
	ReadMemberMemory         bool `json:"readMemberMemory"`
	WriteMemberMemory        bool `json:"writeMemberMemory"`
	WriteCouncilMemory       bool `json:"writeCouncilMemory"`
	IncludePriorPhaseSummary bool `json:"includePriorPhaseSummary"`

	// MaxChars is how many characters of the council's memory each member reads at most, and half as many of its own; 0
	// is [ReminderSize]. Only the entry phase may set it, because reminders are chosen when the session opens.
	MaxChars int `json:"maxChars,omitempty"`
}

// EvidenceRequirements set the minimum of the leader's assessment of a phase.
type EvidenceRequirements struct {
	MinCitations               int  `json:"minCitations"`
	RequireExplicitAssumptions bool `json:"requireExplicitAssumptions"`
	RequireRiskRegister        bool `json:"requireRiskRegister"`
}

// Fallback applies when a phase ends without a resolution and no transition matches.
type Fallback struct {
	Resolution          string         `json:"resolution" text:"charter"`
	Action              FallbackAction `json:"action"`
	TransitionToPhaseID PhaseID        `json:"transitionToPhaseId,omitempty"`
}

// FallbackAction ends the session or goes to another phase.
type FallbackAction string

// The fallback actions.
const (
	FallbackEndSession FallbackAction = "END_SESSION"
	FallbackTransition FallbackAction = "TRANSITION"
)

// Transition leads from one phase to another. The lowest priority that matches is taken; equals go in charter order.
type Transition struct {
	To       PhaseID `json:"to"`
	When     Trigger `json:"when"`
	Reason   string  `json:"reason,omitempty" text:"charter"`
	Priority int     `json:"priority"`
}

// Trigger is the condition of a transition.
type Trigger string

// The triggers: the phase has a resolution; its rounds ran out; always.
const (
	TriggerMajorityVote Trigger = "MAJORITY_VOTE"
	TriggerRoundLimit   Trigger = "ROUND_LIMIT"
	TriggerAlways       Trigger = "ALWAYS"
)

// Output sets the kind of document that the council writes at its end.
type Output struct {
	Type OutputType `json:"type"`
}

// OutputType is none or documentation.
type OutputType string

// The kinds of output.
const (
	OutputNone          OutputType = "none"
	OutputDocumentation OutputType = "documentation"
)

// DocumentationReview bounds the review loop. Governance, when set, replaces that of the deciding phase in votes on
// drafts; its RequireSeconding has no meaning there.
type DocumentationReview struct {
	MaxRevisionRounds int         `json:"maxRevisionRounds"`
	Governance        *Governance `json:"governance,omitempty"`

	// The ready-made one that Sections and Guidance were taken from.
	Skeleton string   `json:"skeleton,omitempty" text:"id"`
	Sections []string `json:"sections,omitempty" text:"charter"` // headings that every draft must have
	Guidance []Guide  `json:"guidance,omitempty"`                // for the leader, by section
}

// Guide describes the content of one section of a document.
type Guide struct {
	Section string `json:"section" text:"charter"` // one of the document's
	Says    string `json:"says" text:"charter"`    // one line
}

// Deliberation holds the settings of the whole session's debate.
type Deliberation struct {
	SealedPositions bool `json:"sealedPositions"`

	// The time that the council takes: see [Pace]. Empty: the charter is kept as it was written.
	Pace Pace `json:"pace,omitempty"`

	// How many members sit at the pace auto, and who of the others is asked once the seats cannot decide. Absent: three,
	// and all others in turn order, those of other model families first.
	Seats  int        `json:"seats,omitempty" jsonschema:"minimum=2"`
	Spares []MemberID `json:"spares,omitempty"`

	// Whether a sealed position names its author's candidate too, in place of an election of its own.
	ElectWithPositions bool `json:"electWithPositions,omitempty"`

	// Whether citations are checked, and marked where they do not hold.
	MarkCitations bool `json:"markCitations,omitempty"`

	// Whether positions and ballots name the preferred answer, so that the receipt can show who moved.
	Stances bool `json:"stances,omitempty"`

	// Whether a debate ends early once all agree or nothing new is said.
	ContestedOnly bool `json:"contestedOnly,omitempty"`

	// What prompts keep from members; records have it. Absent: nothing, but all of it in ready-made councils. Who wrote
	// what: members know one another under pseudonyms, and sealed positions by numbers. How sure others are.
	AnonymizePeers *bool `json:"anonymizePeers,omitempty"`
	HideConfidence *bool `json:"hideConfidence,omitempty"`

	// Whether prompts list the options in an order of each member's own. Absent: no, but in ready-made councils.
	ShuffleOptions *bool `json:"shuffleOptions,omitempty"`

	// Whether the person who convened the council answers questions that members put to them.
	Convener bool `json:"convener,omitempty"`
}

// Budget caps a session's spending over its whole life, suspensions and resumes included. Zero means no cap.
type Budget struct {
	Tokens  int64   `json:"tokens,omitempty"`  // of all kinds
	USD     float64 `json:"usd,omitempty"`     // by the charter's prices; every member's model needs one
	Minutes float64 `json:"minutes,omitempty"` // of waiting for members; parallel asks count once, by the slowest
}

// Member is one seat: who sits there and which model speaks.
type Member struct {
	ID           MemberID `json:"id"`
	Name         string   `json:"name" text:"charter"`
	Role         string   `json:"role" text:"charter"`
	SystemPrompt string   `json:"systemPrompt" text:"charter"`

	// The file that SystemPrompt was taken from, or, in a configuration, is to be taken from; "" for none.
	SystemPromptFile string `json:"systemPromptFile,omitempty" text:"id"`

	Traits       []string           `json:"traits,omitempty" text:"charter"`
	FocusWeights map[string]float64 `json:"focusWeights,omitempty" text:"-"`
	Model        Model              `json:"model" text:"-"`
	Tools        *Tools             `json:"tools,omitempty" text:"-"` // nil: none
}

// Focuses lists a member's focuses, the weightiest first and equals by name.
func (m *Member) Focuses() []string {
	return slices.SortedFunc(maps.Keys(m.FocusWeights), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.FocusWeights[b], m.FocusWeights[a]), cmp.Compare(a, b))
	})
}

// Model describes how a member's model is called. It holds no secrets, only the names of keys.
type Model struct {
	Provider      string            `json:"provider"`
	Model         string            `json:"model"`
	API           string            `json:"api,omitempty"`
	BaseURL       string            `json:"baseUrl,omitempty"`
	APIKeyEnv     string            `json:"apiKeyEnv,omitempty"`
	Auth          *Auth             `json:"auth,omitempty"`
	Temperature   *float64          `json:"temperature,omitempty"`
	MaxTokens     int               `json:"maxTokens,omitempty"`
	MaxReplyBytes int               `json:"maxReplyBytes,omitempty"` // of text; zero is 256 KiB
	Headers       map[string]string `json:"headers,omitempty"`

	// CallsPerMinute limits the calls to one server with one key, over all members that use it. Zero is no limit.
	CallsPerMinute float64 `json:"callsPerMinute,omitempty"`

	// TokensPerMinute limits the tokens that one model at one server takes with one key, prompts and replies together,
	// over all members that use it. Zero is no limit.
	TokensPerMinute float64 `json:"tokensPerMinute,omitempty"`

	// Parallel limits the calls that go on at once at one server, over all members that use it; 0: one on this machine,
	// else any number. The times, such as 90s or 10m, limit a call: from when its reply begins, and until then.
	Parallel         int    `json:"parallel,omitempty"`
	Timeout          string `json:"timeout,omitempty"`
	FirstByteTimeout string `json:"firstByteTimeout,omitempty"`

	// ReasoningEffort is one of [Efforts]. It is sent with questions that ask for judgement; see [Model.Effort]. Empty:
	// the provider's own.
	ReasoningEffort string `json:"reasoningEffort,omitempty"`

	// ContextWindow is how many tokens the model's server holds, a prompt and its reply together. Zero: it is not
	// known.
	ContextWindow int `json:"contextWindow,omitempty"`

	// Fallbacks are asked, in this order, while the model is missing or its server is down. They have none of their
	// own.
	Fallbacks []Model `json:"fallbacks,omitempty"`

	// Of the provider command alone.

	// A program of the user's own and its arguments; empty: the agent that Model names.
	Command      []string `json:"command,omitempty"`
	Program      string   `json:"program,omitempty"`      // the path of that agent; empty: it is looked for in PATH
	OutputFormat string   `json:"outputFormat,omitempty"` // the output of Command: text, the default, or json

	// The environment variables that the program is given besides the few it needs.
	Env   []string `json:"env,omitempty"`
	Tools bool     `json:"tools,omitempty"` // whether an agent may use tools
}

// Name returns the provider and the model, as policies and reports name them: provider/model.
func (m Model) Name() string { return m.Provider + "/" + m.Model }

// Auth is the source of the credential of a model, or of a server of tools. Method decides which other fields matter.
type Auth struct {
	Method                      string   `json:"method"` // api-key-env, credential-ref, oauth-device-code, command
	APIKeyEnv                   string   `json:"apiKeyEnv,omitempty"`
	CredentialID                string   `json:"credentialId,omitempty"`
	ClientID                    string   `json:"clientId,omitempty"`
	DeviceAuthorizationEndpoint string   `json:"deviceAuthorizationEndpoint,omitempty"`
	TokenEndpoint               string   `json:"tokenEndpoint,omitempty"`
	Scopes                      []string `json:"scopes,omitempty"`
	Audience                    string   `json:"audience,omitempty"`

	// The command that prints the credential, and the variables that it is given besides the few it needs.
	Command         Printer  `json:"command,omitzero"`
	Env             []string `json:"env,omitempty"`
	CacheKey        string   `json:"cacheKey,omitempty"`
	CacheTTLSeconds float64  `json:"cacheTtlSeconds,omitempty"`
	TokenStorePath  string   `json:"tokenStorePath,omitempty"`
}

// Storage names the folders of the record and the memory.
type Storage struct {
	RootDir   string `json:"rootDir" text:"id"`
	MemoryDir string `json:"memoryDir" text:"id"`
}

// Execution sets how a decision is executed, and whether a person must approve that first.
type Execution struct {
	RequireHumanApproval   bool   `json:"requireHumanApproval"`
	DefaultExecutorProfile string `json:"defaultExecutorProfile" text:"id"`
}

// Seats lists the members that sit, in turn order: that of turnOrder, else of the members. Spares do not sit.
func (c *Charter) Seats() []MemberID {
	seats := slices.Clone(c.TurnOrder)
	if len(seats) == 0 {
		seats = c.IDs()
	}
	return slices.DeleteFunc(seats, c.IsSpare)
}

// IsSpare reports whether a member is a spare, which is asked after the seats could not decide.
func (c *Charter) IsSpare(m MemberID) bool { return slices.Contains(c.Deliberation.Spares, m) }

// IDs lists the members, in the order of the charter.
func (c *Charter) IDs() []MemberID { return Map(c.Members, func(m Member) MemberID { return m.ID }) }

// IsAuto reports whether the council votes at once and debates only the difference.
func (c *Charter) IsAuto() bool { return c.Deliberation.Pace == PaceAuto }

// Member returns the member with the given id, or nil.
func (c *Charter) Member(id MemberID) *Member {
	return Find(c.Members, func(m Member) bool { return m.ID == id })
}

// Asked returns who may be asked under the given id: a member, or for [Convener] the person who convened; else nil.
func (c *Charter) Asked(id MemberID) *Member {
	if id == Convener {
		return &Member{ID: Convener, Name: "the convener", Model: Model{Provider: "human"}}
	}
	return c.Member(id)
}

// Phase returns the phase with the given id, or nil.
func (c *Charter) Phase(id PhaseID) *Phase {
	return Find(c.Phases, func(p Phase) bool { return p.ID == id })
}

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

// The paces. Auto: a ballot at once, and a debate only of the difference. As-written: the phases as they were written.
// Quick: one round of all at once, then the vote. Standard: phases that explore have one round of all at
// once, those that decide two in order. Thorough: everything as it was written, in order.
const (
	PaceAuto     Pace = "auto"
	PaceWritten  Pace = "as-written"
	PaceQuick    Pace = "quick"
	PaceStandard Pace = "standard"
	PaceThorough Pace = "thorough"
)
