// Package verify recomputes everything that a session's folder holds, and changes nothing.
//
// It reaches three verdicts. Integrity: the files are unchanged, the log follows from the rules, and the other files
// are rendered from it correctly. Completeness: nothing is missing at the end of the log or among the other files.
// Anchored: the last event that a party which does not write the record vouches for.
package verify

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// ErrNotBegun: the folder holds no event and no trace of one, so there is nothing to verify.
var ErrNotBegun = errors.New("the session never began")

// Subject is the session to verify.
//
// The session may be written meanwhile: the log is read before and after the files that are compared with it. They must
// hold all that was recorded before them, and nothing beyond the log as it was read last.
type Subject struct {
	ID     council.SessionID
	Files  atomicfile.Files // the session's folder
	Writer func() string    // names the process that writes the session now, or "" if none does
	Trust
}

// Trust is the knowledge of a session from outside its folder.
type Trust struct {
	Anchors    []anchor.Source                     // that were kept elsewhere
	Keys       []string                            // verifier keys of those who sign anchors
	Remembered func(*council.Charter) []Remembered // the events that are known elsewhere; may be nil
}

// Remembered is the number of events that something made from the log and kept elsewhere knows.
type Remembered struct {
	By     string // in plain words: the journal of memory
	Events int
}

type check struct {
	verdict Verdict
	name    string
	judges  bool // it works on a damaged log too
	do      func(*verification, *Check)
	looked  string
}

// checks are those of [Session], in order.
var checks = []check{
	{Integrity, "log", true, (*verification).checkChain, ": the chain of their sums, and each payload by its digest."},
	{Integrity, "schemas", true, (*verification).checkSchemas, "Every event by the schema of its type."},
	{Integrity, "rules", false, (*verification).checkRules,
		"Every event decided again by the rules from those before it: every vote counted, every consequence drawn."},
	filesCheck,
	{Completeness, "end", false, (*verification).checkEnd,
		"The end of the log: whole, and not behind the files that were rendered from it."},
	{Completeness, "conversations", false, (*verification).checkConversations,
		"The chain of every conversation, and for every recorded answer its question and its reply."},
	{Completeness, "digests", false, (*verification).checkDigests,
		"Every draft, vote and approval by the SHA-256 that it names."},
	{Anchored, "anchors", true, (*verification).checkAnchors,
		"Every anchor at hand: its signature, and the events it vouches for."},
}

var filesCheck = check{Integrity, DerivedFiles, false, (*verification).checkDerivedFiles,
	"Every derived file, byte for byte, with what the log renders to."}

// Session verifies one session. The error wraps [chain.ErrDamaged] when the report is not OK. When nothing could be
// verified, it is [ErrNotBegun], [chain.ErrNewer] or an error of the disk, and there is no report.
func Session(s Subject) (Report, error) { return judge(s, checks, "does not verify") }

// Replay writes the log of a session again and compares it: only facts are taken from the record, and replies from the
// conversations that are kept; every consequence comes from the rules. The errors are those of [Session].
func Replay(s Subject) (Report, error) {
	return judge(s, []check{{Integrity, "events", false, (*verification).rewrite, ""}, filesCheck}, "does not replay")
}

// ErrNotLatest: the folder holds another state of the session than the one it was left in, such as an older copy.
var ErrNotLatest = errors.New("it is not the latest copy of its record")

// Latest checks that a session may go on from its folder: its log is neither shorter than nor different from its
// anchors, session.json and [Trust.Remembered], and its conversations hold every answer that it records. It changes
// nothing. A closed session passes. The error wraps [ErrNotLatest] and names the difference; it is [ErrNotBegun],
// [chain.ErrNewer], [chain.ErrDamaged] or an error of the disk where the log cannot be read.
func Latest(s Subject) error {
	v, err := begin(s)
	if err == nil {
		err = v.damage
	}
	if err != nil || render.MinutesOf(v.log.Entries).Outcome != nil {
		return err
	}
	var c Check
	v.checkAnchors(&c)
	v.checkEnd(&c)
	v.readTapes(&Check{}) // a damaged one is reported when it is opened
	v.checkAnswers(&c)
	if v.failed == nil && len(c.Findings) > 0 {
		return fmt.Errorf("session %s cannot go on: %w: %s", s.ID, ErrNotLatest, c.Findings[0])
	}
	return v.failed
}

// judge makes checks of one session; of a damaged log those that work on it, or else the first of [checks].
func judge(s Subject, all []check, failed string) (Report, error) {
	v, err := begin(s)
	if err != nil {
		return Report{}, err
	}
	r := Report{Session: s.ID, Events: len(v.log.Entries), Writer: v.writer}
	if v.damage != nil {
		if all = slices.DeleteFunc(slices.Clone(all), func(c check) bool { return !c.judges }); len(all) == 0 {
			all = checks[:1]
		}
	}
	for _, one := range all {
		c := Check{Verdict: one.verdict, Name: one.name, Looked: one.looked, Findings: []string{}, Notes: []string{}}
		one.do(v, &c)
		r.Checks = append(r.Checks, c)
	}
	if v.failed != nil {
		return Report{}, v.failed
	}
	if r.Anchors, r.Torn = v.judged, v.torn; !r.OK() {
		err = fmt.Errorf("%w: session %s %s", chain.ErrDamaged, s.ID, failed)
	}
	return r, err
}

// begin reads the log and the files that are compared with it.
func begin(s Subject) (*verification, error) {
	writer := s.Writer()
	before, _ := atomicfile.Read(s.Files, wire.File) // the second reading returns the error
	beside := readSnapshot(s)
	data, err := atomicfile.Read(s.Files, wire.File)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing && !errors.Is(err, atomicfile.ErrLink) && !errors.Is(err, fs.ErrInvalid) {
		return nil, err
	}
	v := &verification{Subject: s, beside: beside, data: data, log: &wire.Log{Session: s.ID},
		lines: map[placed]conversation.Line{}}
	switch {
	case missing:
		v.damage = fmt.Errorf("%w: there is no %s", chain.ErrDamaged, wire.File)
	case err != nil:
		v.damage = fmt.Errorf("%w: %w", chain.ErrDamaged, err)
	default:
		v.log, v.damage = wire.Scan(s.ID, data)
	}
	if v.damage != nil && !errors.Is(v.damage, chain.ErrDamaged) {
		return nil, v.damage
	}
	entries, extends := v.log.Entries, false
	if v.settled, extends = eventsBefore(v.log, data, before); v.damage == nil && !extends {
		v.damage = fmt.Errorf("%w: another %s took the place of the one that was there when the verification began",
			chain.ErrDamaged, wire.File)
	}
	v.events, v.ahead = expunge.Restate(entries), rememberedAhead(s, v.log)
	v.writer = cmp.Or(writer, s.Writer())
	stands := render.MinutesOf(entries)
	v.moving = stands.Suspended == nil && stands.Outcome == nil || v.writer != "" || v.settled < len(entries)
	if len(entries) > 0 || v.damage != nil && !missing {
		return v, nil
	}
	err = beside.begun()
	for _, a := range s.Anchors {
		if err == nil && len(a.Text) > 0 {
			err = errVanished(a.Name)
		}
	}
	switch v.damage = err; {
	case err == nil:
		return nil, fmt.Errorf("%w: %s", ErrNotBegun, s.ID)
	case !errors.Is(err, chain.ErrDamaged):
		return nil, err
	}
	return v, nil
}

// Begun returns a [chain.ErrDamaged] for a folder whose log holds no event and that has files which only a session with
// events leaves behind: the log was lost.
func Begun(files atomicfile.Files) error { return readSnapshot(Subject{Files: files}).begun() }

func (b snapshot) begun() error {
	if len(b.tapes) > 0 {
		return errVanished(conversation.Folder)
	}
	for _, e := range b.entries {
		if len(b.held[e.Name()].data) > 0 {
			return errVanished(e.Name())
		}
	}
	return errors.Join(b.failed[""], b.listed)
}

func errVanished(left string) error {
	return fmt.Errorf("%w: %s holds no event, but %s shows that there were some", chain.ErrDamaged, wire.File, left)
}

type verification struct {
	Subject
	beside  snapshot
	data    []byte // of the log's file, as it was scanned
	log     *wire.Log
	damage  error           // of the log, which may then hold fewer events than it had
	events  []council.Event // in a form that the rules can decide where words were forgotten
	ahead   []Remembered    // the sources that know more of the session than its log holds
	settled int             // events that were in the log before the files beside it were read
	writer  string          // the process that writes the session, or ""
	moving  bool            // being written, or neither closed nor suspended: derived files may be behind the log

	wanted  map[string][]byte // the derived files as rendered; nil when the log cannot be rendered
	follows bool              // the log follows from the rules of this version
	lines   map[placed]conversation.Line
	torn    []string // the names of files
	judged  []anchor.Judgement
	failed  error // of the verifier keys
}

// Verdict is one of the three results of a verification. Each check counts towards one.
type Verdict string

// DerivedFiles names the check of the files that are rendered from the log. They can be rendered again.
const DerivedFiles = "files"

// The three verdicts.
const (
	Integrity    Verdict = "integrity"
	Completeness Verdict = "completeness"
	Anchored     Verdict = "anchored"
)

// Verdicts lists all verdicts in the order in which they are reported.
func Verdicts() []Verdict { return []Verdict{Integrity, Completeness, Anchored} }

// Report is the result of a verification.
type Report struct {
	Session council.SessionID
	Events  int
	Writer  string // the process that writes the session at this time; "" if none does
	Checks  []Check
	Torn    []string           // the files whose last append was cut off
	Anchors []anchor.Judgement // every anchor that was found
}

// Check is one part of a verification.
type Check struct {
	Verdict  Verdict  `json:"verdict"`
	Name     string   `json:"name"`
	Looked   string   `json:"looked"`   // the objects of the check, in one sentence
	Findings []string `json:"findings"` // plain sentences; none when all is well
	Notes    []string `json:"notes"`    // remarks on a sound record
}

// OK reports whether nothing is wrong.
func (r Report) OK() bool {
	return !slices.ContainsFunc(Verdicts(), func(v Verdict) bool { return !r.Holds(v) })
}

// Holds reports whether nothing is wrong as far as one verdict goes. A session without an anchor is not wrong.
func (r Report) Holds(v Verdict) bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Verdict == v && len(c.Findings) > 0 })
}

// Damage returns the findings on the record itself, without those on files that can be rendered again.
func (r Report) Damage() []string {
	var found []string
	for _, c := range r.Checks {
		if c.Name != DerivedFiles {
			found = append(found, c.Findings...)
		}
	}
	return found
}

func (c *Check) find(format string, args ...any) {
	c.Findings = append(c.Findings, fmt.Sprintf(format, args...))
}

func (c *Check) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}
