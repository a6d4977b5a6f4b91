package doctor

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

func TestNothingIsDoubtfulInTheReadyMadeCouncils(t *testing.T) {
	for _, name := range templates.Councils() {
		doc, _ := templates.Council(name)
		c := check.Get(config.Parse(doc))(t)
		if found := Sound(&c); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestMembersThatAreToldTheSame(t *testing.T) {
	const bold = "You look for the cheapest way to begin, and you vote for whatever can be tried this week."
	for _, test := range []struct {
		name    string
		prompts []string
		want    string
	}{
		{"each its own", []string{"You ask who pays for it.", bold, "You speak for those who are woken at night."}, ""},
		{"two, but for a word", []string{bold, "You ask who pays for it.", strings.Replace(bold, "week", "month", 1)},
			"members-alike a,c"},
		{"two, but for capitals", []string{bold, strings.ToUpper(bold), "You ask who pays for it."}, "members-alike a,b"},
		{"one that is told more", []string{bold, bold + " You ask who pays for it, and who is woken at night.", "Be brief."},
			"members-alike a,b"},
		{"all", []string{bold, bold, bold + " Be brief."}, "members-all-alike "},
		{"all in a word", []string{"s", "s", "s"}, "members-all-alike "},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
			for i, prompt := range test.prompts {
				c.Members[i].ID, c.Members[i].SystemPrompt = council.MemberID("abc"[i:i+1]), prompt
			}
			x := &exam{c: &c}
			x.checkAlike()
			var got []string
			for _, f := range x.found {
				var ids []string
				for _, id := range f.Members {
					ids = append(ids, string(id))
				}
				got = append(got, f.Code+" "+strings.Join(ids, ","))
			}
			check.Equal(t, "it", test.want, strings.Join(got, "; "))
		})
	}
}

func TestSectionsThatTheSkeletonHas(t *testing.T) {
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	for _, test := range []struct {
		skeleton string
		sections []string
		want     string
	}{
		{"", []string{"Weather"}, ""},
		{"naming-decision", []string{"The name", "What it names", "Why this one", "Names not chosen", "Checks", "Moving over",
			"Weather"}, ""},
		{"naming-decision", []string{"The name", "What it names", "Why this one", "Moving over"},
			"skeleton naming-decision: Names not chosen; Checks."},
	} {
		c.DocumentationReview.Skeleton, c.DocumentationReview.Sections = test.skeleton, test.sections
		x := &exam{c: &c}
		x.checkDocument()
		if n := len(x.found); (n == 1) != (test.want != "") || n == 1 && !strings.Contains(x.found[0].Problem, test.want) {
			t.Errorf("%+v", x.found)
		}
	}
}
