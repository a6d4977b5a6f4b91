package wording

// The banks that have one variant only. Others are found by [For].
const (
	// In opening.txt.
	BareAdmissions Bank = "bare admissions"
	OffTopic       Bank = "off topic"
	Grounds        Bank = "grounds"
	Counterweights Bank = "counterweights"
	Conditions     Bank = "conditions"
	Nominations    Bank = "nominations"
	OwnNominations Bank = "own nominations"

	// In turn.txt.
	Openers         Bank = "openers"
	Headed          Bank = "headed"
	Towards         Bank = "towards"
	Raises          Bank = "raises"
	Insists         Bank = "insists"
	Supports        Bank = "supports"
	Doubting        Bank = "doubting"
	DependingOn     Bank = "depending on"
	Besides         Bank = "besides"
	Listening       Bank = "listening"
	Links           Bank = "links"
	Revisits        Bank = "revisits"
	RevisitsTowards Bank = "revisits towards"
	EvidenceFor     Bank = "evidence for"
	EvidenceAgainst Bank = "evidence against"
	Reminders       Bank = "reminders"
	Passes          Bank = "passes"
	PassesAfter     Bank = "passes after"
	Silences        Bank = "silences"

	// In motion.txt.
	Frames         Bank = "frames"
	Narrows        Bank = "narrows"
	Resting        Bank = "resting"
	Upholding      Bank = "upholding"
	Amending       Bank = "amending"
	FrameTitles    Bank = "frame titles"
	NarrowTitles   Bank = "narrow titles"
	FrameDecisions Bank = "frame decisions"
	SecondsAnyway  Bank = "seconds anyway"
	SecondsFor     Bank = "seconds for"
	SecondsAgainst Bank = "seconds against"

	// In vote.txt.
	YesFor         Bank = "yes for"
	YesAnyway      Bank = "yes anyway"
	YesMover       Bank = "yes mover"
	NoMissing      Bank = "no missing"
	NoStance       Bank = "no stance"
	NoCautious     Bank = "no cautious"
	Abstains       Bank = "abstains"
	DraftYes       Bank = "draft yes"
	DraftAnyway    Bank = "draft anyway"
	DraftFixed     Bank = "draft fixed"
	DraftNo        Bank = "draft no"
	DraftNoLine    Bank = "draft no line"
	DraftFixedLine Bank = "draft fixed line"
	DraftAbstains  Bank = "draft abstains"

	// In review.txt.
	DraftOwn     Bank = "draft own"
	LineProblems Bank = "line problems"
	LineImpacts  Bank = "line impacts"
	LineChanges  Bank = "line changes"
	Problems     Bank = "problems"
	Impacts      Bank = "impacts"
	ChangesAsked Bank = "changes asked"
	Suggestions  Bank = "suggestions"

	// In closing.txt.
	Silent          Bank = "silent"
	SummaryOpenings Bank = "summary openings"
	DissentsNo      Bank = "dissents no"
	DissentsYes     Bank = "dissents yes"
	DissentsWhy     Bank = "dissents why"
	DissentsGround  Bank = "dissents ground"
	DissentsLine    Bank = "dissents line"
	DissentsEnd     Bank = "dissents end"
)
