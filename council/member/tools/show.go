package tools

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
)

func (l *lookup) list(folder string) council.ToolUse {
	name, info, err := l.find(folder)
	if err != nil {
		return failureOf(name, err)
	}
	if !info.IsDir() {
		return failure("%s is not a folder; read it by %s.", name, council.ToolRead)
	}
	entries, err := l.entries(name, l.rules(name))
	if err != nil {
		return failureOf(name, err)
	}
	for _, e := range entries {
		if e.IsDir() {
			l.write(hostile.Line(e.name + "/"))
		} else if info, err := e.Info(); err == nil {
			l.write(hostile.Line(fmt.Sprintf("%s, %d bytes", e.name, info.Size())))
		}
	}
	return l.answer("There is nothing in " + name + " to be shown.")
}

type entry struct {
	fs.DirEntry
	name string
}

func (l *lookup) rules(folder string) *documents.Rules {
	return documents.RulesOf(filepath.Join(l.view.root, filepath.FromSlash(folder)))
}

// entries returns the entries of a folder that may be shown, sorted by name.
func (l *lookup) entries(folder string, rules *documents.Rules) ([]entry, error) {
	all, err := fs.ReadDir(l.root.FS(), folder)
	if err != nil {
		return nil, atomicfile.Explain(err)
	}
	var shown []entry
	for _, e := range all {
		if name := path.Join(folder, e.Name()); !l.view.skips(name, e) && !rules.Ignores(e.Name(), e.IsDir()) {
			shown = append(shown, entry{e, name})
		}
	}
	return shown, nil
}

func (l *lookup) read(file string, from, to int) council.ToolUse {
	name, info, err := l.find(file)
	if err != nil {
		return failureOf(name, err)
	}
	if info.IsDir() {
		return failure("%s is a folder; list it by %s.", name, council.ToolList)
	}
	text, err := l.text(name, info)
	if err != nil {
		return failureOf(name, err)
	}
	if text == "" {
		return council.ToolUse{Result: name + " is empty."}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	from = max(1, from)
	if to <= 0 || to > len(lines) {
		to = len(lines)
	}
	if from > to {
		return failure("%s has %d lines; there are none from %d to %d.", name, len(lines), from, to)
	}
	safe := l.safeLines(lines)
	l.write(hostile.Line(fmt.Sprintf("%s, lines in all: %d", name, len(lines))))
	for n := from; n <= to; n++ {
		if !l.show(name, "", n, lines[n-1], safe[n-1]) {
			break
		}
	}
	return l.answer("")
}

func failureOf(name string, err error) council.ToolUse { return failure("%s: %v.", name, err) }

// page is an answer that is written line by line, until it is full.
type page struct {
	most  int // bytes
	body  strings.Builder
	lines int
	council.ToolUse
}

// write adds a line, if there is room for it, and reports whether there was.
func (p *page) write(line string) bool {
	const end = 200 // bytes that are kept free for the end of an answer
	if p.Cut = p.Cut || p.body.Len()+len(line)+1 > p.most-end; !p.Cut {
		p.body.WriteString(line + "\n")
		p.lines++
	}
	return !p.Cut
}

// show adds a line of a file in its safe form, cut if it is too long. It reports whether there was room.
func (p *page) show(name, before string, n int, line, safe string) bool {
	shown := strings.ReplaceAll(hostile.Clean(strings.TrimSuffix(safe, "\r")), "\n", " ")
	if short, cut := council.Bound(shown, 500); cut {
		shown = short + "…"
	}
	if !p.write(fmt.Sprintf("%s%d| %s", before, n, shown)) {
		return false
	}
	p.count(line, safe)
	if last := len(p.Given) - 1; last >= 0 && p.Given[last].File == name && p.Given[last].To == n-1 {
		p.Given[last].To = n
	} else {
		p.Given = append(p.Given, council.FileLines{File: name, From: n, To: n})
	}
	return true
}

// answer returns the page, or other words for an empty one.
func (p *page) answer(empty string) council.ToolUse {
	if p.Result = p.body.String(); p.lines == 0 {
		p.Result = empty
	}
	return p.ToolUse
}

// safeLines returns a file's lines without secrets, which are cut from the whole: one line may not show a key.
func (l *lookup) safeLines(lines []string) []string {
	if l.view.cut == nil {
		return lines
	}
	text, found := l.view.cut(strings.Join(lines, "\n"))
	if len(found) == 0 {
		return lines
	}
	return strings.Split(text, "\n")
}

// cutMark matches the replacement of a secret; see [Cut].
var cutMark = regexp.MustCompile(`\[cut(?:: ([a-z0-9-]+))?\]`)

// count counts the secrets and hidden characters that were removed from a line. Those for private use are not removed.
func (p *page) count(line, safe string) {
	if line != safe {
		marks := map[string]int{}
		for _, m := range cutMark.FindAllStringSubmatch(line, -1) {
			marks[m[1]]--
		}
		for _, m := range cutMark.FindAllStringSubmatch(safe, -1) {
			if marks[m[1]]++; marks[m[1]] > 0 {
				p.Secrets = council.AddCuts(p.Secrets, []council.Cut{{Kind: cmp.Or(m[1], ownSecret), Count: 1}})
			}
		}
	}
	_, hidden := hostile.Expose(strings.TrimSuffix(safe, "\r"))
	delete(hidden, hostile.PrivateUse)
	p.Hidden = council.AddCuts(p.Hidden, council.CutsIn("", hidden))
}
