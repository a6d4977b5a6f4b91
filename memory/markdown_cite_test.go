package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/council-engine/council/council"
)

// links returns where the links of a page to transcripts lead, each once.
func links(page []byte) []string {
	var all []string
	_ = ast.Walk(commonMark.Parser().Parse(text.NewReader(page)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering && strings.Contains(string(link.Destination), "transcript.md") {
			all = append(all, string(link.Destination))
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// TestALinkLeadsToTheRecordOrThereIsNone: wherever memory stands.
func TestALinkLeadsToTheRecordOrThereIsNone(t *testing.T) {
	for _, tt := range []struct{ root, council, member string }{
		{"", "../", "../../"},
		{"../../.council", "../../.council/", "../../../.council/"},
		{".", "./", "../"},
		{"../our (old) records", "../our%20%28old%29%20records/", "../../our%20%28old%29%20records/"},
		{UnknownRoot, "", ""},
	} {
		for member, want := range map[council.MemberID]string{"": tt.council, "ada": tt.member} {
			b := sample(member, "A name")
			b.Root = tt.root
			for what, page := range map[string][]byte{"book": BookPage(b),
				"archive": ArchivePageRecord(member, tt.root, b.Records[0])} {
				got := links(page)
				if want == "" && len(got) > 0 || want != "" && len(got) == 0 {
					t.Errorf("the %s of %q, its record in %q, has the links %q", what, member, tt.root, got)
				}
				for _, link := range got {
					if !strings.HasPrefix(link, want+"sessions/") {
						t.Errorf("the %s of %q, its record in %q, has the link %s", what, member, tt.root, link)
					}
				}
				if id := string(b.Recent[len(b.Recent)-1].Session); what == "book" && !strings.Contains(string(page), id) {
					t.Errorf("%s is not named", id)
				}
			}
		}
	}
}
