package council_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

var textKinds = []council.TextKind{"-", council.TextID, council.TextBlocker, council.TextName, council.TextSpeaker,
	council.TextSaid, council.TextShort, council.TextStance, council.TextOption, council.TextDraft, council.TextBrief,
	council.TextResult, council.TextDocument, council.TextQuery, council.TextCited, council.TextCompared,
	council.TextCharter, council.TextRequired}

// A text without a kind would be kept when it is to be forgotten, and shown where names are hidden.
func TestText_EveryTextHasAKind(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		if typ = bottom(typ); typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			tag, tagged := f.Tag.Lookup("text")
			switch under := bottom(f.Type); {
			case tagged && !slices.Contains(textKinds, council.TextKind(tag)):
				t.Errorf("%s.%s: there is no kind of text %q", typ, f.Name, tag)
			case tag == "-":
			case under == reflect.TypeFor[string]() && !tagged:
				t.Errorf("%s.%s holds text: give it the tag text", typ, f.Name)
			case under != reflect.TypeFor[string]() && tagged:
				t.Errorf("%s.%s has the tag text and holds none", typ, f.Name)
			case under.Kind() == reflect.Map, under.Kind() == reflect.Interface:
				t.Errorf("%s.%s is a %s, and EditTexts passes it over", typ, f.Name, under)
			default:
				look(f.Type)
			}
		}
	}
	for _, kind := range council.EventTypes() {
		look(reflect.TypeOf(council.NewPayload(kind)))
	}
}

// bottom returns the type of the elements of a list or a pointer.
func bottom(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ
}

// untouched lists the texts below v that still hold "before".
func untouched(v reflect.Value, at string) []string {
	var found []string
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.String() == "before" {
			return []string{at}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Type != reflect.TypeFor[council.Answered]() {
				found = append(found, untouched(v.Field(i), at+"."+f.Name)...)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			found = append(found, untouched(v.Index(i), at)...)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			found = untouched(v.Elem(), at)
		}
	}
	return found
}

// left are the texts of answers without prose: names, titles, ids and digests; citations, which are read apart; and the
// reasons of settlements, so that renderings of old logs stay.
var left = []string{"POSITION_SEALED.Position.Stance", "POSITION_SEALED.Position.Ranking",
	"POSITION_SEALED.Position.UnreadRanking", "POSITION_SEALED.Position.Missing",
	"ANSWERS_PROPOSED.Answers.Answers.Answer",
	"ANSWERS_PROPOSED.Answers.Summary.ExecutionBrief.RecommendedExecutorProfile",
	"ANSWERS_PROPOSED.Answers.Summary.ExecutionBrief.Motions",
	"ANSWERS_PROPOSED.Answers.Summary.ExecutionBrief.Steps.AskedIn", "ANSWERS_PROPOSED.Answers.Summary.Settles.Record",
	"ANSWERS_PROPOSED.Answers.Summary.Settles.Because", "CONTRIBUTION_MADE.Option", "CONTRIBUTION_MADE.Cites",
	"TURN_PASSED.Cites", "MOTION_MADE.MotionTitle", "MOTION_MADE.Options",
	"SECOND_ANSWERED.Second.Amendment.Substitute.MotionTitle",
	"BALLOT_CAST.Subject.Draft.SHA256", "BALLOT_CAST.Subject.Draft.BriefSHA256", "BALLOT_CAST.Ballot.Stance",
	"BALLOT_CAST.Ballot.CriticalBlockers.ID", "BALLOT_CAST.Ballot.CriticalBlockers.Section",
	"BALLOT_CAST.Ballot.CriticalBlockers.Severity", "RANKING_CAST.Ranked.Ranking", "RANKING_CAST.Ranked.Missing",
	"PHASE_ASSESSED.Assessment.Deliverables.ID", "PHASE_ASSESSED.Assessment.Deliverables.Citations",
	"PHASE_ASSESSED.Assessment.QualityGates.ID", "PHASE_ASSESSED.Assessment.QualityGates.Citations",
	"PHASE_ASSESSED.Assessment.Citations", "SUMMARY_WRITTEN.Summary.ExecutionBrief.RecommendedExecutorProfile",
	"SUMMARY_WRITTEN.Summary.ExecutionBrief.Motions", "SUMMARY_WRITTEN.Summary.ExecutionBrief.Steps.AskedIn",
	"SUMMARY_WRITTEN.Summary.Settles.Record", "SUMMARY_WRITTEN.Summary.Settles.Because", "SUMMARY_WRITTEN.BriefSHA256",
	"DRAFT_WRITTEN.DraftRef.SHA256", "DRAFT_WRITTEN.DraftRef.BriefSHA256", "DRAFT_WRITTEN.Draft.Responses.BlockerID",
	"DRAFT_WRITTEN.Draft.ExecutionBrief.RecommendedExecutorProfile", "DRAFT_WRITTEN.Draft.ExecutionBrief.Motions",
	"DRAFT_WRITTEN.Draft.ExecutionBrief.Steps.AskedIn", "DRAFT_WRITTEN.Draft.MissingSections",
	"REVIEW_GIVEN.Review.CriticalBlockers.ID", "REVIEW_GIVEN.Review.CriticalBlockers.Section",
	"REVIEW_GIVEN.Review.CriticalBlockers.Severity", "DISSENT_WRITTEN.Dissent.CriticalBlockers.ID",
	"DISSENT_WRITTEN.Dissent.CriticalBlockers.Section", "DISSENT_WRITTEN.Dissent.CriticalBlockers.Severity"}

// Members' prose is searched for citations in all fields of answers.
func TestText_AllThatMembersSayIsLookedThrough(t *testing.T) {
	var found []string
	for _, typ := range council.EventTypes() {
		if (council.Event{Payload: council.Deref(council.NewPayload(typ))}).Body() == nil {
			continue
		}
		payload := counciltest.Filled(typ, "before")
		after := council.EditTexts(payload, func(kind council.TextKind, text string) string {
			if kind.Prose() {
				return "after"
			}
			return text
		})
		found = append(found, untouched(reflect.ValueOf(after), string(typ))...)
	}
	check.Equal(t, "it", left, found)
}

func TestShorten_KeepsWhatABoundAllows(t *testing.T) {
	words := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		body  council.Body
		field string
		kept  int // of the field, in characters or entries
	}{
		{council.Review{CriticalBlockers: make([]council.Blocker, 7)}, "CriticalBlockers", council.MaxBlockers},
		{council.Review{SuggestedChanges: make([]string, 9)}, "SuggestedChanges", council.MaxSuggestions},
		{council.Dissent{Dissent: words(council.MaxDissent + 1)}, "Dissent", council.MaxDissent},
		{council.Dissent{Dissent: words(council.MaxDissent)}, "Dissent", council.MaxDissent},
		{council.Ballot{Rationale: words(4_001)}, "Rationale", 4_000},
	} {
		short, cut := council.Shorten(test.body)
		was, now := reflect.ValueOf(test.body).FieldByName(test.field), reflect.ValueOf(short).FieldByName(test.field)
		length := func(v reflect.Value) int {
			if v.Kind() == reflect.String {
				return len([]rune(v.String()))
			}
			return v.Len()
		}
		if length(now) != test.kept || (len(cut) == 1) != (length(was) > test.kept) {
			t.Errorf("%T.%s of %d: %d are kept and %v was cut, want %d", test.body, test.field, length(was), length(now),
				cut, test.kept)
		}
	}
}
