package memory

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// BookFile is a book as it stands on disk. A record stands in it once: of the council's, decisions and lessons have
// lists of their own.
type BookFile struct {
	Format     int              `json:"format"`
	Member     council.MemberID `json:"memberId,omitempty"`
	Name       string           `json:"name"`
	Root       string           `json:"root,omitempty"`
	Step       int              `json:"step"`
	Folded     int              `json:"sessionsFolded"`
	Rehearsals int              `json:"rehearsalsFolded,omitempty"`

	Sessions []Closed `json:"sessions,omitzero"`       // the council's; the newest first
	Recent   []Closed `json:"recentSessions,omitzero"` // a member's; the newest first

	Decisions []Record `json:"globalDecisions,omitzero"`   // the council's
	Lessons   []Record `json:"crossAgentLessons,omitzero"` // the council's
	Records   []Record `json:"records"`                    // all others

	Context *PromptContext `json:"promptContext,omitzero"` // a member's
}

// PromptContext holds the summaries that the owner of a book would be told for an empty topic. It is made from the
// records and not read.
type PromptContext struct {
	Constraints  []string  `json:"constraints"`
	Decisions    []string  `json:"keyDecisions"`
	Risks        []string  `json:"topRisks"`
	OpenLoops    []string  `json:"openLoops"`
	Preferences  []string  `json:"preferences"`
	AntiPatterns []string  `json:"antiPatterns"`       // lessons
	UpdatedAt    time.Time `json:"updatedAt,omitzero"` // when the last session closed
}

// MarshalJSON writes the book in the form of [BookFile].
func (b Book) MarshalJSON() ([]byte, error) { return wire.JSON(fileOf(b)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (b *Book) UnmarshalJSON(text []byte) error {
	var f BookFile
	err := json.Unmarshal(text, &f)
	*b = Book{
		Format: f.Format, Member: f.Member, Name: f.Name, Root: f.Root, Step: f.Step, Sessions: f.Folded,
		Rehearsals: f.Rehearsals, Recent: slices.Concat([]Closed{}, f.Sessions, f.Recent),
		Records: slices.Concat([]Record{}, f.Decisions, f.Lessons, f.Records),
	}
	slices.Reverse(b.Recent)
	return err
}

func fileOf(b Book) BookFile {
	f := BookFile{
		Format: b.Format, Member: b.Member, Name: b.Name, Root: b.Root, Step: b.Step, Folded: b.Sessions,
		Rehearsals: b.Rehearsals, Records: []Record{},
	}
	recent := append([]Closed{}, b.Recent...)
	slices.Reverse(recent)
	if b.Member != "" {
		f.Recent, f.Records = recent, append(f.Records, b.Records...)
		f.Context = contextOf(b)
		return f
	}
	f.Sessions, f.Decisions, f.Lessons = recent, []Record{}, []Record{}
	for _, r := range b.Records {
		list := []*[]Record{&f.Decisions, &f.Lessons, &f.Records}[listOf(r.Kind)]
		*list = append(*list, r)
	}
	return f
}

// contextOf tells what a member would be told of its own book for an empty topic.
func contextOf(b Book) *PromptContext {
	c := PromptContext{[]string{}, []string{}, []string{}, []string{}, []string{}, []string{}, time.Time{}}
	if n := len(b.Recent); n > 0 {
		c.UpdatedAt = b.Recent[n-1].At
	}
	lists := map[string]*[]string{
		string(KindConstraint): &c.Constraints, string(KindDecision): &c.Decisions, string(KindRiskPattern): &c.Risks,
		string(KindOpenLoop): &c.OpenLoops, string(KindPreference): &c.Preferences, string(KindLesson): &c.AntiPatterns,
	}
	for _, r := range Digest(b, c.UpdatedAt, Subject{}, council.ReminderSize/2, false).Records {
		if list := lists[r.Kind]; list != nil {
			*list = append(*list, r.Summary)
		}
	}
	return &c
}

// listOf returns which of the lists of the council's records one of a kind is in.
func listOf(k Kind) int {
	switch k {
	case KindDecision:
		return 0
	case KindLesson:
		return 1
	}
	return 2
}
