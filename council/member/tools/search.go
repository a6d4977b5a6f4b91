package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
)

// The bounds of one search.
const (
	mostQuery = 500       // bytes
	mostFiles = 100_000   // looked at
	mostRead  = 256 << 20 // bytes
)

// search shows the lines that hold a query, in the order of the files' names. Words are found in any case.
func (l *look) search(ctx context.Context, query, below string, expression bool) output {
	switch query = strings.TrimSpace(query); {
	case query == "":
		return failure("The query is empty.")
	case len(query) > mostQuery:
		return failure("The query has %d bytes; at most %d are allowed.", len(query), mostQuery)
	}
	pattern := query
	if !expression {
		pattern = "(?i)" + regexp.QuoteMeta(query)
	}
	match, err := regexp.Compile(pattern)
	if err != nil {
		return failure("The query is not a regular expression: %s.",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if strings.TrimSpace(below) == "" {
		below = "."
	}
	name, info, err := l.find(below)
	if err != nil {
		return refuse(name, err)
	}
	s := &searching{look: l, ctx: ctx, match: match, words: !expression}
	if info.IsDir() {
		err = s.folder(name, l.rules(name))
	} else {
		err = s.file(name)
	}
	if err != nil {
		return refuse(name, err)
	}
	answer := s.answer(fmt.Sprintf("No line holds it. Files that were searched: %d.", s.files))
	answer.cut = answer.cut || s.bound
	return answer
}

// searching is one search.
type searching struct {
	*look
	ctx   context.Context
	match *regexp.Regexp
	words bool // the query is words, not an expression
	files int
	bytes int64
	bound bool // there was more to look at
}

// over reports whether nothing more is looked at.
func (s *searching) over() bool {
	s.bound = s.bound || s.files >= mostFiles || s.bytes >= mostRead
	return s.bound || s.cut || s.ctx.Err() != nil
}

// folder searches all below a folder. One that cannot be read is passed over, unless it is the first.
func (s *searching) folder(name string, rules *documents.Rules) error {
	entries, err := s.entries(name, rules)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case s.over():
			return nil
		case e.IsDir():
			_ = s.folder(e.name, rules.Below(e.Name(), s.root.FS(), e.name))
		default:
			_ = s.file(e.name)
		}
	}
	return nil
}

// file searches one file. Its error is why that is not possible.
func (s *searching) file(name string) error {
	info, err := s.root.Lstat(name)
	if err != nil {
		return atomicfile.Explain(err)
	}
	text, err := s.text(name, info)
	if err != nil {
		return err
	}
	s.files++
	s.bytes += info.Size()
	if text == "" || s.words && !s.match.MatchString(text) { // most files do not hold them
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var safe []string
	for i, line := range lines {
		if !s.match.MatchString(line) {
			continue
		}
		if safe == nil { // most files need not be looked through for secrets
			safe = s.safe(lines)
		}
		// Where the safe line does not match, it is a secret that was searched for.
		if s.match.MatchString(safe[i]) && !s.show(name, name+":", i+1, line, safe[i]) {
			return nil
		}
	}
	return nil
}
