package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

func load(t testing.TB, path string) []byte {
	t.Helper()
	doc := check.Get(os.ReadFile(path))(t)
	return doc
}

// judge tests that a configuration is refused with the words, or where there are none, taken as the schema takes it.
func judge(t *testing.T, name string, doc []byte, words string) {
	t.Helper()
	_, err := Parse(doc)
	if words == "" && err == nil {
		err = schemas.Validate("config", doc)
	}
	if (err == nil) != (words == "") || err != nil && (!errors.Is(err, council.ErrBadCharter) ||
		!strings.Contains(err.Error(), words)) {
		t.Errorf("%s:\ngot  %v\nwant %s", name, err, words)
	}
}

// files are those that load: the example of the repository, one that uses every field and one that leaves out all it
// can.
var files = []string{"../../council.config.example.json", "testdata/full.json", "testdata/small.json"}

func TestConfig_TheFilesLoadAndMeetTheSchema(t *testing.T) {
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			doc := load(t, path)
			check.Get(Parse(doc))(t)
			check.OK(t, schemas.Validate("config", doc))
		})
	}
}

// A file that gives every field must come back with the same content: nothing is dropped and no default wins.
func TestConfig_EveryFieldOfTheFullFileIsRead(t *testing.T) {
	doc := load(t, "testdata/full.json")
	c := check.Get(Parse(doc))(t)
	again := check.Get(json.Marshal(c))(t)
	var want, got any
	check.OK(t, json.Unmarshal(doc, &want))
	check.OK(t, json.Unmarshal(again, &got))
	missing(t, "", want, got)
}

// missing reports values of want that got lacks, unless they are empty.
func missing(t *testing.T, pointer string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		if len(want) == 0 {
			return
		}
		object, _ := got.(map[string]any)
		for name, value := range want {
			missing(t, pointer+"/"+name, value, object[name])
		}
	case []any:
		array, _ := got.([]any)
		if len(array) != len(want) {
			t.Errorf("%s: %d entries, want %d", pointer, len(array), len(want))
			return
		}
		for i := range want {
			missing(t, pointer+"/"+string(rune('0'+i)), want[i], array[i])
		}
	default:
		if want != got {
			t.Errorf("%s: got %v, want %v", pointer, got, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	got := check.Get(Parse(load(t, "testdata/small.json")))(t)
	got.Members = nil
	want := council.Charter{
		CouncilName: "Small", Purpose: "To show every default.",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "decide", MaxPhaseTransitions: 12,
			PhaseContextVerbosity: "standard"},
		Phases: []council.Phase{{
			ID: "decide", Goal: "Decide.",
			Deliverables: []council.Deliverable{{ID: "d", Description: "A decision.", Required: true}},
			Governance: council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: "members", Debate: true,
				MaxAmendments: 2},
			StopConditions: council.StopConditions{MaxRounds: 2, EndOnMajorityVote: true, MaxQuestions: 3},
			MemoryPolicy: council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true, WriteCouncilMemory: true,
				IncludePriorPhaseSummary: true},
			Fallback:    council.Fallback{Resolution: "No resolution was reached.", Action: "END_SESSION"},
			Transitions: []council.Transition{{To: "decide", When: "ROUND_LIMIT", Priority: 100}},
		}},
		Output:              council.Output{Type: "none"},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 2},
		Deliberation:        council.Deliberation{SealedPositions: true, MarkCitations: true, Stances: true},
		Storage:             council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution:           council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
	check.Equal(t, "it", want, got)
}

func TestConfig_ADefaultGivesWayToWhatIsWritten(t *testing.T) {
	doc := strings.Replace(string(load(t, "testdata/small.json")), `"purpose"`, `
		"output": {"type": "documentation"}, // with a comment
		"documentationReview": {"maxRevisionRounds": 0, "governance": {"majorityThreshold": 1}},
		"deliberation": {"sealedPositions": false,},
		"execution": {"requireHumanApproval": false},
		"budget": {"tokens": 5000, "minutes": 2.5},
		"purpose"`, 1)
	c := check.Get(Parse([]byte(doc)))(t)
	if c.Output.Type != council.OutputDocumentation || c.DocumentationReview.MaxRevisionRounds != 0 ||
		c.Deliberation.SealedPositions || c.Execution.RequireHumanApproval || c.Budget.Tokens != 5000 ||
		c.Budget.Minutes != 2.5 {
		t.Errorf("got %+v", c)
	}
	check.Is(t, "a part that is given lost the defaults of its other fields", "engineer",
		c.Execution.DefaultExecutorProfile)
	want := council.Governance{RequireSeconding: true, MajorityThreshold: "1", CountOf: "members", Debate: true,
		MaxAmendments: 2}
	check.Equal(t, "it", &want, c.DocumentationReview.Governance)
}

// A pace may turn on what a file leaves open, and nothing that it turned off.
func TestSettings_FalseIsNotTheSameAsAbsent(t *testing.T) {
	small := string(load(t, "testdata/small.json"))
	read := func(deliberation string) [3]*bool {
		c := check.Get(Parse([]byte(strings.Replace(small, `"purpose"`, `"deliberation": `+deliberation+`, "purpose"`, 1))))(t)
		return [3]*bool{c.Deliberation.AnonymizePeers, c.Deliberation.HideConfidence, c.Deliberation.ShuffleOptions}
	}
	check.Equal(t, "absent", [3]*bool{}, read(`{}`))
	check.Equal(t, "written", [3]*bool{new(false), new(true), new(false)},
		read(`{"anonymizePeers": false, "hideConfidence": true, "shuffleOptions": false}`))
}

func TestConfig_AByteOrderMarkIsSkipped(t *testing.T) {
	check.Get(Parse(append([]byte("\ufeff"), load(t, "testdata/small.json")...)))(t)
}

// A charter that was written must be read as the same.
func FuzzParse(f *testing.F) {
	for _, path := range files {
		f.Add(load(f, path))
	}
	f.Add([]byte(`{"members": [{"id": 1}], "phases": {}, "budget": null,}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		c, err := Parse(doc)
		if err != nil {
			if !errors.Is(err, council.ErrBadCharter) || err.Error() == "" {
				t.Fatalf("%v is not ErrBadCharter", err)
			}
			return
		}
		text := check.Get(json.Marshal(c))(t)
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		check.Equal(t, "it", c, again)
	})
}

// reviewed returns the small configuration with a documentationReview.
func reviewed(t *testing.T, review string) []byte {
	t.Helper()
	return []byte(strings.Replace(string(load(t, "testdata/small.json")), `"purpose"`,
		`"documentationReview": {`+review+`}, "purpose"`, 1))
}

func TestConfig_ASkeletonGivesWhatTheFileDoesNot(t *testing.T) {
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

func TestConfig_GuidanceThatNobodyWouldBeGivenIsRefused(t *testing.T) {
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
		judge(t, test.review, reviewed(t, test.review), test.want)
	}
}
