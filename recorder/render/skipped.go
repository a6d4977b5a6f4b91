package render

import (
	"strings"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/render/wording"
)

// writeSkipped says what was named as context and not given.
func (s *session) writeSkipped(p *page) {
	var rows [][]string
	for _, skip := range s.Started.Topic.Skipped {
		names := strings.Join(inlines(skip.Names), ", ")
		if left := skip.Count - len(skip.Names); left > 0 && names != "" {
			names += ", and " + wording.Thousands(int64(left)) + " more"
		}
		bytes := ""
		if skip.Bytes > 0 {
			bytes = wording.Size(int(skip.Bytes))
		}
		rows = append(rows, []string{wording.Thousands(int64(skip.Count)), bytes, hostile.Inline(skip.Reason), names})
	}
	defer s.writeCut(p)
	if len(rows) > 0 {
		p.block("Not given, though they were named or lay in what was named:")
		p.table([]string{">How many", ">Size", "Why", "Which"}, rows)
	}
}

// writeCut says what was taken out of the topic and the documents.
func (s *session) writeCut(p *page) {
	var rows [][]string
	for _, c := range s.Started.Topic.Cut {
		in := "the topic"
		if c.In != "" {
			in = hostile.Inline(c.In)
		}
		rows = append(rows, []string{wording.Thousands(int64(c.Count)), hostile.Inline(c.Kind), in})
	}
	if len(rows) > 0 {
		p.block("Secrets that were cut out before anybody was given them:")
		p.table([]string{">How many", "Kind", "From"}, rows)
	}
}
