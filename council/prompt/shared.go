package prompt

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// sharedPart writes the part of the prompt that is the same for all members: charter, rules, topic and documents.
func sharedPart(v council.View) string {
	type document struct {
		Name  string
		Lines int
		Text  string
		Left  int // of a note: characters that had no room
	}
	data := struct {
		*council.Charter
		Seated    []*council.Member
		Topic     string
		Documents []document
		Notes     []document
		Unseen    *omittedFiles
		Memory    *memory
		Reopens   *council.Reopened
	}{Charter: v.Charter, Topic: strings.TrimSpace(hostile.Clean(v.Topic.Text)), Memory: memoryOf(v, "")}
	for _, id := range v.Charter.Seats() {
		data.Seated = append(data.Seated, v.Charter.Member(id))
	}
	fence := dataFence(v.Session)
	for _, d := range v.Topic.Documents {
		text, lines := numberLines(d.Text)
		if d.Note != nil {
			text = fence.neutralize(strings.TrimSpace(text))
			data.Notes = append(data.Notes, document{fence.file(d.Name), lines, text, d.Note.Left})
			continue
		}
		data.Documents = append(data.Documents, document{fence.file(d.Name), lines, fence.wrap(text), 0})
	}
	data.Unseen = omittedFilesIn(v.Topic.Skipped, fence)
	if r := v.Topic.Reopens; r != nil {
		told := council.EditTexts(*r, func(_ council.TextKind, text string) string { return fence.wrap(text) })
		told.Closed, told.Record = hostile.Line(r.Closed), fence.file(r.Record)
		if r.Draft != "" {
			told.Draft = fence.file(r.Draft)
		}
		told.Because = strings.TrimSpace(hostile.Clean(r.Because)) // the words of the convener
		data.Reopens = &told
	}
	return words("shared", data)
}

// omittedFiles is the list of left-out files for the templates of the system part.
type omittedFiles struct {
	Count int
	Text  string // fenced, a line for each of the largest
	More  int    // files that are not in the list
	Lines int    // of those, as far as they are known
}

// omittedFilesIn returns nil if nothing was left out. A person's own notes are not listed.
func omittedFilesIn(skipped []council.Skipped, fence fence) *omittedFiles {
	var all omittedFiles
	var largest council.Skipped
	why := map[council.LeftFile]string{}
	for _, s := range skipped {
		if s.Notes {
			continue
		}
		all.Count += s.Count
		all.Lines += s.Lines
		for _, f := range s.Files {
			largest.Add(f)
			why[f] = s.Reason
		}
	}
	if all.Count == 0 {
		return nil
	}
	var lines []string
	for _, f := range largest.Files {
		all.Lines -= f.Lines
		reason := why[f]
		f.Name = hostile.Line(f.Name)
		lines = append(lines, "- "+f.String()+": "+hostile.Line(reason))
	}
	all.More = all.Count - len(lines)
	all.Text = fence.wrap(strings.Join(lines, "\n"))
	return &all
}
