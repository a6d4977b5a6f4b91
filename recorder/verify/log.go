package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

func (v *verification) checkChain(c *Check) {
	c.Looked = plural.Things(len(v.log.Entries), "event") + c.Looked
	if v.damage != nil {
		c.find("%v.", v.damage)
	}
	v.noteForgotten(c)
}

// noteForgotten notes which events lost words, and reports those that cannot have lost any: a mark must not hide a
// change from the digest.
func (v *verification) noteForgotten(c *Check) {
	var ids []string
	for _, e := range v.log.Entries {
		if !e.Forgotten {
			continue
		}
		ids = append(ids, e.ID)
		if !expunge.LostWords(e.Payload) {
			c.find("Event %s is marked as forgotten, but its words are there or it never had any.", e.ID)
		}
	}
	switch len(ids) {
	case 0:
	case 1:
		c.note("Words of event %s were forgotten; what is left of it is not covered by the chain.", ids[0])
	default:
		c.note("Words of %d events were forgotten (%s); what is left of them is not covered by the chain.",
			len(ids), strings.Join(ids, ", "))
	}
}

func (v *verification) checkSchemas(c *Check) {
	for _, e := range v.log.Entries {
		text, err := wire.JSON(e.Payload)
		if err == nil {
			err = schemas.Validate(schemas.Event(string(e.Type())), text)
		}
		if err != nil {
			c.find("Event %s breaks its schema: %v.", e.ID, err)
		}
	}
}

func (v *verification) checkRules(c *Check) {
	if started, ok := wire.Started(v.log.Entries); ok {
		if started.Rules != rules.Version {
			c.note("The session follows version %d of the rules; this version of council knows version %d "+
				"and cannot decide it again.", started.Rules, rules.Version)
			return
		}
		if started.Session != v.ID {
			c.find("The log says that it is of session %s.", started.Session)
		}
	}
	_, err := rules.Replay(rules.Log(v.events...))
	v.follows = err == nil
	switch {
	case errors.Is(err, rules.ErrBadEvent):
		c.find("The log does not follow the rules: %v.", err)
	case err != nil:
		c.find("The log cannot be decided again: %v.", err)
	}
}

// checkEnd looks for a missing end of the log: the files beside it are never ahead of it.
func (v *verification) checkEnd(c *Check) {
	if v.log.Torn {
		v.noteTorn(c, wire.File)
	}
	if held, err := v.beside.read(render.FileSession); err == nil && lastEvent(held) > len(v.log.Entries) {
		c.find("%s speaks of event e%d, but the log ends with e%d: it has been cut short.",
			render.FileSession, lastEvent(held), len(v.log.Entries))
	}
	if v.Remembered != nil {
		c.Looked = strings.TrimSuffix(c.Looked, ".") + ", nor behind memory and the episode."
	}
	for _, r := range v.ahead {
		c.find("%s knows event e%d, but the log ends with e%d: it has been cut short.", r.By, r.Events, len(v.log.Entries))
	}
	want := v.wanted[render.FileTranscript]
	held, err := v.beside.read(render.FileTranscript)
	held = bytes.TrimRight(held, "\x00") // a sector that was allocated and never written
	stands := render.MinutesOf(v.log.Entries)
	switch {
	case err != nil || want == nil:
	case stands.Outcome != nil: // a closed session is written when its files are rendered again, or words forgotten
	case v.moving && !bytes.HasPrefix(want, held):
		c.find("%s tells what the log does not hold, from byte %d on: the log has been cut short, or the transcript changed.",
			render.FileTranscript, firstDifference(held, want))
	}
	switch {
	case v.writer != "":
		c.note("The session is running: %s writes it. This is how it stood up to event e%d.", v.writer, len(v.log.Entries))
	case stands.Outcome != nil:
		c.Looked += " The session is closed."
	case stands.Suspended != nil:
		c.note("The session is suspended, not closed.")
	default:
		c.note("The session is not closed.")
	}
}

func (v *verification) noteTorn(c *Check, name string) {
	if v.writer == "" {
		v.torn = append(v.torn, name)
		c.note("The end of %s is unfinished. Resuming the session repairs it.", name)
	}
}

// rememberedAhead lists the sources that remember more of the session than its log holds, except events that were
// recorded since it was read.
func rememberedAhead(s Subject, log *wire.Log) (all []Remembered) {
	started, ok := wire.Started(log.Entries)
	if !ok || s.Remembered == nil {
		return nil
	}
	for _, r := range s.Remembered(&started.Charter) {
		if r.Events <= len(log.Entries) {
			continue
		}
		data, _ := atomicfile.Read(s.Files, wire.File)
		if now, _ := wire.Scan(s.ID, data); now == nil || len(now.Entries) < r.Events {
			all = append(all, r)
		}
	}
	return all
}

func lastEvent(text []byte) int {
	var file render.SessionFile
	_ = json.Unmarshal(text, &file) // an unreadable file names no event
	n, _ := strconv.Atoi(strings.TrimPrefix(file.LastEvent, "e"))
	return n
}

// checkDigests compares the SHA-256 of drafts and briefs with those in ballots and rulings.
func (v *verification) checkDigests(c *Check) {
	drafts, brief := map[int]string{}, ""
	for _, e := range v.log.Entries {
		must := func(ok bool, format string, args ...any) {
			if !ok {
				c.find("Event "+e.ID+" "+format+".", args...)
			}
		}
		approval := func(sha string) {
			must(sha == brief, "names the brief %.12s…, but the brief was %.12s…", sha, brief)
		}
		written := func(b *council.Brief, sha string) {
			brief = sha
			must(e.Forgotten || b == nil || b.SHA256() == sha, "holds a brief that is not what its SHA-256 says")
		}
		switch p := e.Payload.(type) {
		case council.DraftWritten:
			written(p.ExecutionBrief, p.BriefSHA256)
			drafts[p.Version] = p.SHA256
			must(e.Forgotten || council.Digest(p.Markdown) == p.SHA256, "holds a draft that is not what its SHA-256 says")
		case council.BallotCast:
			if d := p.Draft; d != nil {
				must(drafts[d.Version] == d.SHA256 && d.BriefSHA256 == brief,
					"is a vote on a draft that is not draft %d, or on another brief", d.Version)
			}
		case council.DraftDecided:
			must(drafts[p.Version] == p.SHA256, "decides a draft that is not draft %d", p.Version)
		case council.SessionClosed:
			if d := p.Draft; d != nil {
				must(drafts[d.Version] == d.SHA256, "closes with a draft that is not draft %d", d.Version)
			}
		case council.SummaryWritten:
			written(p.ExecutionBrief, p.BriefSHA256)
		case council.BriefAmended:
			written(&p.Brief, p.BriefSHA256)
		case council.ExecutionApproved:
			approval(p.BriefSHA256)
		case council.ExecutionRejected:
			approval(p.BriefSHA256)
		case council.ExecutionStarted:
			approval(p.BriefSHA256)
		}
	}
}

func (v *verification) checkDerivedFiles(c *Check) {
	wanted, err := render.Artifacts(v.log.Entries)
	if err != nil {
		c.find("The log cannot be rendered: %v.", err)
		return
	}
	v.wanted = wanted
	behind := c.find
	if v.moving { // the files of a session under way may be behind its log, and never ahead
		behind = c.note
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		held, err := v.beside.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			behind("%s is missing.", name)
		case err != nil:
			c.find("%s cannot be read: %v.", name, err)
		case !bytes.Equal(held, wanted[name]):
			behind("%s is not what the log renders to; they differ at byte %d.", name, firstDifference(held, wanted[name]))
		}
	}
	if v.beside.listed != nil {
		c.find("The folder cannot be listed: %v.", v.beside.listed)
	}
	for _, e := range v.beside.entries {
		if _, belongs := wanted[e.Name()]; belongs {
			continue
		}
		if render.Derived(e.Name()) {
			behind("%s is there, but the log does not yield it.", e.Name())
		} else {
			c.noteStranger(e.Name())
		}
	}
	if v.moving && len(c.Notes) > 0 {
		c.note("The session has not come to rest, so its derived files may be behind its log.")
	}
}

// noteStranger notes a file that is not rendered from the log, unless it always belongs there.
func (c *Check) noteStranger(name string) {
	switch {
	case name == wire.File, name == conversation.Folder, name == anchor.File:
	case name == conversation.Doubts:
		c.note("%s counts the questions that crashes cut off; a budget is held more carefully for it.", name)
	case strings.HasPrefix(name, wire.File+".") && atomicfile.AsideAs(name) == atomicfile.Torn:
		c.note("%s holds what a crash left unfinished.", name)
	case atomicfile.AsideAs(name) == atomicfile.Edited:
		c.note("%s was edited by hand and kept aside by a rebuild.", name)
	case atomicfile.Temporary(name):
		c.note("%s is left over from a write that was interrupted. Resuming the session removes it.", name)
	default:
		c.note("%s is not ours.", name)
	}
}

func firstDifference(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func (v *verification) checkAnchors(c *Check) {
	sources := slices.Clone(v.Anchors)
	text, err := v.beside.read(anchor.File)
	switch {
	case err == nil:
		sources = append(sources, anchor.Source{Name: anchor.File, Text: text})
	case !errors.Is(err, fs.ErrNotExist):
		c.find("%s cannot be read: %v.", anchor.File, err)
	}
	v.judged, v.failed = anchor.NewTree(v.ID, v.log.Entries).Judge(sources, v.Keys)
	strangers := 0
	for _, j := range v.judged {
		switch {
		case v.damage != nil && j.Size > len(v.log.Entries):
			c.note("The anchor of %s in %s cannot be compared: the log is damaged after event e%d.",
				plural.Things(j.Size, "event"), j.Source, len(v.log.Entries))
		case j.Problem != "" && j.Size > 0:
			c.find("The anchor of %s in %s does not hold. %s", plural.Things(j.Size, "event"), j.Source, j.Problem)
		case j.Problem != "":
			c.find("An anchor in %s does not hold. %s", j.Source, j.Problem)
		case !j.Known:
			strangers++
		}
	}
	if strangers > 0 {
		c.note("%s by a key that is not known here; what it is worth depends on where it was kept.",
			plural.Things(strangers, "anchor is signed", "anchors are signed"))
	}
	if reach, _ := anchor.Reach(v.judged); reach == 0 {
		c.note("Nothing outside the record vouches for it: whoever can write all of it can change it unseen.")
	}
}

// snapshot is a session's folder as it was read at one time.
type snapshot struct {
	entries []fs.DirEntry
	listed  error
	held    map[string]content                     // of the files that are compared with the log
	tapes   map[council.MemberID]*conversation.Log // nil where one cannot be read
	failed  map[council.MemberID]error             // why; "": why they cannot be listed
}

type content struct {
	data []byte
	err  error
}

func readSnapshot(s Subject) snapshot {
	b := snapshot{held: map[string]content{}, tapes: map[council.MemberID]*conversation.Log{},
		failed: map[council.MemberID]error{}}
	b.entries, b.listed = s.Files.List()
	for _, e := range b.entries {
		if render.Derived(e.Name()) || e.Name() == anchor.File {
			data, err := atomicfile.Read(s.Files, e.Name())
			b.held[e.Name()] = content{data, err}
		}
	}
	members, err := conversation.Members(s.Files)
	b.failed[""] = err
	for _, m := range members {
		if b.tapes[m], b.failed[m] = conversation.Read(s.Files, s.ID, m); b.failed[m] != nil {
			b.tapes[m] = nil
		}
	}
	return b
}

func (b snapshot) read(name string) ([]byte, error) {
	if c, ok := b.held[name]; ok {
		return c.data, c.err
	}
	return nil, fs.ErrNotExist
}

// eventsBefore returns the number of events in the log when it was first read, before the files of the session. extends
// reports whether the log begins with them.
func eventsBefore(log *wire.Log, now, before []byte) (events int, extends bool) {
	if bytes.Equal(now, before) {
		return len(log.Entries), true
	}
	first, _ := wire.Scan(log.Session, before) // the events before damage are enough
	n := len(first.Entries)
	return n, n == 0 || n <= len(log.Entries) && log.Entries[n-1].Sum == first.Entries[n-1].Sum
}
