package passage

import (
	"path"
	"strings"
	"unicode"
)

// maxParagraph bounds one block, in lines: text without blank lines is no reason to hold it all at once.
const maxParagraph = 400

// paragraphs splits plain text at its blank lines. A line of punctuation only, such as a rule, counts as blank.
func paragraphs(text string) []Passage {
	var out []Passage
	heading := ""
	var b block
	number, size := 0, 0
	flush := func() {
		out = append(out, b.passages(heading, Sentence)...)
		b, size = block{}, 0
	}
	for line := range strings.Lines(text) {
		number++
		words := strings.TrimSpace(line)
		if len(out) >= maxPassages {
			break
		}
		switch {
		case !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
			if underlined := len(words) >= 3 && size == 1; underlined {
				heading = shorten(strings.Join(strings.Fields(b.text.String()), " "))
				b, size = block{}, 0
			}
			flush()
			continue
		case listed(words) || size >= maxParagraph:
			flush()
			if i := strings.IndexByte(words, ' '); listed(words) {
				words = words[i+1:]
			}
		case size > 0:
			b.space()
		}
		b.add(words, number)
		size++
	}
	flush()
	return out
}

// listed reports whether a line of plain text begins an item of a list.
func listed(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ")
}

// markers are what comments begin with in a language. A whole comment may span lines between open and shut.
type markers struct {
	line       []string
	open, shut string
}

var (
	slashes = &markers{[]string{"///", "//!", "//"}, "/*", "*/"}
	hashes  = &markers{[]string{"#"}, `"""`, `"""`}
	dashes  = &markers{[]string{"--"}, "/*", "*/"}
	angles  = &markers{nil, "<!--", "-->"}
	semis   = &markers{[]string{";;", ";"}, "", ""}
)

var languages = map[string]*markers{
	".go": slashes, ".c": slashes, ".h": slashes, ".cc": slashes, ".cpp": slashes, ".hpp": slashes, ".java": slashes,
	".js": slashes, ".mjs": slashes, ".jsx": slashes, ".ts": slashes, ".tsx": slashes, ".rs": slashes, ".swift": slashes,
	".kt": slashes, ".scala": slashes, ".cs": slashes, ".php": slashes, ".css": slashes, ".scss": slashes, ".proto": slashes,
	".dart": slashes, ".zig": slashes, ".m": slashes, ".groovy": slashes, ".jsonc": slashes,
	".py": hashes, ".rb": hashes, ".sh": hashes, ".bash": hashes, ".zsh": hashes, ".pl": hashes, ".r": hashes, ".yaml": hashes,
	".yml": hashes, ".toml": hashes, ".tf": hashes, ".nix": hashes, ".ex": hashes, ".exs": hashes, ".jl": hashes, ".conf": hashes,
	".sql": dashes, ".lua": dashes, ".hs": dashes, ".elm": dashes, ".ada": dashes,
	".html": angles, ".htm": angles, ".xml": angles, ".vue": angles, ".svg": angles,
	".lisp": semis, ".el": semis, ".clj": semis, ".scm": semis, ".asm": semis, ".ini": semis,
}

func markersOf(base string) *markers {
	if base == "makefile" || base == "dockerfile" {
		return hashes
	}
	return languages[path.Ext(base)]
}

// comments splits program text along its comments: that is where it speaks to people.
func comments(name, text string) []Passage {
	m := markersOf(strings.ToLower(path.Base(name)))
	var out []Passage
	var b block
	number, size := 0, 0
	inside := false
	flush := func() {
		out = append(out, b.passages("", Sentence)...)
		b, size = block{}, 0
	}
	for line := range strings.Lines(text) {
		number++
		if len(out) >= maxPassages {
			break
		}
		words, ok := "", false
		words, inside, ok = m.comment(strings.TrimSpace(line), inside)
		words = strings.TrimSpace(words)
		if !ok || words == "" || size >= maxParagraph {
			flush()
		}
		if !ok || words == "" {
			continue
		}
		if size > 0 {
			b.space()
		}
		b.add(words, number)
		size++
	}
	flush()
	return out
}

// comment returns what a line says as a comment, and whether a comment is still open after it.
func (m *markers) comment(line string, inside bool) (words string, open, ok bool) {
	if !inside {
		for _, marker := range m.line {
			if rest, found := strings.CutPrefix(line, marker); found {
				return strings.TrimLeft(rest, marker), false, true
			}
		}
		rest, found := strings.CutPrefix(line, m.open)
		if !found || m.open == "" {
			return "", false, false
		}
		line = rest
	}
	words, _, shut := strings.Cut(line, m.shut)
	return strings.TrimLeft(words, "*! "), !shut, true
}
