package citation

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// Given holds the lines of named texts that members can cite. It is a fold over the log.
type Given struct {
	lines       map[string][]span   // by name
	ends        map[string][]string // names by the ends of their paths from a slash on, in the order given
	spacedNames []string            // names that hold separators of words
}

// span is a range of lines, both ends included, that are given since an event.
type span struct {
	first, last int
	since       council.Seq
}

// Moment is the time of writing: by a member that knew the log up to AsOf, recorded as Event. The member's own lookups
// for that event count; Event is 0 where there is none.
type Moment struct{ AsOf, Event council.Seq }

// NewGiven returns a Given of nothing.
func NewGiven() *Given { return &Given{lines: map[string][]span{}, ends: map[string][]string{}} }

// GivenIn returns what the events of a log give.
func GivenIn(log []council.Event) *Given {
	g := NewGiven()
	for _, e := range log {
		g.Take(e)
	}
	return g
}

// Take takes in the next event of the log: the documents that it gives, and lines that these and tools show.
func (g *Given) Take(e council.Event) {
	if p, ok := e.Started(); ok {
		for _, d := range p.Topic.Documents {
			g.add(d.Name, span{1, 1 + strings.Count(strings.TrimSuffix(d.Text, "\n"), "\n"), e.Seq})
			g.addLines(d.Shows, e.Seq)
		}
	}
	reply, _ := e.Answered()
	for _, use := range reply.Tools {
		g.addLines(use.Given, e.Seq)
	}
}

func (g *Given) addLines(lines []council.FileLines, since council.Seq) {
	for _, l := range lines {
		g.add(l.File, span{l.From, l.To, since})
	}
}

func (g *Given) add(name string, s span) {
	if _, known := g.lines[name]; !known {
		for i := range name {
			if name[i] == '/' {
				g.ends[name[i+1:]] = append(g.ends[name[i+1:]], name)
			}
		}
		if strings.ContainsFunc(name, isSeparator) {
			g.spacedNames = append(g.spacedNames, name)
		}
	}
	g.lines[name] = append(g.lines[name], s)
}

// Exists reports whether a citation is an event that the member could know ("e12"), the exact name of something given
// ("README.md"), or lines of it ("README.md:12", "README.md:12-15").
func (g *Given) Exists(cite string, at Moment) bool {
	if number, ok := strings.CutPrefix(strings.ToLower(cite), "e"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			return n >= 1 && council.Seq(n) <= at.AsOf
		}
	}
	if g.has(cite, at) {
		return true
	}
	m := exactLines.FindStringSubmatch(cite)
	if m == nil {
		return false
	}
	first, last := numbers(m)
	return g.hasLines(m[1], first, last, at)
}

func (s span) knownAt(at Moment) bool { return s.since <= at.AsOf || s.since == at.Event }

// has reports whether anything was given under exactly this name.
func (g *Given) has(name string, at Moment) bool {
	return slices.ContainsFunc(g.lines[name], func(s span) bool { return s.knownAt(at) })
}

// hasLines reports whether all lines from first to last were given under exactly this name, in one piece or in several.
func (g *Given) hasLines(name string, first, last int, at Moment) bool {
	if first < 1 || last < first {
		return false
	}
	for next := first; next <= last; {
		reached := next
		for _, s := range g.lines[name] {
			if s.knownAt(at) && s.first <= reached && reached <= s.last {
				reached = s.last + 1
			}
		}
		if reached == next {
			return false
		}
		next = reached
	}
	return true
}

// namesFor lists the names given that are name, or paths that end in it.
func (g *Given) namesFor(name string, at Moment) []string {
	for strings.HasPrefix(name, "./") {
		name = name[2:]
	}
	if g.has(name, at) {
		return []string{name}
	}
	return slices.DeleteFunc(slices.Clone(g.ends[name]), func(n string) bool { return !g.has(n, at) })
}

// endsInGivenName reports whether the path ends in a given name: folders before it may have been left out.
func (g *Given) endsInGivenName(path string, at Moment) bool {
	for found := true; found; {
		if _, path, found = strings.Cut(path, "/"); found && g.has(path, at) {
			return true
		}
	}
	return false
}

// extensions are those of texts and sources, in order. They leave out endings of hosts that people write with a port.
var extensions = strings.Fields(`
	adoc asm astro bash bat bazel c cc cfg clj cmake cnf conf cpp cs css csv cue cxx dart diff ejs el elm erl ex exs
	fs go gql gradle graphql h hbs hcl hpp hrl hs htm html hx ini ipynb java jl js json jsonc jsonl jsx kt kts less lisp
	log lua m mbox md mdx mjs ml mli mm nix patch php proto ps1 py pyi r rb rego rs rst sass scala scm scss sh
	sol sql styl svelte swift tcl tex tf tfvars toml ts tsx txt v vb vue xml yaml yml zig zsh`)

var bareNames = strings.Fields(
	"dockerfile gemfile jenkinsfile justfile license makefile procfile rakefile readme vagrantfile")

// fileLike reports whether a name can hardly be anything but that of a text file.
func fileLike(name string) bool {
	_, base := path.Split(strings.ToLower(name))
	ext := path.Ext(base)
	_, found := slices.BinarySearch(extensions, strings.TrimPrefix(ext, "."))
	return slices.Contains(bareNames, base) || found && base != ext
}

// DiffPrefix begins the name of a document that is a diff, before the revision that it was made against.
const DiffPrefix = "diff:"

// maxJoined is how many bytes of a word are read that has letters of other scripts. Nothing is marked in a longer one.
const maxJoined = 512

var (
	exactLines = regexp.MustCompile(`(?s)^(.*):(\d{1,9})(?:-(\d{1,9}))?$`)
	// lineNumbers are the numbers of lines behind a name.
	lineNumbers = regexp.MustCompile(`^:L?\d{1,7}(?:[-–]L?\d{1,7})?(?::\d{1,7})?`)
	// inWord finds the end of a citation within a word: an event, or the numbers of lines.
	inWord = regexp.MustCompile(`e\d{1,7}(?:(?:[-–/]|\.\.\.?)e?\d{1,7})*|:L?\d{1,7}(?:[-–]L?\d{1,7})?(?::\d{1,7})?`)
	// spaceless are scripts that write words without spaces between them.
	spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Yi, unicode.Javanese, unicode.Balinese}
)

// isForeign reports whether r is a letter of another alphabet than the Latin one.
func isForeign(r rune) bool {
	return r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Latin, unicode.Inherited)
}

func isASCIIWord(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// startsAt reports whether a name or an event can begin at text[i:]: at the beginning, where the script changes, and
// behind every letter of a script without spaces.
func startsAt(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	next, _ := utf8.DecodeRuneInString(text[i:])
	return i == 0 || isForeign(before) && (!isForeign(next) || unicode.In(before, spaceless...))
}

// endsAt reports whether a citation can end before rest: at the end of a word, and where the script changes.
func endsAt(rest string) bool {
	rest = strings.TrimLeft(rest, `.:\`)
	next, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || isForeign(next) || isSeparator(next)
}

// cutAtSpacedName returns how much of the first size bytes of text comes before a given name of more than a word.
func (s *scan) cutAtSpacedName(text string, size int) int {
	for i := range text[:min(size, maxJoined)] {
		if i > 0 && startsAt(text, i) && slices.ContainsFunc(s.given.spacedNames, func(name string) bool {
			return strings.HasPrefix(text[i:], name)
		}) {
			return i
		}
	}
	return size
}

// joinedWord judges a word with letters of other scripts, which touch its citations, and returns the rest of it. Of the
// names that can begin in it the longest that holds counts. Where none does, only a name that looks like a file is
// marked; events are, where they can be nothing else.
func (s *scan) joinedWord(word string, at int, sure bool) string {
	if len(word) > maxJoined || strings.Contains(word, "://") || strings.Contains(word, "@") {
		return word
	}
	rest, done := "", 0
	for _, m := range inWord.FindAllStringIndex(word, -1) {
		from, to := m[0], m[1]
		if !endsAt(word[to:]) {
			continue
		}
		if word[from] == ':' {
			start, ok := s.findName(word[done:from], word[from:to], at+to)
			if !ok {
				continue
			}
			from = done + start
		} else if !startsAt(word, from) {
			continue
		} else {
			for _, number := range eventWord.FindAllString(word[from:to], -1) {
				n, _ := strconv.Atoi(number)
				s.event("e"+number, n, at+to, s.sure || sure)
			}
		}
		rest += word[done:from]
		done = to
	}
	return rest + word[done:]
}

// findName judges lines of a document whose name ends text, and returns where the name begins and whether it is one.
func (s *scan) findName(text, lines string, end int) (start int, ok bool) {
	first, last := numbers(linesWord.FindStringSubmatch("x" + lines))
	tail := 0
	start = -1
	for i := range text {
		if !startsAt(text, i) {
			continue
		}
		tail = i
		for _, n := range s.given.namesFor(text[i:], s.at) {
			if s.given.hasLines(n, first, last, s.at) {
				return i, s.lines(text[i:]+lines, text[i:], first, last, end)
			}
			if start < 0 {
				start = i // given, and has no such line
			}
		}
	}
	if start < 0 {
		if start = tail; !fileLike(text[tail:]) {
			start = 0
		}
	}
	return start, s.lines(text[start:]+lines, text[start:], first, last, end)
}
