// Command figures prints the size of the house, the tics of its prose and the CPU of a session: `go run ./.ci/figures`.
// Each argument is a commit whose figures are printed beside those of the working tree. With -comments it prints ten
// comments of each package, drawn at random, to be read.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	comments := flag.Bool("comments", false, "print ten comments of each package, drawn at random")
	seed := flag.Uint64("seed", 1, "of the draw")
	flag.Parse()
	if err := run(os.Stdout, *comments, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, comments bool, seed uint64, commits []string) error {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now, err := measure(".", filepath.Join(dir, "now"))
	if err != nil {
		return err
	}
	if comments {
		return now.printComments(out, rand.New(rand.NewPCG(seed, 0)))
	}
	columns := []*figures{now}
	for _, commit := range commits {
		f, err := measureCommit(commit, filepath.Join(dir, fmt.Sprint(len(columns))))
		if err != nil {
			return fmt.Errorf("commit %s: %w", commit, err)
		}
		columns = append(columns, f)
	}
	if err := measureCPU(columns); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "now\t%s\t\n", strings.Join(commits, "\t"))
	for i, row := range now.rows() {
		for _, c := range columns {
			fmt.Fprintf(w, "%s\t", c.rows()[i].value)
		}
		fmt.Fprintf(w, " %s\n", row.name)
	}
	return w.Flush()
}

// measureCommit measures a commit in a worktree of its own, which it removes.
func measureCommit(commit, binary string) (f *figures, err error) {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir), git("worktree", "prune")) }()
	if err := git("worktree", "add", "--quiet", "--detach", dir, commit); err != nil {
		return nil, err
	}
	return measure(dir, binary)
}

func git(args ...string) error {
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return nil
}

// pkg is the part of a package's `go list` record that is counted.
type pkg struct {
	ImportPath, Name, Dir     string
	GoFiles, Imports          []string
	TestGoFiles, XTestGoFiles []string
	EmbedFiles                []string
	Module                    struct{ Path string }
}

func (p *pkg) path() string { return strings.TrimPrefix(p.ImportPath, p.Module.Path+"/") }

// figures are those of one tree.
type figures struct {
	code, command, tests, embedded int
	packages                       int
	largest, methods               sized               // package of cmd/; type with its methods
	siblings                       map[string]bool     // "cmd/council/a imports cmd/council/b"
	comments                       map[string][]string // by package
	prose                          []string            // comments and documents
	binary                         string              // the command
	convenes                       []time.Duration     // CPU of sessions in fresh folders
	convene                        time.Duration       // their median
	calls                          int                 // in one of them
}

type sized struct {
	name string
	n    int
}

func (s *sized) grow(name string, n int) {
	if n > s.n {
		*s = sized{name, n}
	}
}

// measure measures a tree, and builds its command as a file.
func measure(root, binary string) (*figures, error) {
	const fields = "ImportPath,Name,Dir,GoFiles,Imports,TestGoFiles,XTestGoFiles,EmbedFiles,Module"
	list := exec.Command("go", "list", "-json="+fields, "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []*pkg
	imported := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(pkg)
		if err := d.Decode(p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
		for _, i := range p.Imports {
			imported[i] = true
		}
	}
	f := &figures{binary: binary, siblings: map[string]bool{}, comments: map[string][]string{}}
	for _, p := range packages {
		if err := f.add(p, p.Name == "main" || imported[p.ImportPath]); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-o", f.binary, "./cmd/council")
	if build.Dir = root; build.Run() != nil {
		return nil, fmt.Errorf("%s does not build", root)
	}
	return f, f.addDocuments(root)
}

// runs is how many sessions of each commit the CPU figures are the median of.
const runs = 20

// measureCPU convenes the built-in rehearsal in fresh folders, with each commit in turn, so that other work of the
// machine slows down all of them.
func measureCPU(columns []*figures) (err error) {
	for i := range runs * len(columns) {
		f := columns[i%len(columns)]
		home, err := os.MkdirTemp(filepath.Dir(f.binary), "")
		if err != nil {
			return err
		}
		convene := exec.Command(f.binary, "convene", "--model", "rehearsal", "--quiet", "Shall we move the queue to NATS?")
		convene.Dir, convene.Env = home, []string{"HOME=" + home}
		if out, err := convene.CombinedOutput(); err != nil {
			return fmt.Errorf("convene: %w: %s", err, out)
		}
		var session struct {
			Usage struct{ Total struct{ Calls int } }
		}
		found, err := filepath.Glob(filepath.Join(home, ".council/sessions/*/session.json"))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("convene left %d sessions: %w", len(found), err)
		}
		text, err := os.ReadFile(found[0])
		if err = errors.Join(err, json.Unmarshal(text, &session)); err != nil {
			return err
		}
		f.calls = session.Usage.Total.Calls
		f.convenes = append(f.convenes, convene.ProcessState.UserTime()+convene.ProcessState.SystemTime())
	}
	for _, f := range columns {
		slices.Sort(f.convenes)
		f.convene = f.convenes[len(f.convenes)/2]
	}
	return nil
}

// add counts a package. One that only tests import counts as a test.
func (f *figures) add(p *pkg, product bool) error {
	tests := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
	if !product {
		tests = append(tests, p.GoFiles...)
	}
	n, err := lines(p.Dir, tests)
	if f.tests += n; err != nil || !product {
		return err
	}
	text := slices.DeleteFunc(slices.Clone(p.EmbedFiles), func(name string) bool {
		return filepath.Ext(name) == ".json" || p.path() == "docs"
	})
	embedded, err := lines(p.Dir, text)
	if err != nil {
		return err
	}
	if n, err = lines(p.Dir, p.GoFiles); err != nil {
		return err
	}
	f.code, f.embedded, f.packages = f.code+n, f.embedded+embedded, f.packages+1
	if path := p.path(); strings.HasPrefix(path, "cmd/") {
		f.command += n
		f.largest.grow(path, n)
		for _, i := range p.Imports {
			to, ours := strings.CutPrefix(i, p.Module.Path+"/cmd/council/")
			if ours && p.Name != "main" && to != "cli" && to != "terminal" && !strings.HasPrefix("cmd/council/"+to, path+"/") {
				f.siblings[path+" imports "+to] = true
			}
		}
	}
	return f.parse(p)
}

// parse counts the methods of a package's types and keeps its comments.
func (f *figures) parse(p *pkg) error {
	methods := map[string]int{}
	fset := token.NewFileSet()
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[receiver(fn)]++
			}
		}
		for _, c := range file.Comments {
			f.comments[p.path()] = append(f.comments[p.path()], c.Text())
			f.prose = append(f.prose, c.Text())
		}
	}
	for name, n := range methods {
		f.methods.grow(p.path()+"."+name, n)
	}
	return nil
}

func receiver(fn *ast.FuncDecl) (name string) {
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// addDocuments adds the documents for people to the prose.
func (f *figures) addDocuments(root string) error {
	for _, dir := range []string{"docs", "README.md", "AGENTS.md"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			text, err := os.ReadFile(path)
			f.prose = append(f.prose, string(text))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lines counts the lines of files in a folder.
func lines(dir string, names []string) (n int, err error) {
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return n, err
		}
		n += bytes.Count(text, []byte("\n"))
	}
	return n, nil
}

type row struct{ name, value string }

// tics are the words of the dialect, by how often they may appear in 1,000 words.
var tics = []struct {
	name string
	form *regexp.Regexp
}{
	{"what (at most 4)", regexp.MustCompile(`(?i)\bwhat\b`)},
	{"tell, told (1)", regexp.MustCompile(`(?i)\b(tells?|told)\b`)},
	{"stand, stands (0.5)", regexp.MustCompile(`(?i)\bstands?\b`)},
	{"nobody, whoever, whom (0.3)", regexp.MustCompile(`(?i)\b(nobody|whoever|whom)\b`)},
}

func (f *figures) rows() []row {
	rows := []row{
		{"lines of Go outside tests", fmt.Sprint(f.code)},
		{"of these in cmd/", fmt.Sprint(f.command)},
		{"packages outside tests", fmt.Sprint(f.packages)},
		{"lines of other embedded text, without JSON and docs", fmt.Sprint(f.embedded)},
		{"methods of the largest type, " + f.methods.name, fmt.Sprint(f.methods.n)},
		{"lines of the largest package of cmd/, " + f.largest.name, fmt.Sprint(f.largest.n)},
		{"imports of a sibling in cmd/council/", fmt.Sprint(len(f.siblings))},
		{"lines of tests", fmt.Sprint(f.tests)},
		{"CPU of a convene in a fresh folder", f.convene.Round(time.Millisecond).String()},
		{"CPU of a call in it", (f.convene / time.Duration(max(1, f.calls))).Round(10 * time.Microsecond).String()},
	}
	words := 0
	for _, text := range f.prose {
		words += len(strings.Fields(text))
	}
	for _, tic := range tics {
		n := 0
		for _, text := range f.prose {
			n += len(tic.form.FindAllString(text, -1))
		}
		rows = append(rows, row{"in 1,000 words of comments and docs: " + tic.name,
			fmt.Sprintf("%.2f", 1000*float64(n)/float64(words))})
	}
	return rows
}

// printComments prints ten comments of each package.
func (f *figures) printComments(out io.Writer, draw *rand.Rand) error {
	var names []string
	for name := range f.comments {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare)
	for _, name := range names {
		fmt.Fprintf(out, "\n%s\n", name)
		all := f.comments[name]
		for _, i := range draw.Perm(len(all))[:min(10, len(all))] {
			if _, err := fmt.Fprintf(out, "- %s\n", strings.Join(strings.Fields(all[i]), " ")); err != nil {
				return err
			}
		}
	}
	return nil
}
