package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// assess has a council of one demanding phase pass on, and its leader assess it with the given citations. It returns
// those that count and those that do not.
func assess(
	t *testing.T,
	c council.Charter,
	docs []council.Document,
	uses map[string][]council.ToolUse,
	cited ...string,
) (good, bad []string) {
	t.Helper()
	demanding(&c)
	for i := range c.Members {
		c.Members[i].Tools = &council.Tools{Workspace: &council.Workspace{}}
	}
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?", Documents: docs}, c))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	f := &floor{t, s}
	f.elect("ada", "ada", "ada")
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.answer(council.Reply{
			Ask: council.AskID(
				"p1.r1.t" + map[string]string{"ada": "1", "bob": "2", "cyn": "3"}[m] + ".turn." + m,
			),
			Tools: uses[m],
			Body:  council.Turn{Action: council.ActionPass, Reason: "Nothing."},
		})
	}
	f.answer(council.Reply{Ask: "p1.assess.ada", Tools: uses["assess"], Body: council.Assessment{
		Deliverables: []council.Claim{{ID: "options", Met: true, Citations: cited}},
	}})
	end := last[council.PhaseEnded](f)
	return end.Deliverables[0].Citations, end.BadCites
}

func looked(file string, from, to int) []council.ToolUse {
	return []council.ToolUse{{Tool: "workspace.read", Arguments: "{}", Result: "x", SHA256: council.Digest("x"),
		Given: []council.FileLines{{File: file, From: from, To: to}}}}
}

func TestAnAssessmentCitesWhatItsAuthorCouldKnow(t *testing.T) {
	cites(t, 92)
	uses := map[string][]council.ToolUse{"bob": looked("a.go", 1, 9), "assess": looked("b.go", 5, 6)}
	cited := []string{"e11", "e12", "a.go:9", "a.go:10", "b.go:5-6", "b.go:4", "c.go:1"}
	marked := smallCharter()
	marked.Deliberation.MarkCitations = true
	// e11 closes the debate; e12 is the assessment itself.
	good, bad := assess(t, marked, nil, uses, cited...)
	same(t, []string{"e11", "a.go:9", "b.go:5-6"}, good)
	same(t, []string{"e12", "a.go:10", "b.go:4", "c.go:1"}, bad)
	// A charter from before is judged as it was.
	if good, _ = assess(t, smallCharter(), nil, nil, "e12", "e13"); cmp.Diff([]string{"e12"}, good) != "" {
		t.Errorf("without marking %v exist", good)
	}
}

func TestADiffGivesTheLinesThatItShows(t *testing.T) {
	cites(t, 93)
	diff :=
		"--- a/main.go\n+++ b/main.go\n@@ -1,2 +11,3 @@\n a\n+b\n c\n--- a/gone.go\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
	doc := council.NewDocument("diff:HEAD", diff)
	doc.Shows = citation.DiffLines(diff)
	good, bad := assess(t, smallCharter(), []council.Document{doc}, nil,
		"main.go:11-13", "gone.go:2", "diff:HEAD:11", "main.go:1", "main.go:14", "gone.go:3", "diff:HEAD:12")
	check.Equal(t, "it", []string{"main.go:11-13", "gone.go:2", "diff:HEAD:11"}, good)
	check.Equal(t, "it", []string{"main.go:1", "main.go:14", "gone.go:3", "diff:HEAD:12"}, bad)
}
