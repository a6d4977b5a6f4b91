package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
)

// workspace lists, reads and searches a folder for a member. It never leaves the folder, follows no links, symbolic or
// hard, and shows neither files of keys and passwords nor council's own record. Files that are hidden, ignored by git
// or of dependencies are neither listed nor searched, but can be read by name. It is safe for concurrent use.
type workspace struct {
	cut   Cut // takes secrets out of a file before any of its lines is shown
	root  string
	apart []string               // slash paths below the root that are not shown
	shown func(name string) bool // whether a file may be shown
}

// openWorkspace returns the workspace of a folder; an empty name is the working folder of the process. Files in the
// folders apart, in a folder called .council, or that shown refuses are not shown. The error is for people.
func openWorkspace(root string, cut Cut, shown func(string) bool, apart ...string) (*workspace, error) {
	folder, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("the workspace %s is not a folder that can be read", hostile.Line(root))
	}
	v := &workspace{cut: cut, root: folder, shown: func(name string) bool {
		return shown(path.Join(filepath.ToSlash(root), name))
	}}
	for _, name := range apart {
		full, err := filepath.Abs(name)
		if name == "" || err != nil {
			continue
		}
		if rel, err := filepath.Rel(folder, full); err == nil && filepath.IsLocal(rel) {
			v.apart = append(v.apart, filepath.ToSlash(rel))
		}
	}
	return v, nil
}

// call calls a tool with a JSON object. It returns soon after ctx has ended. More than most bytes may be cut.
func (v *workspace) call(ctx context.Context, name string, arguments []byte, most int) council.ToolUse {
	root, err := os.OpenRoot(v.root)
	if err != nil {
		return failure("The workspace cannot be opened: %v.", atomicfile.Explain(err))
	}
	defer root.Close()
	l := &lookup{view: v, root: root, ctx: ctx, page: page{most: most}}
	switch name {
	case council.ToolList:
		return callWith(l.list, arguments, "path, a folder, or nothing")
	case council.ToolRead:
		return callWith(l.read, arguments, "path, a file, and optionally from and to, numbers of lines")
	case council.ToolSearch:
		return callWith(l.search, arguments, "query, and optionally path, and regexp, true or false")
	}
	return failure("The workspace has no tool %q.", name)
}

// callWith calls a tool whose arguments are a struct; takes says what they are.
func callWith[A any](tool func(A) council.ToolUse, arguments []byte, takes string) council.ToolUse {
	var a A
	if err := council.ReadJSON(arguments, &a); err != nil {
		return failure("The arguments cannot be used: %v. It takes %s.", atomicfile.Explain(err), takes)
	}
	return tool(a)
}

type lookup struct {
	view *workspace
	root *os.Root
	ctx  context.Context
	page // the answer

	// Of a search.
	match *regexp.Regexp
	words bool // the query is words, not an expression
	files int
	bytes int64
	bound bool // there was more to look at
}

var errApart = errors.New("it is not shown to members")

// find checks a path from a member, and returns the file there.
func (l *lookup) find(name string) (string, fs.FileInfo, error) {
	name = path.Clean(strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"), "./"))
	if !filepath.IsLocal(name) {
		return name, nil, errors.New("it lies outside of the workspace; paths begin at the workspace's top folder")
	}
	if l.view.hides(name) {
		return name, nil, errApart
	}
	info, err := atomicfile.LookUp(l.root, name)
	switch {
	case errors.Is(err, atomicfile.ErrLink):
		return name, nil, errors.New("it is a symbolic link, which is not followed")
	case err != nil:
		return name, nil, atomicfile.Explain(err)
	case !info.IsDir() && !l.view.shown(name):
		return name, nil, errApart
	}
	return name, info, nil
}

// hides reports whether a path is never shown.
func (v *workspace) hides(name string) bool {
	own := func(part string) bool { return strings.EqualFold(part, ".council") }
	below := func(apart string) bool { return name == apart || strings.HasPrefix(name, apart+"/") }
	return documents.Secret(name) || slices.ContainsFunc(strings.Split(name, "/"), own) ||
		slices.ContainsFunc(v.apart, below)
}

// skips reports whether an entry is neither listed nor searched.
func (v *workspace) skips(name string, e fs.DirEntry) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") || e.IsDir() && documents.IsDependencyFolder(base) || !e.IsDir() &&
		!e.Type().IsRegular() || v.hides(name) || !e.IsDir() && !v.shown(name) || hostile.Line(base) != base
}

// hasOtherNames reports whether a file has another name anywhere on its disk, on systems that count the names.
func hasOtherNames(info fs.FileInfo) bool {
	stat := reflect.Indirect(reflect.ValueOf(info.Sys()))
	return stat.Kind() == reflect.Struct && stat.FieldByName("Nlink").IsValid() && stat.FieldByName("Nlink").Uint() > 1
}

func (l *lookup) text(name string, info fs.FileInfo) (string, error) {
	const most = 4 << 20
	switch {
	case !info.Mode().IsRegular():
		return "", errors.New("it is not an ordinary file")
	case info.Size() > most:
		return "", fmt.Errorf("it has %d bytes; files of at most %d are read", info.Size(), most)
	}
	f, err := l.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", atomicfile.Explain(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil && hasOtherNames(info) {
		err = errors.New("it is a hard link, whose other name may lie outside of the workspace, so it is not read")
	}
	if err != nil {
		return "", atomicfile.Explain(err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", atomicfile.Explain(err)
	}
	return documents.DecodeText(raw)
}

// The bounds of one search.
const (
	mostQuery = 500       // bytes
	mostFiles = 100_000   // looked at
	mostRead  = 256 << 20 // bytes
)

// search shows the lines that match a query, sorted by file. Case does not matter.
func (l *lookup) search(a struct {
	Query, Path string
	Regexp      bool
}) council.ToolUse {
	query := strings.TrimSpace(a.Query)
	switch {
	case query == "":
		return failure("The query is empty.")
	case len(query) > mostQuery:
		return failure("The query has %d bytes; at most %d are allowed.", len(query), mostQuery)
	}
	pattern := query
	if !a.Regexp {
		pattern = "(?i)" + regexp.QuoteMeta(query)
	}
	var err error
	if l.match, err = regexp.Compile(pattern); err != nil {
		return failure("The query is not a regular expression: %s.",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	name, info, err := l.find(a.Path)
	if err != nil {
		return failureOf(name, err)
	}
	l.words = !a.Regexp
	if info.IsDir() {
		err = l.searchFolder(name, l.rules(name))
	} else {
		err = l.searchFile(name)
	}
	if err != nil {
		return failureOf(name, err)
	}
	answer := l.answer(fmt.Sprintf("No line holds it. Files that were searched: %d.", l.files))
	answer.Cut = answer.Cut || l.bound
	return answer
}

// searchFolder searches a folder and all below it. A folder that cannot be read is skipped, unless it is the first.
func (l *lookup) searchFolder(name string, rules *documents.Rules) error {
	entries, err := l.entries(name, rules)
	if err != nil {
		return err
	}
	for _, e := range entries {
		l.bound = l.bound || l.files >= mostFiles || l.bytes >= mostRead
		switch {
		case l.bound || l.Cut || l.ctx.Err() != nil:
			return nil
		case e.IsDir():
			_ = l.searchFolder(e.name, rules.Below(e.Name(), l.root.FS(), e.name))
		default:
			_ = l.searchFile(e.name)
		}
	}
	return nil
}

// searchFile searches one file. Its error is why that is not possible.
func (l *lookup) searchFile(name string) error {
	info, err := l.root.Lstat(name)
	if err != nil {
		return atomicfile.Explain(err)
	}
	text, err := l.text(name, info)
	if err != nil {
		return err
	}
	l.files++
	l.bytes += info.Size()
	if text == "" || l.words && !l.match.MatchString(text) { // most files do not hold them
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var safe []string
	for i, line := range lines {
		if !l.match.MatchString(line) {
			continue
		}
		if safe == nil { // most files need not be looked through for secrets
			safe = l.safeLines(lines)
		}
		// A match that is not in the safe line is a secret.
		if l.match.MatchString(safe[i]) && !l.show(name, name+":", i+1, line, safe[i]) {
			return nil
		}
	}
	return nil
}

func (l *lookup) list(a struct{ Path string }) council.ToolUse {
	name, info, err := l.find(a.Path)
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

func (l *lookup) read(a struct {
	Path     string
	From, To int
}) council.ToolUse {
	name, info, err := l.find(a.Path)
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
	from, to := max(1, a.From), a.To
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

// safeLines returns a file's lines without secrets, which are cut from the whole: one line may not show a key.
func (l *lookup) safeLines(lines []string) []string {
	text, found := l.view.cut(strings.Join(lines, "\n"))
	if len(found) == 0 {
		return lines
	}
	return strings.Split(text, "\n")
}
