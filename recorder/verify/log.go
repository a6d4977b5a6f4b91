package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// chain reports the error of the scan.
func (v *verification) chain(c *Check) {
	c.Looked = plural.Things(len(v.log.Entries), "event") + c.Looked
	if v.damage != nil {
		c.find("%v.", v.damage)
	}
	v.forgotten(c)
}

// forgotten notes which events lost words, and reports those that cannot have lost any: a mark must not hide a change
// from the digest.
func (v *verification) forgotten(c *Check) {
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

func (v *verification) schemas(c *Check) {
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

// rules decides the whole session again from its facts.
func (v *verification) rules(c *Check) {
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

// tail looks for a missing end of the log: the files beside it are never ahead of it.
func (v *verification) tail(c *Check) {
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
			render.FileTranscript, difference(held, want))
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

// noteTorn notes a file whose last append was cut off.
func (v *verification) noteTorn(c *Check, name string) {
	if v.writer == "" {
		v.torn = append(v.torn, name)
		c.note("The end of %s is unfinished. Resuming the session repairs it.", name)
	}
}

// rememberedAhead lists the sources that remember more of the session than its log holds, except events that were
// recorded since it was read.
func rememberedAhead(s Subject, log *wire.Log) (all []Remembered) {
	if s.Remembered == nil || len(log.Entries) == 0 {
		return nil
	}
	started, ok := wire.Started(log.Entries)
	if !ok {
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

// lastEvent returns the number of the last event in a session.json, or 0.
func lastEvent(text []byte) int {
	var file render.SessionFile
	_ = json.Unmarshal(text, &file) // an unreadable file names no event
	n, _ := strconv.Atoi(strings.TrimPrefix(file.LastEvent, "e"))
	return n
}

// hashes compares the SHA-256 of drafts and briefs with those in ballots and rulings.
func (v *verification) hashes(c *Check) {
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
		switch p := e.Payload.(type) {
		case council.DraftWritten:
			drafts[p.Version], brief = p.SHA256, p.BriefSHA256
			must(e.Forgotten || p.ExecutionBrief == nil || p.ExecutionBrief.SHA256() == brief,
				"holds a brief that is not what its SHA-256 says")
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
			brief = p.BriefSHA256
			must(e.Forgotten || p.ExecutionBrief == nil || p.ExecutionBrief.SHA256() == brief,
				"holds a brief that is not what its SHA-256 says")
		case council.BriefAmended:
			brief = p.BriefSHA256
			must(e.Forgotten || p.Brief.SHA256() == brief, "holds a brief that is not what its SHA-256 says")
		case council.ExecutionApproved:
			approval(p.BriefSHA256)
		case council.ExecutionRejected:
			approval(p.BriefSHA256)
		case council.ExecutionStarted:
			approval(p.BriefSHA256)
		}
	}
}
