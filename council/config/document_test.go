package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// reviewed returns the small configuration with a documentationReview.
func reviewed(t *testing.T, review string) []byte {
	t.Helper()
	return []byte(strings.Replace(string(load(t, "testdata/small.json")), `"purpose"`,
		`"documentationReview": {`+review+`}, "purpose"`, 1))
}

func TestASkeletonGivesWhatTheFileDoesNot(t *testing.T) {
	const impact = "Users, data, money and promises that were hit, in figures with their source; what is not known is " +
		"said."
	for _, test := range []struct {
		name, review string
		sections     int
		guidance     []council.Guide // nil: one for each section
	}{
		{"alone", `"skeleton": "postmortem"`, 8, nil},
		{"and no section", `"skeleton": "postmortem", "sections": []`, 8, nil},
		{"and sections of one's own", `"skeleton": "postmortem", "sections": ["Impact", "Weather"]`, 2,
			[]council.Guide{{Section: "Impact", Says: impact}}},
		{"and guidance of one's own",
			`"skeleton": "postmortem", "sections": ["Impact"], "guidance": [{"section": "Impact", "says": "Figures."}]`, 1,
			[]council.Guide{{Section: "Impact", Says: "Figures."}}},
		{"none", `"sections": ["Impact"]`, 1, []council.Guide{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := check.Get(Parse(reviewed(t, test.review)))(t)
			got := c.DocumentationReview
			if len(got.Sections) != test.sections {
				t.Errorf("sections are %q", got.Sections)
			}
			if test.guidance == nil && len(got.Guidance) != test.sections {
				t.Errorf("guidance is %v", got.Guidance)
			}
			if test.guidance != nil && !cmp.Equal(append([]council.Guide{}, got.Guidance...), test.guidance) {
				t.Errorf("guidance is %v", got.Guidance)
			}
			// The charter is whole: read again, it is the same without the skeleton.
			text := check.Get(json.Marshal(c))(t)
			again := check.Get(Parse(text))(t)
			check.Equal(t, "it", c, again)
		})
	}
}

func TestGuidanceThatNobodyWouldBeGivenIsRefused(t *testing.T) {
	for _, test := range []struct{ review, want string }{
		{`"skeleton": "postmortm"`, `/documentationReview/skeleton: there is no skeleton "postmortm"; there are adr,`},
		{`"skeleton": "postmortm"`, `did you mean "postmortem"?`},
		{`"sections": ["A"], "guidance": [{"section": "a", "says": "x"}]`,
			`/documentationReview/guidance/0/section: there is no section "a"`},
		{`"guidance": [{"section": "A", "says": "x"}]`, `/documentationReview/guidance/0/section`},
		{`"sections": ["A"], "guidance": [{"section": "A", "says": "x"}, {"section": "A", "says": "y"}]`,
			`/documentationReview/guidance/1/section: there is guidance on "A" already`},
		{`"sections": ["A"], "guidance": [{"section": "A", "says": " "}]`,
			`/documentationReview/guidance/0/says: it must not be empty`},
		{`"sections": ["A"], "guidance": [{"section": "A", "says": "x\ny"}]`,
			`/documentationReview/guidance/0/says: guidance stands on one line`},
		{`"sections": ["A"], "guidance": [{"section": "A", "says": "` + strings.Repeat("é", 501) + `"}]`,
			`at most 500 characters`},
	} {
		_, err := Parse(reviewed(t, test.review))
		if !errors.Is(err, council.ErrBadCharter) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, not %s", test.review, err, test.want)
		}
	}
}
