package tools

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
)

// list shows what lies in one folder.
func (l *look) list(folder string) output {
	if strings.TrimSpace(folder) == "" {
		folder = "."
	}
	name, info, err := l.find(folder)
	if err != nil {
		return refuse(name, err)
	}
	if !info.IsDir() {
		return failure("%s is not a folder; read it by %s.", name, council.ToolRead)
	}
	entries, err := l.entries(name, l.rules(name))
	if err != nil {
		return refuse(name, err)
	}
	p := &paper{most: l.most}
	for _, e := range entries {
		if e.IsDir() {
			p.line("%s/", e.name)
		} else if info, err := e.Info(); err == nil {
			p.line("%s, %d bytes", e.name, info.Size())
		}
	}
	if p.lines == 0 {
		return output{text: "There is nothing in " + name + " to be shown."}
	}
	return p.answer()
}

// entry is a file or folder, by its path.
type entry struct {
	fs.DirEntry
	name string
}

// rules returns what git ignores in a folder.
func (l *look) rules(folder string) *documents.Rules {
	return documents.RulesOf(filepath.Join(l.view.root, filepath.FromSlash(folder)))
}

// entries returns what may be shown of a folder, in the order of their names.
func (l *look) entries(folder string, rules *documents.Rules) ([]entry, error) {
	all, err := fs.ReadDir(l.root.FS(), folder)
	if err != nil {
		return nil, atomicfile.Explain(err)
	}
	var shown []entry
	for _, e := range all {
		if name := path.Join(folder, e.Name()); !l.view.passesOver(name, e) && !rules.Ignores(e.Name(), e.IsDir()) {
			shown = append(shown, entry{e, name})
		}
	}
	return shown, nil
}

// read shows lines of a file.
func (l *look) read(file string, from, to int) output {
	name, info, err := l.find(file)
	if err != nil {
		return refuse(name, err)
	}
	if info.IsDir() {
		return failure("%s is a folder; list it by %s.", name, council.ToolList)
	}
	text, err := l.text(name, info)
	if err != nil {
		return refuse(name, err)
	}
	if text == "" {
		return output{text: name + " is empty."}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	from = max(1, from)
	if to <= 0 || to > len(lines) {
		to = len(lines)
	}
	if from > to {
		return failure("%s has %d lines; there are none from %d to %d.", name, len(lines), from, to)
	}
	safe := l.safe(lines)
	p := &paper{most: l.most}
	p.line("%s, lines in all: %d", name, len(lines))
	for n := from; n <= to && p.numbered("", n, lines[n-1], safe[n-1]); n++ {
		p.show(name, n)
	}
	return p.answer()
}

func refuse(name string, err error) output { return failure("%s: %v.", name, err) }

// paper is an answer that is written line by line, until it is full.
type paper struct {
	most  int
	text  strings.Builder
	lines int
	cut   bool
	given []council.FileLines
	found found // in the lines that are shown
}

// spare is the room that is kept for the words that end an answer.
const spare = 200

// line writes one line, if there is room for it.
func (p *paper) line(format string, args ...any) {
	text := hostile.Line(fmt.Sprintf(format, args...))
	if p.cut = p.cut || p.text.Len()+len(text)+1 > p.most-spare; !p.cut {
		p.text.WriteString(text + "\n")
		p.lines++
	}
}

// numbered writes a line of a file with its number, as far as it is safe to be shown. A line end within it does not
// counts; one that is too long for any answer is cut.
func (p *paper) numbered(before string, n int, line, safe string) bool {
	found := inLine(line, safe)
	line = strings.ReplaceAll(hostile.Clean(strings.TrimSuffix(safe, "\r")), "\n", " ")
	if short, cut := council.Bound(line, longest); cut {
		line = short + "…"
	}
	text := fmt.Sprintf("%s%d| %s\n", before, n, line)
	if p.cut = p.cut || p.text.Len()+len(text) > p.most-spare; p.cut {
		return false
	}
	p.text.WriteString(text)
	p.lines++
	p.found.add(found)
	return true
}

// longest is how much of one line of a file is shown, in bytes.
const longest = 500

// show notes that a line of a file was shown.
func (p *paper) show(name string, n int) {
	if last := len(p.given) - 1; last >= 0 && p.given[last].File == name && p.given[last].To == n-1 {
		p.given[last].To = n
		return
	}
	p.given = append(p.given, council.FileLines{File: name, From: n, To: n})
}

func (p *paper) answer() output {
	return output{text: p.text.String(), cut: p.cut, given: p.given, secrets: p.found.secrets, hidden: p.found.hidden}
}
