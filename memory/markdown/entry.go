package markdown

import (
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
)

// entries writes records as items of a list.
type entries struct {
	home       string            // see [home]
	successors map[string]string // which record stands in the place of another, by id
	kinds      bool              // an entry names its kind and status: it stands under no heading that does
}

// nothing stands where a text has nothing in it that can be shown.
const nothing = "*(nothing that can be shown)*"

// write adds one record. Bold is for what holds.
func (e entries) write(p *page, r *memory.Record, bold bool) {
	summary := hostile.Inline(r.Summary)
	switch {
	case summary == "":
		summary = nothing
	case bold:
		summary = "**" + summary + "**"
	}
	paragraphs := []string{summary}
	if detail := hostile.Inline(r.Detail); detail != "" {
		paragraphs = append(paragraphs, detail)
	}
	paragraphs = append(paragraphs, strings.Join(e.facts(r), " · "), e.evidence(r))
	var item []string
	for _, paragraph := range paragraphs {
		if paragraph != "" {
			item = append(item, paragraph)
		}
	}
	p.block("- " + strings.Join(item, "\n\n  "))
}

// facts are what there is to know of a record beside its words.
func (e entries) facts(r *memory.Record) []string {
	facts := []string{code(r.ID)}
	if e.kinds {
		facts = append(facts, strings.ReplaceAll(string(r.Kind), "_", " "), string(r.Status))
	}
	facts = append(facts,
		fmt.Sprintf("importance %d of 5", r.Importance), fmt.Sprintf("%.0f %% sure", r.Confidence*100), days(r))
	if r.ResolvedAt != nil {
		facts = append(facts, "resolved "+day(*r.ResolvedAt))
	}
	if r.ExpiresAt != nil {
		facts = append(facts, "holds until "+day(*r.ExpiresAt))
	}
	if by := e.successors[r.ID]; by != "" {
		facts = append(facts, "in its place stands "+code(by))
	}
	if len(r.Supersedes) > 0 {
		facts = append(facts, "in place of "+each(r.Supersedes, code))
	}
	if len(r.Tags) > 0 {
		facts = append(facts, each(r.Tags, hostile.Inline))
	}
	return facts
}

// days says when a record was made, and when it changed last.
func days(r *memory.Record) string {
	made, changed := day(r.CreatedAt), day(r.UpdatedAt)
	if made == changed {
		return made
	}
	return made + ", again " + changed
}

// evidence says where a record was said, and what bore it out.
func (e entries) evidence(r *memory.Record) string {
	var places []string
	var last council.SessionID
	for i := range r.Evidence {
		place := r.Evidence[i]
		if i > 0 && place.EventID != "" && place.SessionID == last && place.Note == "" && place.ArtifactPath == "" {
			places[len(places)-1] += ", " + hostile.Inline(place.EventID)
			continue
		}
		places = append(places, e.place(place))
		last = place.SessionID
		if place.Note != "" || place.ArtifactPath != "" || place.EventID == "" {
			last = "" // more events would seem to belong to the note
		}
	}
	if len(places) == 0 {
		return ""
	}
	text := "From " + places[0]
	if len(places) > 1 {
		text += "; again in " + strings.Join(places[1:], "; ")
	}
	return text
}

func (e entries) place(at memory.Evidence) string {
	note := hostile.Inline(at.Note)
	if at.EventID == "" {
		text := "a person's word"
		if at.SessionID != "" {
			text += " after " + session(e.home, at.SessionID)
		}
		if note != "" {
			text += ": " + note
		}
		return text
	}
	text := session(e.home, at.SessionID) + " " + hostile.Inline(at.EventID)
	if at.ArtifactPath != "" {
		text += ", " + artifact(e.home, at.SessionID, at.ArtifactPath)
	}
	if note != "" {
		text += " (" + note + ")"
	}
	return text
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }
