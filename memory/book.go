package memory

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// Format is the version of a book's form. A book with a greater one was written by a newer version of council.
const Format = 1

// Fade is how many sessions a record outlives its newest evidence before members are no longer reminded of it.
const Fade = 25

// MaxRecords is how many records a book holds; MaxRecent is how many sessions it lists, and as many rehearsals besides.
// What leaves a book moves to the archive of its year and is still found there.
const (
	MaxRecords = 240
	MaxRecent  = 32
)

// Book is the memory of the council or of one member: COUNCIL.json or <member>/MEMORY.json, in the form of
// [BookFile]. It is canonical; its Markdown is rendered from it.
type Book struct {
	Format   int
	Member   council.MemberID // whose book it is; empty for the council's
	Name     string           // the council's or the member's, as of the last session
	Root     string           // see [RootOf]
	Step     int              // the last step of the journal that is in this book
	Sessions int              // how many sessions were folded in, ever

	Rehearsals int      // how many of them were rehearsals
	Recent     []Closed // the newest of them, the newest last
	Records    []Record // in the order in which they came into the book; of the council's decisions first, then lessons
}

// Closed is a session that was folded into a book, and what it came to. Texts are short, and empty where they were
// erased.
type Closed struct {
	Session council.SessionID `json:"sessionId"`
	At      time.Time         `json:"timestamp"` // when it closed
	UpTo    council.Seq       `json:"upTo"`      // the last event that was folded in: rulings come after the close

	Rehearsed bool `json:"rehearsed,omitempty"` // a member was the rehearsal

	Question   string             `json:"question"` // the first line of its topic
	Leader     council.MemberID   `json:"leaderId"`
	EndedBy    string             `json:"endedBy"`         // as in session.json
	Resolution string             `json:"finalResolution"` // what the motions that stand decide
	Vote       string             `json:"vote,omitempty"`  // on the last of them
	Output     council.OutputType `json:"outputType"`
	Stance     string             `json:"stance,omitempty"` // in the book of a member: its position and its vote
}

// Step is one line of the journal: something that changed memory. The journal is the order of what happened, and every
// book can be folded from it again. Exactly one of Session and Change is set.
type Step struct {
	N       int       `json:"n"`  // from 1 without gaps
	At      time.Time `json:"at"` // of a session: when it closed, or when the last of the events was recorded
	Session *Fold     `json:"session,omitempty"`
	Change  *Change   `json:"change,omitempty"`
}

// Fold names the events of a session that are folded in: all up to its close, or the rulings that came later.
type Fold struct {
	ID      council.SessionID  `json:"id"`
	From    council.Seq        `json:"from"` // 1 for a session that closed
	To      council.Seq        `json:"to"`
	Members []council.MemberID `json:"members"` // whose books it concerns, beside the council's
}

// Change is a person's word on one book: records as they shall stand from now on. A record whose id is in the book or
// its archive takes that one's place; any other is new.
type Change struct {
	By     string           `json:"by"`
	Verb   string           `json:"verb"`             // such as add, edit, accept or forget: for people
	Member council.MemberID `json:"member,omitempty"` // whose book; empty for the council's
	Put    []Record         `json:"put"`

	// Before holds what stood in the place of records that a person changed in a file: see [Corrections].
	Before []Record `json:"before,omitempty"`

	// Drop lists the ids of records that are forgotten: they leave the book and its archive, and nothing is left of
	// them.
	Drop []string `json:"drop,omitempty"`
}

// Session is a session as the fold sees it.
type Session struct {
	ID      council.SessionID
	Entries []wire.Entry // the log from its first event up to the last that is to be folded in
	From    council.Seq  // events before this one were folded in before; 1 for a session that has just closed
}

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
		list := []*[]Record{&f.Decisions, &f.Lessons, &f.Records}[rowOf(r.Kind).list]
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

// RootApart stands for a way to the record that is not known: the folders do not tell it, or sessions of several
// records are in one book.
const RootApart = "-"

// rootAbove is the usual way: memory stands in the folder of the record. A book leaves it out.
const rootAbove = ".."

// RootOf returns what a book keeps of where a session's record is: the way there from the folder of memory, with
// slashes; nothing for the usual one, or [RootApart].
func RootOf(s council.Storage) string {
	if way := between(s.MemoryDir, s.RootDir); way != rootAbove {
		return way
	}
	return ""
}

// Way returns the way from the folder of memory to that of the record for what a book keeps of it; ok is false when it
// is not known.
func Way(root string) (way string, ok bool) {
	if root == "" {
		return rootAbove, true
	}
	return root, root != RootApart
}

// ownFolders are the folders of memory that are no member's.
var ownFolders = []string{"daily", "items", "categories", "members"}

// Folder returns the folder of a member's book in the folder of memory: the member's id, or "member." before it where
// another folder is called so. No id has a dot.
func Folder(member council.MemberID) string {
	if slices.Contains(ownFolders, string(member)) {
		return "member." + string(member)
	}
	return string(member)
}

// Stem returns what the names of the files of an owner's book begin with.
func Stem(member council.MemberID) string {
	if member == "" {
		return "COUNCIL"
	}
	return "MEMORY"
}

// between returns the way from one folder to another by their names alone, so that it is the same on every machine.
func between(from, to string) string {
	way, err := filepath.Rel(path.Clean(from), path.Clean(to))
	if err != nil || strings.ContainsAny(from+to, `\:`) {
		return RootApart
	}
	return filepath.ToSlash(way)
}
