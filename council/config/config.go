// Package config reads council.config.json into a charter.
//
// The file is JSON; comments and trailing commas are allowed. Everything else is strict: a field that is not known, is
// given twice or has the wrong type is refused, with its place and, where one is near, the name that was meant.
package config

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/templates"
)

const MaxSize = 1 << 20 // the largest configuration that is read, in bytes
const maxDepth = 200    // bounds nesting before the parser, which calls itself for each level, sees the text

// Parse reads a configuration, fills in every default and checks the charter. Its error is a [Problems], in the order
// of the file; each entry is a [council.ErrBadCharter].
func Parse(doc []byte) (council.Charter, error) {
	var c council.Charter
	doc = bytes.TrimPrefix(doc, []byte("\ufeff")) // some editors begin a file with a byte order mark
	root, err := parse(doc)
	if err != nil {
		return c, Problems{*err}
	}
	r := &reader{doc: doc, places: map[string]int{}, named: map[string]bool{}}
	for _, at := range []string{"/deliberation/highLevelRounds", "/deliberation/implementationRounds", "/maxRounds"} {
		if old := root.Find(at); old != nil && root.Find("/phases") == nil {
			r.places[at] = old.StartOffset
			r.add(at, "roundtable read this before it had phases: write sessionPolicy and phases instead, with maxRounds in "+
				"the stopConditions of each; docs/operations.md shows how")
			return c, r.problems
		}
	}
	r.read(root, "", reflect.ValueOf(&c).Elem())
	r.fillFallbacks(&c)
	r.fillStorage(&c.Storage)
	r.fillDocument(&c.DocumentationReview)
	r.check(&c)
	if len(r.problems) == 0 {
		r.checkIdle(&c)
		r.checkPrices(&c)
		r.checkGuidance(&c.DocumentationReview)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		return council.Charter{}, r.problems
	}
	return c, nil
}

func parse(doc []byte) (hujson.Value, *Problem) {
	switch {
	case len(doc) > MaxSize:
		return hujson.Value{}, &Problem{
			Text: fmt.Sprintf("the file is larger than %d KiB, the limit of a configuration", MaxSize>>10)}
	case len(bytes.TrimSpace(doc)) == 0:
		return hujson.Value{}, &Problem{Text: "the file is empty"}
	case tooDeep(doc):
		return hujson.Value{}, &Problem{Text: fmt.Sprintf("the file is nested more than %d levels deep", maxDepth)}
	}
	root, err := hujson.Parse(doc)
	if err != nil {
		return root, syntaxProblem(err)
	}
	return root, nil
}

// tooDeep reports nesting beyond maxDepth. Brackets in texts count too: no text has so many of them open.
func tooDeep(doc []byte) bool {
	depth := 0
	for _, b := range doc {
		switch b {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// parserPlace matches the place in an error of the parser, before the reason.
var parserPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

func syntaxProblem(err error) *Problem {
	text, p := err.Error(), &Problem{}
	if m := parserPlace.FindStringSubmatch(text); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Column, _ = strconv.Atoi(m[2])
		text = text[len(m[0]):]
	}
	text = strings.ReplaceAll(text, "unexpected EOF", "the file ends too early")
	p.Text = "it is not JSON: " + text
	return p
}

// check adds the problems of the charter, except in places that could not be read.
func (r *reader) check(c *council.Charter) {
	understood := len(r.problems)
	for _, bad := range charter.Problems(c) {
		if r.problems[:understood].explains(bad.Pointer) {
			continue
		}
		if at, ok := r.namedFallback(bad.Pointer); ok {
			if bad.Pointer == at+"/model" || bad.Pointer == at+"/provider" {
				r.add(at, "%s", bad.Problem)
			}
			continue // it was said of the model itself
		}
		text := bad.Problem
		if !r.has(bad.Pointer) {
			text = "it is missing: " + text
		}
		r.add(bad.Pointer, "%s", text)
	}
}

// checkPrices refuses a price without new tokens or the reply's, which would cost nothing, and one that never holds.
func (r *reader) checkPrices(c *council.Charter) {
	for i := range c.Prices {
		for _, field := range []string{"input", "output"} {
			if at := fmt.Sprintf("/prices/%d/%s", i, field); !r.has(at) {
				r.add(at, "%s", council.MissingPrice)
			}
		}
		for _, idle := range c.Prices[i].Idle() {
			r.add(fmt.Sprintf("/prices/%d/%s", i, idle.Field), "%s", idle.Text)
		}
	}
}

func (r *reader) has(pointer string) bool {
	_, given := r.places[pointer]
	return given
}

// DefaultResolution is the resolution of a phase that reached none and has no fallback of its own.
const DefaultResolution = "No resolution was reached."

// setDefaults fills in the defaults of a part of the charter before it is read, and of optional parts in it.
func setDefaults(part reflect.Value) {
	switch p := part.Addr().Interface().(type) {
	case *council.Charter:
		p.SessionPolicy = council.SessionPolicy{MaxPhaseTransitions: 12, PhaseContextVerbosity: council.VerbosityStandard}
		p.Output.Type = council.OutputNone
		p.DocumentationReview.MaxRevisionRounds = 2
		p.Deliberation = council.Deliberation{SealedPositions: true, MarkCitations: true, Stances: true}
		p.Storage = council.Storage{RootDir: ".council"}
		p.Execution = council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"}
	case *council.Phase:
		setDefaults(reflect.ValueOf(&p.Governance).Elem())
		p.StopConditions = council.StopConditions{EndOnMajorityVote: true, MaxQuestions: 3}
		p.MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true,
			WriteCouncilMemory: true, IncludePriorPhaseSummary: true}
		p.Fallback = council.Fallback{Resolution: DefaultResolution, Action: council.FallbackEndSession}
	case *council.Governance:
		*p = council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: quorum.Members, Debate: true,
			MaxAmendments: 2}
	case *council.Deliverable:
		p.Required = true
	case *council.Transition:
		p.Priority = 100
	}
}

// fillStorage puts memory into the folder of the record, unless the file sets another.
func (r *reader) fillStorage(s *council.Storage) {
	if !r.has("/storage/memoryDir") {
		s.MemoryDir = path.Join(s.RootDir, "memory")
	}
	for at, dir := range map[string]string{"/storage/rootDir": s.RootDir, "/storage/memoryDir": s.MemoryDir} {
		if r.has(at) && leavesFolder(dir) {
			r.add(at, "it leads out of the working folder: name the whole path if you mean a folder elsewhere")
		}
	}
}

// leavesFolder reports whether a relative path leads out of the folder in which it is used.
func leavesFolder(dir string) bool {
	return strings.TrimSpace(dir) != "" && !filepath.IsAbs(dir) && !path.IsAbs(dir) && !filepath.IsLocal(dir)
}

// RootDir returns the folder of the record that a configuration names, or "" where [Parse] would take none.
func RootDir(doc []byte) string {
	root, fault := parse(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if fault != nil {
		return ""
	}
	found := root.Find("/storage/rootDir")
	if found == nil || strings.TrimSpace(text(*found)) == "" || leavesFolder(text(*found)) {
		return ""
	}
	return text(*found)
}

const maxGuide = 500 // in characters

// fillDocument takes the sections and their guidance from the named skeleton, where the file does not give them. All of
// it goes into the charter, so that a record does not depend on later skeletons.
func (r *reader) fillDocument(review *council.DocumentationReview) {
	if review.Skeleton == "" {
		return
	}
	_, sections, ok := templates.Skeleton(review.Skeleton)
	if !ok {
		known, hint := templates.Skeletons(), ""
		if near, ok := names.Nearest(review.Skeleton, slices.Values(known)); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		r.add("/documentationReview/skeleton", "there is no skeleton %q; there are %s%s", review.Skeleton,
			strings.Join(known, ", "), hint)
		return
	}
	whole := len(review.Sections) == 0
	for _, s := range sections {
		if whole {
			review.Sections = append(review.Sections, s.Heading)
		}
		given := func(g council.Guide) bool { return g.Section == s.Heading && g.Says != "" }
		if !slices.ContainsFunc(review.Guidance, given) && slices.Contains(review.Sections, s.Heading) {
			review.Guidance = append(review.Guidance, council.Guide{Section: s.Heading, Says: s.Says})
		}
	}
}

func (r *reader) checkGuidance(review *council.DocumentationReview) {
	for i, g := range review.Guidance {
		at := fmt.Sprintf("/documentationReview/guidance/%d", i)
		switch {
		case !slices.Contains(review.Sections, g.Section):
			r.add(at+"/section", "there is no section %q: guidance is for one of sections, in the same words", g.Section)
		case slices.ContainsFunc(review.Guidance[:i], func(o council.Guide) bool { return o.Section == g.Section }):
			r.add(at+"/section", "there is guidance on %q already", g.Section)
		}
		switch {
		case strings.TrimSpace(g.Says) == "":
			r.add(at+"/says", "it must not be empty")
		case strings.ContainsAny(g.Says, "\r\n"):
			r.add(at+"/says", "guidance stands on one line")
		case utf8.RuneCountInString(g.Says) > maxGuide:
			r.add(at+"/says", "guidance has at most %d characters", maxGuide)
		}
	}
}

const maxFallbacks = 9

// readName reads a fallback that is only named: another model at the same provider, asked in the same way. It reports
// whether v is one. Its other settings are filled in later.
func (r *reader) readName(v hujson.Value, pointer string, into reflect.Value) bool {
	if !isFallback(pointer, into.Type()) || kindOf(v) != "a text" {
		return false
	}
	into.Set(reflect.ValueOf(council.Model{Model: text(v)}))
	r.named[pointer] = true
	return true
}

func isFallback(pointer string, t reflect.Type) bool {
	return t == reflect.TypeFor[council.Model]() && strings.Contains(pointer, "/fallbacks/")
}

// fillFallbacks makes whole models of the fallbacks that are only named. The charter holds them whole, so that a
// record does not depend on how its configuration was written.
func (r *reader) fillFallbacks(c *council.Charter) {
	for i := range c.Members {
		m := &c.Members[i].Model
		if n := len(m.Fallbacks); n > maxFallbacks {
			r.add(fmt.Sprintf("/members/%d/model/fallbacks", i), "at most %d models can stand in for one, not %d",
				maxFallbacks, n)
		}
		for j := range m.Fallbacks {
			at := fmt.Sprintf("/members/%d/model/fallbacks/%d", i, j)
			if !r.named[at] {
				continue
			}
			name := m.Fallbacks[j].Model
			m.Fallbacks[j] = *m
			m.Fallbacks[j].Model, m.Fallbacks[j].Fallbacks = name, nil
			switch {
			case name == m.Model:
				r.add(at, "it is the model that it would stand in for")
			case slices.ContainsFunc(m.Fallbacks[:j],
				func(o council.Model) bool { return o.Provider == m.Provider && o.Model == name }):
				r.add(at, "it is named already")
			case m.Command != nil, m.Program != "":
				r.add(at, "a name alone is not enough beside command or program: write the fallback as an object")
			}
		}
	}
}

// namedFallback returns the pointer of the fallback around a problem, if that is only named.
func (r *reader) namedFallback(pointer string) (at string, ok bool) {
	for at := range r.named {
		if strings.HasPrefix(pointer, at+"/") {
			return at, true
		}
	}
	return "", false
}
