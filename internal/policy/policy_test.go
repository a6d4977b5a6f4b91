package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// rules are the rules of the repository.
var rules = map[string]func(*tree) []string{
	"imports go one way":                        importsGoOneWay,
	"the pure stay pure":                        thePureStayPure,
	"libraries stay at home":                    librariesStayAtHome,
	"only the command touches the process":      onlyTheCommandTouchesTheProcess,
	"what acts passes the gate":                 whatActsPassesTheGate,
	"files stay small":                          filesStaySmall,
	"lines stay short":                          linesStayShort,
	"a package with one importer says why":      packagesSayWhy,
	"names say something":                       namesSaySomething,
	"nothing names this machine":                nothingNamesThisMachine,
	"tests do not sleep":                        testsDoNotSleep,
	"counts are written at home":                countsAreWrittenAtHome,
	"every package says what it is":             everyPackageSaysWhatItIs,
	"everything exported says what it is":       everythingExportedSaysWhatItIs,
	"comments are written":                      commentsAreWritten,
	"links lead somewhere":                      linksLeadSomewhere,
	"imports stand in groups":                   importsStandInGroups,
	"every sentence of the protocol has a test": everySentenceHasATest,
	"every promise names its test":              everyPromiseNamesItsTest,
	"the docs name what exists":                 theDocsNameWhatExists,
}

// repository returns the tree that these tests are part of.
func repository(t *testing.T) *tree {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module "+module+"\n") {
			return plant(t, os.DirFS(dir))
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod of this module above the test")
		}
		dir = up
	}
}

func TestTheRepositoryKeepsItsRules(t *testing.T) {
	tr := repository(t)
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			findings := rule(tr)
			slices.Sort(findings)
			for _, f := range findings {
				t.Error(f)
			}
		})
	}
}

// TestTheRulesSpeakOfWhatExists keeps the tables above from outliving what they are about.
func TestTheRulesSpeakOfWhatExists(t *testing.T) {
	tr := repository(t)
	packages := tr.packages()
	for _, a := range arrows {
		found := false
		for dir := range packages {
			found = found || under(dir, a.from)
		}
		if !found {
			t.Errorf("there is no package %s", a.from)
		}
	}
	for from, to := range idle(tr) {
		t.Errorf("%s may import %s, and nothing does: what is not allowed has to be thought about", from,
			strings.Join(to, ", "))
	}
	for _, rule := range closed {
		for _, dir := range rule.dirs {
			if len(packages[dir]) == 0 {
				t.Errorf("there is no package %s", dir)
			}
		}
	}
	for library, places := range homes {
		if places != nil && !slices.ContainsFunc(tr.code(), func(f *source) bool {
			return slices.ContainsFunc(f.imports(), func(p string) bool { return under(p, library, library+"/") })
		}) {
			t.Errorf("nothing imports %s", library)
		}
	}
}

// TestEveryRuleCanFail breaks each rule on a small tree, and keeps it on another.
func TestEveryRuleCanFail(t *testing.T) {
	for name := range rules {
		if len(broken[name]) == 0 {
			t.Errorf("nothing shows that %q can fail", name)
		}
	}
	for name, trees := range broken {
		for what, files := range trees {
			t.Run(name+"/"+what, func(t *testing.T) {
				if findings := rules[name](grow(t, files)); len(findings) != 1 {
					t.Errorf("findings %q, want one", findings)
				}
			})
		}
	}
	for name, trees := range kept {
		for what, files := range trees {
			t.Run(name+"/"+what, func(t *testing.T) {
				if findings := rules[name](grow(t, files)); len(findings) != 0 {
					t.Errorf("findings %q, want none", findings)
				}
			})
		}
	}
}

func grow(t *testing.T, files map[string]string) *tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return plant(t, fsys)
}
