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

// Format is the version of a book's form. A newer version of council wrote a book with a greater one.
const Format = 1

// Fade is for how many sessions after its newest evidence a digest has a record.
const Fade = 25

// MaxRecords bounds the records of a book, MaxRecent its sessions, and its rehearsals besides. The oldest move to the
// archive of their year.
const (
	MaxRecords = 240
	MaxRecent  = 32
)

// Book is the memory of the council or of one member: COUNCIL.json or <member>/MEMORY.json, in the form of
// [BookFile]. It is canonical; its Markdown is rendered from it.
type Book struct {
	Format     int              `json:"format"`
	Member     council.MemberID `json:"memberId,omitempty"`         // the owner; empty for the council
	Name       string           `json:"name"`                       // the council's or the member's, as of the last session
	Root       string           `json:"root,omitempty"`             // see [RootOf]
	Step       int              `json:"step"`                       // the last step of the journal that is in this book
	Sessions   int              `json:"sessionsFolded"`             // the number of sessions that were folded in, ever
	Rehearsals int              `json:"rehearsalsFolded,omitempty"` // how many of them were rehearsals

	Recent  []Closed `json:"-"` // the newest of them, the newest last
	Records []Record `json:"-"` // in order of arrival; in the council's book decisions first, then lessons
}

// Closed is a session that was folded into a book, with its result. Texts are short, and empty once erased.
type Closed struct {
	Session council.SessionID `json:"sessionId"`
	At      time.Time         `json:"timestamp"` // when it closed
	UpTo    council.Seq       `json:"upTo"`      // the last event that was folded in: rulings come after the close

	Rehearsed bool `json:"rehearsed,omitempty"` // a member was the rehearsal

	Question   string             `json:"question"` // the first line of its topic
	Leader     council.MemberID   `json:"leaderId"`
	EndedBy    string             `json:"endedBy"`         // as in session.json
	Resolution string             `json:"finalResolution"` // the decisions of the motions in force
	Vote       string             `json:"vote,omitempty"`  // on the last of them
	Output     council.OutputType `json:"outputType"`
	Stance     string             `json:"stance,omitempty"` // in the book of a member: its position and its vote
}

// Step is one line of the journal, a change of memory. All books can be folded from the journal. Exactly one of Session
// and Change is set.
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
	Members []council.MemberID `json:"members"` // the owners of the books that it concerns, beside the council
}

// Change is a person's change to one book.
type Change struct {
	By     string           `json:"by"`
	Verb   string           `json:"verb"`             // such as add, edit, accept or forget: for people
	Member council.MemberID `json:"member,omitempty"` // the owner of the book; empty for the council
	Put    []Record         `json:"put"`              // each replaces the record with its id in the book or its archive, or is new

	Before []Record `json:"before,omitempty"` // the records before a person changed them in a file: see [Corrections]
	Drop   []string `json:"drop,omitempty"`   // ids of records to forget, in the book and its archive
}

// Session is a session for the fold.
type Session struct {
	ID      council.SessionID
	Entries []wire.Entry // the log from its first event up to the last that is to be folded in
	From    council.Seq  // events before this one were folded in before; 1 for a session that has just closed
}

// BookFile is the JSON of a book.
type BookFile struct {
	bookHead

	Sessions []Closed `json:"sessions,omitzero"`       // the council's; the newest first
	Recent   []Closed `json:"recentSessions,omitzero"` // a member's; the newest first

	Decisions []Record `json:"globalDecisions,omitzero"`   // the council's
	Lessons   []Record `json:"crossAgentLessons,omitzero"` // the council's
	Records   []Record `json:"records"`                    // all others

	Context *PromptContext `json:"promptContext,omitzero"` // a member's
}

type bookHead Book // without its methods

// PromptContext holds the summaries of a member's digest for an empty topic. It is written for people and not read.
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
func (b Book) MarshalJSON() ([]byte, error) {
	f := BookFile{bookHead: bookHead(b), Records: []Record{}}
	recent := append([]Closed{}, b.Recent...)
	slices.Reverse(recent)
	if b.Member != "" {
		f.Recent, f.Records, f.Context = recent, append(f.Records, b.Records...), contextOf(b)
		return wire.JSON(f)
	}
	f.Sessions, f.Decisions, f.Lessons = recent, []Record{}, []Record{}
	for _, r := range b.Records {
		list := []*[]Record{&f.Decisions, &f.Lessons, &f.Records}[rowOf(r.Kind).list]
		*list = append(*list, r)
	}
	return wire.JSON(f)
}

// UnmarshalJSON reads the JSON of MarshalJSON.
func (b *Book) UnmarshalJSON(text []byte) error {
	var f BookFile
	err := json.Unmarshal(text, &f)
	*b = Book(f.bookHead)
	b.Recent = slices.Concat([]Closed{}, f.Sessions, f.Recent)
	b.Records = slices.Concat([]Record{}, f.Decisions, f.Lessons, f.Records)
	slices.Reverse(b.Recent)
	return err
}

func contextOf(b Book) *PromptContext {
	var at time.Time
	if n := len(b.Recent); n > 0 {
		at = b.Recent[n-1].At
	}
	said := map[string][]string{}
	for _, r := range Digest(b, at, Subject{}, council.ReminderSize/2, false).Records {
		said[r.Kind] = append(said[r.Kind], r.Summary)
	}
	of := func(k Kind) []string { return append([]string{}, said[string(k)]...) }
	return &PromptContext{of(KindConstraint), of(KindDecision), of(KindRiskPattern), of(KindOpenLoop),
		of(KindPreference), of(KindLesson), at}
}

// UnknownRoot stands for an unknown path to the record: the folders do not give it, or sessions of several records are
// in one book.
const UnknownRoot = "-"

// usualRoot is the usual path, which a book leaves out: memory is a folder in the folder of the record.
const usualRoot = ".."

// RootOf returns [Book.Root] for a session: the path with slashes from the folder of memory to that of its record,
// nothing for the usual one, or [UnknownRoot]. It looks at names only, so it is the same on every machine.
func RootOf(s council.Storage) string {
	way, err := filepath.Rel(path.Clean(s.MemoryDir), path.Clean(s.RootDir))
	if err != nil || strings.ContainsAny(s.MemoryDir+s.RootDir, `\:`) {
		return UnknownRoot
	}
	if way = filepath.ToSlash(way); way == usualRoot {
		return ""
	}
	return way
}

// folders are the folders of memory that belong to no member.
var folders = []string{"daily", "items", "categories", "members"}

// Folder returns the folder of a member's book in the folder of memory: the member's id, after "member." where another
// folder has this name. No id has a dot.
func Folder(member council.MemberID) string {
	if slices.Contains(folders, string(member)) {
		return "member." + string(member)
	}
	return string(member)
}

// Stem returns the beginning of the file names of an owner's book.
func Stem(member council.MemberID) string {
	if member == "" {
		return "COUNCIL"
	}
	return "MEMORY"
}

// Faded reports whether none of a record's evidence is from the [Fade] sessions that closed last in this book, or for a
// rehearsal's record from the last rehearsals. Only the order of closes counts, never the clock. A person's word counts
// at the session that closed last before it, and at the book's beginning when there was none.
func (b Book) Faded(r Record) bool { return b.calendar().hasFaded(&r) }

// Unfaded lists the sessions that have not faded.
func (b Book) Unfaded() []council.SessionID {
	cal := b.calendar()
	var all []council.SessionID
	for _, c := range b.Recent {
		if cal[c.Rehearsed][c.Session] > 0 {
			all = append(all, c.Session)
		}
	}
	return all
}

// calendar numbers the sessions that have not faded, the newest highest and from 1 up: for records of rehearsals the
// rehearsals, for all others the other sessions, so that neither makes the other older. A session of the other sort,
// after which a person may have spoken, has the number of the session before it.
type calendar map[bool]map[council.SessionID]int

func (b *Book) calendar() calendar {
	c := calendar{}
	for rehearsed, sessions := range map[bool]int{false: b.Sessions - b.Rehearsals, true: b.Rehearsals} {
		at, n := make(map[council.SessionID]int, len(b.Recent)+1), Fade
		for _, s := range slices.Backward(b.Recent) {
			at[s.Session] = n
			if s.Rehearsed == rehearsed {
				n--
			}
		}
		if sessions < Fade {
			at[""] = Fade - sessions // before the first session
		}
		c[rehearsed] = at
	}
	return c
}

// newestEvidence returns the index of a record's evidence whose session closed last, and that session's number; -1 and
// 0 when all of it has faded. Of several in one session it is the last. A person's rule never fades.
func (c calendar) newestEvidence(r *Record) (index, newest int) {
	index = -1
	of := c[r.Rehearsed]
	for i := range r.Evidence {
		if at := of[r.Evidence[i].SessionID]; at > 0 && at >= newest {
			index, newest = i, at
		}
	}
	if r.isRule() {
		newest = max(newest, 1)
	}
	return index, newest
}

func (c calendar) hasFaded(r *Record) bool {
	_, at := c.newestEvidence(r)
	return at < 1
}
