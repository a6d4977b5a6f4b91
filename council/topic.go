package council

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Topic is the question to the council, with the documents it is given.
type Topic struct {
	Text      string     `json:"text" text:"said"`
	Documents []Document `json:"documents,omitempty"`
	Skipped   []Skipped  `json:"skipped,omitempty"` // files named as context, or changed in a diff, and not given
	Cut       []Cut      `json:"cut,omitempty"`     // secrets that were taken out

	// Invisible characters; those of kind `private-use` were left in, the others not.
	Hidden  []Cut     `json:"hidden,omitempty"`
	Reopens *Reopened `json:"reopens,omitempty"` // the closed session that is taken up again
}

// Reopened is a closed session that another takes up again, with the reason and its outcome.
type Reopened struct {
	Session SessionID `json:"session"`
	Closed  string    `json:"closed" text:"id"`    // the day, such as 2026-11-21, in UTC
	Because string    `json:"because" text:"said"` // in the words of the person who convenes
	Record  string    `json:"record" text:"id"`    // the name of the document that holds its record

	// Its decisions, which are to be reconsidered.
	Resolutions []Resolution `json:"resolutions,omitempty"`

	// The document that is sent back for another revision, if one is, and its unanswered critical blockers.
	Draft    string    `json:"draft,omitempty" text:"id"`
	Blockers []Blocker `json:"blockers,omitempty"`
}

// Skipped holds the files that were named as context, or changed in a diff, and that members are not shown, for one
// reason.
type Skipped struct {
	Reason string     `json:"reason" text:"id"` // a clause: "it is binary, not UTF-8 text"
	Count  int        `json:"count"`            // of files, and of folders that were not entered
	Lines  int        `json:"lines,omitempty"`  // as far as known
	Bytes  int64      `json:"bytes,omitempty"`  // likewise
	Files  []LeftFile `json:"files,omitempty"`  // the forty largest
	Notes  bool       `json:"notes,omitempty"`  // own notes, of which members do not know
}

// LeftFile is a file, or a folder, that members are not shown.
type LeftFile struct {
	Name  string `json:"name" text:"name"`
	Lines int    `json:"lines,omitempty"` // in a diff those that changed; 0: not known
	Bytes int64  `json:"bytes,omitempty"` // likewise
}

const MaxLeftFiles = 40 // how many files are named for one reason, and in a prompt

// Add counts a file, and keeps its name if it is one of the largest.
func (s *Skipped) Add(f LeftFile) {
	s.Count, s.Lines, s.Bytes = s.Count+1, s.Lines+f.Lines, s.Bytes+f.Bytes
	at, _ := slices.BinarySearchFunc(s.Files, f, func(a, b LeftFile) int { return cmp.Or(b.compare(a), -1) })
	if at < MaxLeftFiles {
		s.Files = slices.Insert(s.Files, at, f)
		s.Files = s.Files[:min(len(s.Files), MaxLeftFiles)]
	}
}

// Named returns the files with their sizes.
func (s Skipped) Named() []string { return Map(s.Files, LeftFile.String) }

// compare compares the sizes of files: by lines, where those are not known by bytes.
func (f LeftFile) compare(g LeftFile) int {
	lines := func(f LeftFile) int64 { return cmp.Or(int64(f.Lines), f.Bytes/40) }
	return cmp.Or(cmp.Compare(lines(f), lines(g)), cmp.Compare(f.Bytes, g.Bytes))
}

// String returns the name with the size, such as "src/a.go (12 lines)".
func (f LeftFile) String() string {
	size, unit := int64(f.Lines), "line"
	if f.Lines == 0 {
		size, unit = f.Bytes, "byte"
	}
	if size == 0 {
		return f.Name
	}
	if size > 1 {
		unit += "s"
	}
	return fmt.Sprintf("%s (%d %s)", f.Name, size, unit)
}

// Document is one context document, whole: members quote it by name and line.
type Document struct {
	Name   string      `json:"name" text:"id"` // as the user named it, with forward slashes
	SHA256 string      `json:"sha256" text:"id"`
	Text   string      `json:"text" text:"document"`
	Shows  []FileLines `json:"shows,omitempty"` // lines of files in it, as a diff has, which can be cited
	Note   *OwnNote    `json:"note,omitempty"`  // a note of the person who convened, for all sessions
}

// OwnNote marks a document as one of the notes that a person keeps beside memory.
type OwnNote struct {
	Left int `json:"left,omitempty"` // characters that found no room
}

// NewDocument returns a document with its digest.
func NewDocument(name, text string) Document {
	return Document{Name: name, SHA256: Digest(text), Text: text}
}

// Digest returns the SHA-256 of s in lower-case hexadecimal: how drafts, briefs and documents are named in votes.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Cut counts the secrets, or hidden characters, of one kind that were found in a text before the council was given it.
type Cut struct {
	In    string `json:"in,omitempty" text:"id"` // the document; empty: the topic, a reply, or a lookup
	Kind  string `json:"kind" text:"id"`         // such as "aws-access-key", or "zero-width"
	Count int    `json:"count"`
}

// AddCuts adds up the counts of several texts: by place, then by kind, each once.
func AddCuts(of ...[]Cut) []Cut {
	var all []Cut
	for _, c := range slices.Concat(of...) {
		i, found := slices.BinarySearchFunc(all, c, func(a, b Cut) int {
			return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.Kind, b.Kind))
		})
		if found {
			all[i].Count += c.Count
			continue
		}
		all = slices.Insert(all, i, c)
	}
	return all
}

// CutsIn returns counts by kind as those of a place, sorted.
func CutsIn(in string, counts map[string]int) []Cut {
	var all []Cut
	for kind, n := range counts {
		all = append(all, Cut{In: in, Kind: kind, Count: n})
	}
	return AddCuts(all)
}

// Shortened describes a field of a reply that was too long and was cut: a text in characters, with a "…" for its last,
// a list in entries.
type Shortened struct {
	Field string `json:"field" text:"id"` // as in the reply, such as "motionTitle"
	From  int    `json:"from"`            // how long it was
	To    int    `json:"to"`              // how long it may be
}

// bounds are the longest texts in characters, and the longest lists in entries, by their names in replies. Decisions
// and briefs are not among them: they are never cut.
var bounds = map[string]int{"position": 8_000, "overlooked": 10, "unknown": 10, "stance": MaxStance, "rationale": 4_000,
	"message": 20_000, "answer": 20_000, "question": 2_000, "reason": 2_000, "note": 2_000, "motionTitle": 200,
	"deliverables": 50, "qualityGates": 50, "assumptions": 50, "risks": 50, "constraints": 50, "citations": 100,
	"summaryMarkdown": 40_000, "settles": 100, "criticalBlockers": MaxBlockers, "suggestedChanges": MaxSuggestions,
	"dissent": MaxDissent}

// Shorten returns the body of a reply with all its fields cut to their bounds, and the list of fields that it cut.
func Shorten(body Body) (Body, []Shortened) {
	b := reflect.New(reflect.TypeOf(body)).Elem()
	b.Set(reflect.ValueOf(body))
	var cut []Shortened
	for i := range b.NumField() {
		name, _, _ := strings.Cut(b.Type().Field(i).Tag.Get("json"), ",")
		most, bounded := bounds[name]
		if !bounded || b.Field(i).Len() <= most {
			continue
		}
		field, from := b.Field(i), b.Field(i).Len()
		if field.Kind() == reflect.Slice {
			field.SetLen(most)
		} else {
			runes := []rune(field.String())
			if from = len(runes); from <= most {
				continue
			}
			field.SetString(cutText(runes, most))
		}
		cut = append(cut, Shortened{Field: name, From: from, To: most})
	}
	short := b.Interface().(Body)
	if proposal, ok := short.(Answers); ok {
		return shortenAnswers(proposal, cut)
	}
	return short, cut
}

// cutText cuts a text to a length, where it can after a whole word, with "…" for the rest.
func cutText(text []rune, most int) string {
	cut := strings.TrimRight(string(text[:most-1]), " \n\t")
	if end := strings.LastIndexAny(cut, " \n\t"); end > len(cut)/2 && !unicode.IsSpace(text[most-1]) {
		cut = strings.TrimRight(cut[:end], " \n\t")
	}
	return cut + "…"
}

// shortenAnswers cuts the answers of a proposal to the length of an option.
func shortenAnswers(b Answers, cut []Shortened) (Body, []Shortened) {
	b.Answers = slices.Clone(b.Answers)
	for i, one := range b.Answers {
		if runes := []rune(one.Answer); len(runes) > MaxOption {
			b.Answers[i].Answer = cutText(runes, MaxOption)
			cut = append(cut, Shortened{Field: "answer", From: len(runes), To: MaxOption})
		}
	}
	return b, cut
}

// Reminder holds records of one memory, frozen when the session opened: members read these and nothing newer, however
// long the session takes.
type Reminder struct {
	Member  MemberID     `json:"member,omitempty"` // the owner; empty for the council's, which all read
	Records []Remembered `json:"records"`          // rules of persons first, then by kind, decisions first
	Left    int          `json:"left,omitempty"`   // records for which there was no room
}

// Remembered is one record of memory as members read it. See package memory.
type Remembered struct {
	ID      string `json:"id" text:"id"` // such as "r-4k2m9qx7w3ab", by which motions name records that they replace
	Kind    string `json:"kind" text:"id"`
	Summary string `json:"summary" text:"said"` // without a vote, with the names of the speakers
	Detail  string `json:"detail,omitempty" text:"said"`
	Date    string `json:"date" text:"id"` // of its newest evidence, YYYY-MM-DD in UTC

	Vote    string    `json:"vote,omitempty" text:"short"` // of a decision: by which it carried
	Session SessionID `json:"session,omitempty"`           // of a decision: where
	Alike   int       `json:"alike,omitempty"`             // how many records say nearly the same, where several do
}

// Recollection is a hit of a search of memory beyond the reminders: words from long ago, which have not been checked
// since.
type Recollection struct {
	ID      string    `json:"id" text:"id"`                     // of the turn, episode or record
	Kind    string    `json:"kind" text:"id"`                   // turn, episode or record
	Session SessionID `json:"session,omitempty"`                // where it was said
	Speaker string    `json:"speaker,omitempty" text:"speaker"` // the member's name; empty if it was not one member
	Date    string    `json:"date" text:"id"`                   // YYYY-MM-DD in UTC
	Text    string    `json:"text" text:"said"`
}

// The kinds of recollection.
const (
	RecalledTurn    = "turn"
	RecalledEpisode = "episode"
	RecalledRecord  = "record"
)

// The bounds of memory in a session. Texts are counted in characters.
const (
	MaxReminded          = 240    // records in one reminder
	MaxReminder          = 24_000 // summaries and details of one reminder together
	ReminderSize         = 12_000 // of the council's at most, unless the charter says otherwise
	UsualReminder        = 1_500  // of the council's, unless the topic calls for more
	MinReminder          = 1_000
	MaxRememberedSummary = 220
	MaxRememberedDetail  = 800
	MaxRecollections     = 3 // of one session
	MaxRecollection      = 1_500
	MaxRecallQuery       = 1_000
)

// Reminder returns the reminder of a memory with which the session opened: the council's for an empty id. It has no
// records if the session was given none.
func (p SessionStarted) Reminder(of MemberID) Reminder {
	if found := Find(p.Memory, func(r Reminder) bool { return r.Member == of }); found != nil {
		return *found
	}
	return Reminder{Member: of}
}

// Settled returns the settlements of a summary that are kept as claims of its author, the leader: of records that it
// was reminded of, by the council's memory or its own, each once. Others are dropped.
func (p SessionStarted) Settled(leader MemberID, s Summary) []Settlement {
	open := map[string]bool{}
	for _, of := range []MemberID{"", leader} {
		for _, r := range p.Reminder(of).Records {
			open[r.ID] = true
		}
	}
	var settled []Settlement
	for _, settlement := range s.Settles {
		if open[settlement.Record] {
			open[settlement.Record] = false
			settled = append(settled, settlement)
		}
	}
	return settled
}

var (
	replacesRecords = regexp.MustCompile(`(?i)\b(?:replaces|settles)(?:(?:[\s,;]|and)+r-[0-9a-zA-Z]+\b)+`)
	recordID        = regexp.MustCompile(`r-[0-9a-zA-Z]+`)
)

// RecordsReplaced lists the ids of the remembered records that the words of a motion or an option say it replaces or
// settles: those directly after "replaces" or "settles". An id elsewhere is only cited.
func RecordsReplaced(words ...string) (ids []string) {
	for _, said := range replacesRecords.FindAllString(strings.Join(words, "\n"), -1) {
		ids = append(ids, recordID.FindAllString(said, -1)...)
	}
	return ids
}

// ReadsMemberMemory reports whether members read their own memory when the given phase is the last that was entered;
// before the first, for an empty id, the entry phase's policy counts. The council's memory is always read.
func (c *Charter) ReadsMemberMemory(last PhaseID) bool {
	p := c.Phase(cmp.Or(last, c.SessionPolicy.EntryPhaseID))
	return p != nil && p.MemoryPolicy.ReadMemberMemory
}

// ReminderSize returns how many characters of a memory members read at most: of the council's, for an empty id, the
// number in the memory policy of the entry phase, of a member's own half of it.
func (c *Charter) ReminderSize(of MemberID) int {
	size := ReminderSize
	if p := c.Phase(c.SessionPolicy.EntryPhaseID); p != nil && p.MemoryPolicy.MaxChars > 0 {
		size = p.MemoryPolicy.MaxChars
	}
	if of != "" {
		size /= 2
	}
	return size
}

// Settlement is a leader's claim that the session settled something its members were reminded of.
type Settlement struct {
	Record  string        `json:"record" text:"id"` // the id of a record in a reminder
	How     SettlementHow `json:"how"`
	Because string        `json:"because,omitempty" text:"short"`
}

// SettlementHow is how a record was settled.
type SettlementHow string

// The settlements: an open matter was closed, or a newer decision takes the place of an older one.
const (
	SettledResolved   SettlementHow = "RESOLVED"
	SettledSuperseded SettlementHow = "SUPERSEDED"
)
