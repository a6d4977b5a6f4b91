// Package verify recomputes everything that a session's folder holds, and changes nothing.
//
// It reaches three verdicts. Integrity: the files are as they were written, the log follows from the rules, and the
// other files are rendered from it correctly. Completeness: nothing is missing at the end of the log or among the other
// files. Anchored: the event up to which a party that does not write the record vouches for it.
package verify

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// ErrEmpty: the folder holds no event and nothing that could have come from one, so there is nothing to verify.
var ErrEmpty = errors.New("the session has no events")

// Subject is the session to verify.
//
// The session may be written meanwhile: the log is read before and after the files that are compared with it. What was
// recorded before them has to be in them, and what is in them has to follow from the log as it was read last.
type Subject struct {
	ID      council.SessionID
	Files   atomicfile.Files // the session's folder
	Writer  func() string    // names the process that writes the session now, or "" if none does; may be nil
	Render  func([]wire.Entry) (map[string][]byte, error)
	Anchors []anchor.Source // in addition to those in the folder
	Keys    []string        // verifier keys that are trusted

	Remembered func(*council.Charter) []Remembered // what was made of the session elsewhere; may be nil
}

// Remembered tells how many events are known to something that was made from the log and is kept elsewhere.
type Remembered struct {
	By     string // in plain words: the journal of memory
	Events int
}

// Session verifies one session. The error wraps [chain.ErrDamaged] when the report is not OK. When nothing could be
// verified, it is [ErrEmpty], [chain.ErrNewer] or an error of the disk, and there is no report.
func Session(s Subject) (Report, error) {
	v, damage, err := begin(s)
	if err != nil {
		return Report{}, err
	}
	r := Report{Session: s.ID, Events: len(v.log.Entries), Writer: v.writer}
	r.Checks = append(r.Checks, v.chain(damage))
	if len(v.log.Entries) > 0 {
		r.Checks = append(r.Checks, v.schemas())
	}
	if damage == nil { // the files beside a damaged log cannot be judged by it
		r.Checks = append(r.Checks, v.rules(), v.derived(), v.tail(), v.conversations(), v.hashes())
	}
	anchors, err := v.anchors(&r)
	if err != nil {
		return Report{}, err
	}
	r.Checks = append(r.Checks, anchors)
	if !r.OK() {
		return r, fmt.Errorf("%w: session %s does not verify", chain.ErrDamaged, s.ID)
	}
	return r, nil
}

// begin reads the log and what is compared with it. damage is what is wrong with the log, or nil.
func begin(s Subject) (v *verification, damage, err error) {
	if s.Writer == nil {
		s.Writer = func() string { return "" }
	}
	writer := s.Writer()
	before, _ := atomicfile.Read(s.Files, wire.File) // the second reading tells what is wrong
	beside := take(s.Files)
	data, err := atomicfile.Read(s.Files, wire.File)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing && !errors.Is(err, atomicfile.ErrLink) && !errors.Is(err, fs.ErrInvalid) {
		return nil, nil, err
	}
	log := &wire.Log{Session: s.ID}
	switch {
	case missing:
		damage = fmt.Errorf("%w: there is no %s", chain.ErrDamaged, wire.File)
	case err != nil:
		damage = fmt.Errorf("%w: %w", chain.ErrDamaged, err)
	default:
		log, damage = wire.Scan(s.ID, data)
		damage = chain.InFile(wire.File, damage)
	}
	if damage != nil && !errors.Is(damage, chain.ErrDamaged) {
		return nil, nil, damage
	}
	settled, extends := earlier(log, data, before)
	if damage == nil && !extends {
		damage = fmt.Errorf("%w: another %s took the place of the one that was there when the verification began",
			chain.ErrDamaged, wire.File)
	}
	ahead := ahead(s, log)
	s.Files = beside
	v = &verification{
		Subject: s, ahead: ahead, data: data, log: log, events: expunge.Restated(log.Entries), settled: settled,
		writer: cmp.Or(writer, s.Writer()), damaged: damage != nil,
	}
	v.moving = moving(log.Entries) || v.writer != "" || settled < len(log.Entries)
	if len(log.Entries) > 0 || damage != nil && !missing {
		return v, damage, nil
	}
	err = Begun(s.Files)
	for _, a := range s.Anchors {
		if err == nil && len(a.Text) > 0 {
			err = vanished(a.Name)
		}
	}
	switch {
	case err == nil:
		return nil, nil, fmt.Errorf("%w: %s", ErrEmpty, s.ID)
	case errors.Is(err, chain.ErrDamaged):
		return v, err, nil
	}
	return nil, nil, err
}

// Begun looks for what only a session that has events leaves behind, in a folder whose log holds none. The error wraps
// [chain.ErrDamaged] when there is some: the log was lost, and the session did not merely never begin.
func Begun(files atomicfile.Files) error {
	members, err := conversation.Members(files)
	if err != nil {
		return err
	}
	if len(members) > 0 {
		return vanished(conversation.Folder)
	}
	entries, err := files.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !render.Derived(e.Name()) && e.Name() != anchor.File {
			continue
		}
		if held, _ := atomicfile.Read(files, e.Name()); len(held) > 0 {
			return vanished(e.Name())
		}
	}
	return nil
}

func vanished(left string) error {
	return fmt.Errorf("%w: %s holds no event, but %s shows that there were some", chain.ErrDamaged, wire.File, left)
}

// moving reports whether a session is neither closed nor suspended: then the derived files are behind its log.
func moving(entries []wire.Entry) bool {
	suspended, outcome := render.Standing(entries)
	return suspended == nil && outcome == nil
}

// verification holds the data that the checks of one session share.
type verification struct {
	Subject
	data    []byte // of the log's file, as it was scanned
	log     *wire.Log
	events  []council.Event // as the rules can decide them, where words were forgotten too
	ahead   []Remembered    // what knows more of the session than its log holds
	settled int             // events that stood in the log before the files beside it were read
	writer  string          // the process that writes the session, or ""
	moving  bool            // being written, or neither closed nor suspended: derived files may be behind the log
	damaged bool            // there is more than the log below, and it is not good

	wanted  map[string][]byte // the derived files as they should be; nil when the log cannot be rendered
	follows bool              // the log follows from the rules of this version
}

// chain reports what the scan found.
func (v *verification) chain(damage error) Check {
	events := plural.Things(len(v.log.Entries), "event")
	c := looked(Integrity, "log", events+": the chain of their sums, and each payload by its digest.")
	if damage != nil {
		c.find("%v.", damage)
	}
	v.forgotten(&c)
	return c
}

// schemas holds every payload against its schema.
func (v *verification) schemas() Check {
	c := looked(Integrity, "schemas", "Every event by the schema of its type.")
	for _, e := range v.log.Entries {
		text, err := wire.JSON(e.Payload)
		if err == nil {
			err = schemas.Validate(schemas.Event(string(e.Type())), text)
		}
		if err != nil {
			c.find("Event %s breaks its schema: %v.", e.ID, err)
		}
	}
	return c
}
