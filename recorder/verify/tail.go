package verify

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// tail looks for what is missing at the end of the log: the files beside it are never ahead of it.
func (v *verification) tail() Check {
	c := looked(Completeness, "end",
		"The end of the log: whole, and not behind the files that were rendered from it.")
	if v.log.Torn && v.writer == "" {
		c.note("The end of %s is unfinished. Resuming the session repairs it.", wire.File)
	}
	if held, err := atomicfile.Read(v.Files, render.FileSession); err == nil && lastEvent(held) > len(v.log.Entries) {
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
	held, err := atomicfile.Read(v.Files, render.FileTranscript)
	held = bytes.TrimRight(held, "\x00") // a sector that was allocated and never written
	suspended, outcome := render.Standing(v.log.Entries)
	switch {
	case err != nil || want == nil:
	case outcome != nil: // a closed session is written when its files are rendered again, or words forgotten
	case v.moving && !bytes.HasPrefix(want, held):
		c.find("%s tells what the log does not hold, from byte %d on: the log has been cut short, or the transcript changed.",
			render.FileTranscript, difference(held, want))
	}
	switch {
	case v.writer != "":
		c.note("The session is running: %s writes it. This is how it stood up to event e%d.", v.writer, len(v.log.Entries))
	case outcome != nil:
		c.Looked += " The session is closed."
	case suspended != nil:
		c.note("The session is suspended, not closed.")
	default:
		c.note("The session is not closed.")
	}
	return c
}

// ahead lists what remembers more of the session than its log holds, except events that were recorded since it was
// read.
func ahead(s Subject, log *wire.Log) (all []Remembered) {
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
	if json.Unmarshal(text, &file) != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(file.LastEvent, "e"))
	if err != nil {
		return 0
	}
	return n
}

// hashes compares the SHA-256 of drafts and briefs with the ballots and rulings that name it.
func (v *verification) hashes() Check {
	c := looked(Completeness, "digests", "Every draft, vote and approval by the SHA-256 that it names.")
	drafts := map[int]string{}
	brief := ""
	approval := func(e wire.Entry, sha string) {
		if sha != brief {
			c.find("Event %s names the brief %.12s…, but the brief was %.12s….", e.ID, sha, brief)
		}
	}
	for _, e := range v.log.Entries {
		switch p := e.Payload.(type) {
		case council.DraftWritten:
			drafts[p.Version] = p.SHA256
			if council.Digest(p.Markdown) != p.SHA256 && !e.Forgotten {
				c.find("Event %s holds a draft that is not what its SHA-256 says.", e.ID)
			}
		case council.BallotCast:
			if p.Draft != nil && drafts[p.Draft.Version] != p.Draft.SHA256 {
				c.find("Event %s is a vote on a draft that is not draft %d.", e.ID, p.Draft.Version)
			}
		case council.DraftDecided:
			if drafts[p.Version] != p.SHA256 {
				c.find("Event %s decides a draft that is not draft %d.", e.ID, p.Version)
			}
		case council.SessionClosed:
			if p.Draft != nil && drafts[p.Draft.Version] != p.Draft.SHA256 {
				c.find("Event %s closes with a draft that is not draft %d.", e.ID, p.Draft.Version)
			}
		case council.SummaryWritten:
			brief = p.BriefSHA256
			if p.ExecutionBrief != nil && p.ExecutionBrief.SHA256() != brief && !e.Forgotten {
				c.find("Event %s holds a brief that is not what its SHA-256 says.", e.ID)
			}
		case council.BriefAmended:
			if brief = p.BriefSHA256; p.Brief.SHA256() != brief && !e.Forgotten {
				c.find("Event %s holds a brief that is not what its SHA-256 says.", e.ID)
			}
		case council.ExecutionApproved:
			approval(e, p.BriefSHA256)
		case council.ExecutionRejected:
			approval(e, p.BriefSHA256)
		case council.ExecutionStarted:
			approval(e, p.BriefSHA256)
		}
	}
	return c
}
