package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scan goes through one text.
type scan struct {
	given *Given
	at    Moment
	sure  bool // the text is meant to cite
	found []Citation
}

// text goes through Markdown line by line and leaves blocks of code out.
func (s *scan) text(text string) {
	fence, at := "", 0
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t>")
		switch mark := fenceOf(bare); {
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			s.line(line, at)
		case mark != "" && strings.HasPrefix(mark, fence) && strings.Trim(bare, mark[:1]+" \t\r\n") == "":
			fence = ""
		}
		at += len(line)
	}
}

// fenceOf returns the run of backticks or tildes that begins or ends a block of code, or empty.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			// A backtick further on makes it a code span.
			if mark == "`" && strings.Contains(line[n:], "`") {
				return ""
			}
			return line[:n]
		}
	}
	return ""
}

// line goes through one line, which stands at an offset of the text, and takes code spans apart from prose.
func (s *scan) line(line string, at int) {
	for line != "" {
		tick := strings.IndexByte(line, '`')
		if tick < 0 {
			s.words(line, at)
			return
		}
		s.words(line[:tick], at)
		line, at = line[tick:], at+tick
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		code, rest, closed := cutRun(line[len(run):], run)
		if !closed {
			line, at = line[len(run):], at+len(run)
			continue
		}
		end := at + len(line) - len(rest)
		s.code(code, end)
		line, at = rest, end
	}
}

// cutRun cuts s around the first run of backticks that is exactly as long as run.
func cutRun(s, run string) (before, after string, found bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], run)
		if i < 0 {
			return s, "", false
		}
		i += from
		end := i + len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if end-i == len(run) {
			return s[:i], s[end:], true
		}
		from = end
	}
}

// code takes a code span that holds citations and nothing else. Marks stand behind the span.
func (s *scan) code(code string, end int) {
	within := scan{given: s.given, at: s.at}
	rest := within.words(code, 0)
	if strings.Trim(rest, " ,;[]()") != "" {
		return
	}
	for _, c := range within.found {
		c.End = end
		s.found = append(s.found, c)
	}
}

// words goes through the words of a text without code and returns what is not a citation.
func (s *scan) words(text string, at int) string {
	var rest strings.Builder
	listing := false // since a bracket opened there were citations only
	previous := ""
	for text != "" {
		if n := s.odd(text, at); n > 0 {
			text, at, previous = text[n:], at+n, ""
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		if separates(r) {
			rest.WriteString(text[:n])
			switch {
			case r == '[' || r == '(':
				listing = true
			case !unicode.IsSpace(r) && r != ',' && r != ';':
				listing = false
			}
			if !unicode.IsSpace(r) {
				previous = ""
			}
			text, at = text[n:], at+n
			continue
		}
		size := strings.IndexFunc(text, separates)
		if size < 0 {
			size = len(text)
		}
		word := strings.TrimRight(text[:size], `.:\`)
		after, _ := utf8.DecodeRuneInString(text[size:])
		listed := listing && strings.ContainsRune("]),;", after)
		article := previous == "a" || previous == "an" || previous == "the"
		if !s.word(word, at+len(word), listed, article) {
			rest.WriteString(text[:size])
			listing = listing && slices.Contains(joining, strings.ToLower(word))
		}
		previous = strings.ToLower(word)
		text, at = text[size:], at+size
	}
	return rest.String()
}

// joining are words that stand among citations in brackets.
var joining = []string{"see", "also", "and", "cf", "as", "in"}

// odd judges lines of something given whose name is more than a word, if the text begins with them, and returns how
// long they are.
func (s *scan) odd(text string, at int) int {
	for _, name := range s.given.odd {
		rest, ok := strings.CutPrefix(text, name+":")
		if !ok {
			continue
		}
		size := strings.IndexFunc(rest, separates)
		if size < 0 {
			size = len(rest)
		}
		word := "x:" + strings.TrimRight(rest[:size], `.:\`) // linesWord wants a name
		if m := linesWord.FindStringSubmatch(word); m != nil {
			n := len(name) + len(word) - 1
			first, last := numbers(m)
			s.lines(text[:n], name, first, last, at+n)
			return n
		}
	}
	return 0
}

func separates(r rune) bool {
	if r < 0x80 {
		return r <= ' ' || strings.IndexByte("()[]{}<>\"',;|*!?", byte(r)) >= 0
	}
	return unicode.IsSpace(r) || strings.ContainsRune("“”„‘’«»…—。、，；：（）「」", r)
}

var (
	eventWords = regexp.MustCompile(`^e\d{1,7}(?:(?:[-–/]|\.\.\.?)e?\d{1,7})*$`)
	eventWord  = regexp.MustCompile(`\d+`)
	linesWord  = regexp.MustCompile(`^(.+?):L?(\d{1,7})(?:[-–]L?(\d{1,7}))?(?::\d{1,7})?$`)
)

// word judges one word and reports whether it is a citation.
func (s *scan) word(word string, end int, listed, article bool) bool {
	if word == "" || word[len(word)-1] < '0' || word[len(word)-1] > '9' {
		return false
	}
	if eventWords.MatchString(word) {
		cited := eventWord.FindAllString(word, -1)
		for _, number := range cited {
			n, _ := strconv.Atoi(number)
			sure := s.sure || listed || len(cited) > 1 || n >= 10 && n < 1000 && !article
			s.event("e"+number, n, end, sure)
		}
		return true
	}
	m := linesWord.FindStringSubmatch(word)
	if m == nil || strings.Contains(word, "://") || strings.Contains(word, "@") {
		return false
	}
	first, last := numbers(m)
	return s.lines(word, m[1], first, last, end)
}

// numbers returns the first and the last line of a match of linesWord.
func numbers(m []string) (first, last int) {
	first, _ = strconv.Atoi(m[2])
	if m[3] == "" {
		return first, first
	}
	last, _ = strconv.Atoi(m[3])
	return first, last
}
