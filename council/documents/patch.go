package documents

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// patch reads a diff in git's format, file by file, and keeps at most limit bytes: of a longer one the smallest files.
type patch struct {
	limit      int64
	attributed map[string]bool // files that the base has excluded from diffs
	leave      func(reason string, f council.LeftFile)
	files      []*section // that are shown
	size       int64      // of these
	at         *section   // that is being read
}

type section struct {
	old, new string // names before the change and after it; "": none
	head     []byte // the lines before the first change
	body     []byte // the changes
	shows    []council.FileLines
	changes  bool // whether they have begun
	long     bool // whether they are too long to be kept
	lines    int  // that changed

	all, returns int       // lines of the body, and those that end in CR LF
	before       hash.Hash // of the lines before the change, without their ends
	after        hash.Hash // of the lines after it
	isOld, isNew bool      // whether the line that is being read is one of these
	zeros        bool      // NUL bytes are among the lines that changed
	odd, of      int       // bytes of these that belong to no text, and all
}

const (
	maxHead     = 64 << 10
	maxShown    = 10_000 // ranges of lines
	diffHeading = "diff --git "
)

// read reads a whole diff. Its errors are those of r.
func (p *patch) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for begins := true; ; {
		part, err := in.ReadSlice('\n')
		if len(part) > 0 {
			p.take(part, begins)
		}
		begins = err == nil
		switch {
		case err == io.EOF:
			p.finish()
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// take reads a line, or a continuation of one.
func (p *patch) take(part []byte, begins bool) {
	if begins && bytes.HasPrefix(part, []byte(diffHeading)) {
		p.finish()
		p.at = &section{before: sha256.New(), after: sha256.New()}
	}
	s := p.at
	if s == nil {
		return // no file yet
	}
	if s.changes = s.changes || begins && bytes.HasPrefix(part, []byte("@@ ")); !s.changes {
		if len(s.head)+len(part) <= maxHead {
			s.head = append(s.head, part...)
		}
		s.heading(strings.TrimSuffix(string(part), "\n"))
		return
	}
	if s.long = s.long || int64(len(s.body)+len(part)) > p.limit; s.long {
		s.body = nil
	} else {
		s.body = append(s.body, part...)
	}
	s.change(part, begins)
}

func (s *section) heading(line string) {
	for _, head := range []struct {
		mark, prefix string
		name         *string
	}{
		{"--- ", "a/", &s.old}, {"+++ ", "b/", &s.new}, {"rename from ", "", &s.old}, {"rename to ", "", &s.new},
		{"copy from ", "", &s.old}, {"copy to ", "", &s.new},
	} {
		if name, ok := strings.CutPrefix(line, head.mark); ok {
			*head.name = diffPath(name, head.prefix)
		}
	}
	if both, ok := strings.CutPrefix(line, diffHeading); ok {
		name := diffPath(both[:len(both)/2], "a/") // the same twice, where nothing was renamed
		s.old, s.new = name, name
	}
}

// name returns the path after the change, or that before it for a deleted file.
func (s *section) name() string { return cmp.Or(s.new, s.old) }

func (s *section) change(part []byte, begins bool) {
	if begins {
		s.isOld, s.isNew = part[0] != '+' && part[0] != '\\', part[0] != '-' && part[0] != '\\'
		if s.isOld != s.isNew {
			s.lines++
		}
		if part[0] == '@' {
			s.show(part)
			part = []byte("@@") // both sides have changed by then alike, or differ
		}
		part = part[1:]
	}
	if text, crlf := bytes.CutSuffix(part, []byte("\r\n")); crlf {
		s.returns++
		part = append(slices.Clone(text), '\n')
	}
	if bytes.HasSuffix(part, []byte("\n")) {
		s.all++
	}
	if s.isOld {
		s.before.Write(part)
	}
	if s.isNew {
		s.after.Write(part)
	}
	if s.isOld != s.isNew { // the line has changed
		s.zeros = s.zeros || bytes.IndexByte(part, 0) >= 0
		s.odd += oddBytes(part)
		s.of += len(part)
	}
}

// hunk matches the heading of one change, with its lines before and after.
var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// show notes the lines of a change: by their numbers after it, and in a deleted file by those before.
func (s *section) show(heading []byte) {
	m := hunk.FindStringSubmatch(string(heading))
	if m != nil && s.new == "" {
		m = m[:3]
	}
	if m == nil {
		return
	}
	from, _ := strconv.Atoi(m[len(m)-2])
	lines, _ := strconv.Atoi(cmp.Or(m[len(m)-1], "1")) // none is written for the length of one line
	if lines > 0 {
		s.shows = append(s.shows, council.FileLines{File: s.name(), From: from, To: from + lines - 1})
	}
}

// diffPath reads a path from the head of a diff in git's format. It is empty for the side without a file.
func diffPath(name, prefix string) string {
	name, _, _ = strings.Cut(name, "\t")
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
	}
	if name = strings.TrimPrefix(name, prefix); name == "/dev/null" {
		return ""
	}
	return name
}

// oddBytes counts the bytes of a line that are not text: controls, and invalid UTF-8.
func oddBytes(line []byte) (n int) {
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r < ' ' && !strings.ContainsRune("\t\n\r\f", r) || r == utf8.RuneError && size == 1 {
			n++
		}
		line = line[size:]
	}
	return n
}

// finish decides on a file that was read.
func (p *patch) finish() {
	s := p.at
	if p.at = nil; s == nil {
		return
	}
	reason := ""
	switch onlyEnds := s.returns > 0 && bytes.Equal(s.before.Sum(nil), s.after.Sum(nil)); {
	case isKeyFile(s.name()):
		reason = secretRefusal().Problem
	case p.attributed[s.name()]:
		reason = attributed
	case onlyEnds:
		s.shows = nil
		s.body = fmt.Appendf(nil, "Only line ends have changed (CR LF or LF), in %d of its lines.\n", (s.lines+1)/2)
	case s.zeros && s.odd*10 >= s.of: // a single NUL hides nothing
		reason, s.lines = isBinary, 0
	case s.long:
		reason = tooLarge + formatSize(p.limit)
	}
	if reason != "" {
		p.leave(reason, s.leftFile())
		return
	}
	p.files = append(p.files, s)
	for p.size += s.keptBytes(); p.size > p.limit; {
		largest := slices.MaxFunc(p.files, func(a, b *section) int { return cmp.Compare(a.keptBytes(), b.keptBytes()) })
		p.leave(tooLarge+formatSize(p.limit), largest.leftFile())
		p.size -= largest.keptBytes()
		p.files = slices.DeleteFunc(p.files, func(f *section) bool { return f == largest })
	}
}

func (s *section) leftFile() council.LeftFile {
	return council.LeftFile{Name: s.name(), Lines: s.lines, Bytes: int64(s.of)}
}

func (s *section) keptBytes() int64 { return int64(len(s.head) + len(s.body)) }

// lines returns the lines that the kept text shows of the files.
func (p *patch) lines() (all []council.FileLines) {
	for _, s := range p.files {
		all = append(all, s.shows...)
	}
	return all[:min(len(all), maxShown)]
}

// text returns the kept text, with a sign for invalid UTF-8, and for CR if only some lines end in CR LF.
func (p *patch) text() string {
	var b strings.Builder
	for _, s := range p.files {
		b.Write(s.head)
		ends := "\n"
		if s.returns > 0 && s.returns < s.all {
			ends = "\u240d\n"
		}
		b.Write(bytes.ReplaceAll(s.body, []byte("\r\n"), []byte(ends)))
	}
	return strings.ReplaceAll(strings.ToValidUTF8(b.String(), "\ufffd"), "\x00", "\ufffd")
}
