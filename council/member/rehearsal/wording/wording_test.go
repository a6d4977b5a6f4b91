package wording

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// slots are what a sentence may leave open.
var slots = []string{
	"{a}", "{about}", "{action}", "{b}", "{blocker}", "{e}", "{head}", "{item}", "{mine}", "{mover}", "{name}", "{need}", "{Need}",
	"{needs}", "{peer}", "{points}", "{q}", "{question}", "{ref}", "{section}", "{step}", "{theirs}", "{title}", "{votes}",
	"{wants}", "{without}",
}

// named lists the banks that have a constant.
func named(t *testing.T) []Bank {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "banks.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []Bank
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(lit.Value)
			all = append(all, Bank(name))
		}
		return true
	})
	return all
}

func TestEveryNamedBankHasSentences(t *testing.T) {
	for _, b := range named(t) {
		if len(banks()[b]) < 3 {
			t.Errorf("[%s] has %d sentences; with fewer than 3 members sound alike", b, len(banks()[b]))
		}
	}
}

func TestEveryBankIsNamedOrHasCases(t *testing.T) {
	all := named(t)
	for b := range banks() {
		purpose, _, _ := strings.Cut(string(b), " ")
		if !slices.Contains(all, b) && !slices.Contains([]string{"stances", "answers", "readings", "decisions"}, purpose) {
			t.Errorf("[%s] is used by nobody", b)
		}
	}
}

// lower are slots that are filled with words that begin in lower case. Only the first of a whole text is raised.
var lower = regexp.MustCompile(`[.?!] \{(need|needs|theirs|wants|without|about|action|step)\}`)

func TestNoSentenceBeginsInLowerCase(t *testing.T) {
	for b, lines := range banks() {
		for _, line := range lines {
			if lower.MatchString(line) {
				t.Errorf("[%s] begins a sentence in lower case: %s", b, line)
			}
		}
	}
}

var slot = regexp.MustCompile(`\{[^}]*\}?`)

func TestSentencesAreWhole(t *testing.T) {
	seen := map[string]Bank{}
	for b, lines := range banks() {
		for _, line := range lines {
			if other, ok := seen[line]; ok {
				t.Errorf("[%s] and [%s] share a sentence: %s", b, other, line)
			}
			seen[line] = b
			for _, s := range slot.FindAllString(line, -1) {
				if !slices.Contains(slots, s) {
					t.Errorf("[%s] has a slot that nothing fills: %s", b, line)
				}
			}
			if !strings.HasSuffix(string(b), "titles") && !strings.ContainsAny(line[len(line)-1:], ".?}") {
				t.Errorf("[%s] has a sentence without an end: %s", b, line)
			}
		}
	}
}

func TestAMissingBankIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a bank that does not exist gave sentences")
		}
	}()
	Bank("no such bank").Lines()
}
