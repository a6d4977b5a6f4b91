package memory

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// entries writes records as items of a list.
type entries struct {
	cites      *citations
	successors map[string]string // which record stands in the place of another, by id
	kinds      bool              // an entry names its kind: it stands under no heading that does
}

// nothing stands where a text has nothing in it that can be shown.
const nothing = "*(nothing that can be shown)*"

// write adds one record. Bold is for what holds.
func (e *entries) write(p *page, r *Record, bold bool) {
	summary := hostile.Inline(r.Summary)
	switch {
	case summary == "":
		summary = nothing
	case bold:
		summary = "**" + summary + "**"
	}
	words := "> " + summary // what others wrote is a quotation
	if detail := hostile.Inline(r.Detail); detail != "" {
		words += "\n  >\n  > " + detail
	}
	item := "- " + words + "\n\n  " + strings.Join(e.facts(r), " · ")
	if places := e.evidence(r); places != "" {
		item += "\n\n  " + places
	}
	p.block(item)
}

// facts lists the fields of a record other than its words.
func (e *entries) facts(r *Record) []string {
	facts := []string{code(r.ID)}
	if e.kinds {
		facts = append(facts, r.Kind.Words())
	}
	facts = append(facts, string(r.Status),
		fmt.Sprintf("importance %d of 5", r.Importance), fmt.Sprintf("%.0f %% sure", r.Confidence*100), days(r))
	if r.Rehearsed {
		facts = append(facts, "rehearsed")
	}
	if r.ResolvedAt != nil {
		facts = append(facts, "resolved "+day(*r.ResolvedAt))
	}
	if r.ExpiresAt != nil {
		facts = append(facts, holds(r)+" until "+day(*r.ExpiresAt))
	}
	if by := e.successors[r.ID]; by != "" {
		facts = append(facts, "in its place stands "+code(by))
	}
	if len(r.Supersedes) > 0 {
		facts = append(facts, "in place of "+each(r.Supersedes, code))
	}
	if len(r.Tags) > 0 {
		facts = append(facts, "tags: "+each(r.Tags, hostile.Inline))
	}
	return facts
}

func holds(r *Record) string {
	if r.Status == StatusActive {
		return "holds"
	}
	return "held"
}

// days returns when a record was made, and when it changed last.
func days(r *Record) string {
	made, changed := day(r.CreatedAt), day(r.UpdatedAt)
	if made == changed {
		return made
	}
	return made + ", changed " + changed
}

// evidence returns where a record was said and borne out: each session once, with its events.
func (e *entries) evidence(r *Record) string {
	var places []string
	var before Evidence
	for _, at := range r.Evidence {
		if before.EventID != "" && at.EventID != "" && before.SessionID == at.SessionID {
			shown := at
			if at.Note == before.Note {
				shown.Note = ""
			}
			places[len(places)-1] += ", " + event(shown)
		} else {
			places = append(places, e.place(at))
		}
		before = at
	}
	if len(places) == 0 {
		return ""
	}
	return "Said " + strings.Join(places, "; ")
}

func (e *entries) place(at Evidence) string {
	if at.EventID != "" {
		return "in " + e.cites.session(at.SessionID) + " " + event(at)
	}
	text := "by a person"
	if at.SessionID != "" {
		text += " after " + e.cites.session(at.SessionID)
	}
	if hostile.Line(at.Note) != "" {
		text += ": " + note(at.Note)
	}
	return text
}

// event names an event, and what else is said of it.
func event(at Evidence) string {
	text := hostile.Inline(at.EventID)
	var more []string
	if path := hostile.Inline(at.ArtifactPath); path != "" {
		more = append(more, path)
	}
	if hostile.Line(at.Note) != "" {
		more = append(more, note(at.Note))
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// note quotes what a person or member wrote after the word that memory put before it: in what topic something was
// found, or why it was settled.
func note(s string) string {
	for _, own := range []string{"on", "settled"} {
		if s == own {
			return s
		}
		if words, ok := strings.CutPrefix(s, own+": "); ok {
			return own + ": " + hostile.Quoted(words)
		}
	}
	return hostile.Quoted(s)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// ArchivePageHead begins the Markdown of what left one owner's book in a year; member is empty for the council's. What
// follows is one [ArchivePageRecord] for each record of the archive, in its order, so that the file only grows.
func ArchivePageHead(member council.MemberID, year int) []byte {
	whose := cmp.Or(hostile.Inline(string(member)), "the council")
	var p page
	p.block(fmt.Sprintf("# What left the memory of %s in %d", whose, year))
	p.block(fmt.Sprintf("Written by `council` from %[1]s-%[2]d.json, in the order in which records left %[1]s.json, each "+
		"as it\nstood then. One that left twice stands here twice; the later entry counts. To correct a record, use\n"+
		"`council memory edit` with its id.", Stem(member), year))
	return []byte(p.String())
}

// ArchivePageRecord returns what one record adds to the Markdown of the archive of an owner. root is [Book.Root] of the
// book that it left.
func ArchivePageRecord(member council.MemberID, root string, r Record) []byte {
	e := entries{cites: newCitations(member, root), kinds: true}
	var p page
	e.write(&p, &r, true)
	p.block(e.cites.block("  "))
	return []byte("\n" + p.String())
}
