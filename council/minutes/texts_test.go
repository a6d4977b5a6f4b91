package minutes

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
)

// untouched lists the texts below v that hold what they were filled with.
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

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("before")
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	}
}

// left are the texts of answers that are not looked through: names, titles, what is in a few words, ids and digests; what
// is given as a citation, which is told apart; and the reasons of settlements, so that what is rendered of old logs stays.
var left = []string{
	"POSITION_SEALED.Position.Stance",
	"CONTRIBUTION_MADE.Cites",
	"TURN_PASSED.Cites",
	"MOTION_MADE.MotionTitle",
	"BALLOT_CAST.Subject.Draft.SHA256",
	"BALLOT_CAST.Ballot.Stance",
	"PHASE_ASSESSED.Assessment.Deliverables.ID",
	"PHASE_ASSESSED.Assessment.Deliverables.Citations",
	"PHASE_ASSESSED.Assessment.QualityGates.ID",
	"PHASE_ASSESSED.Assessment.QualityGates.Citations",
	"PHASE_ASSESSED.Assessment.Citations",
	"SUMMARY_WRITTEN.Summary.ExecutionBrief.RecommendedExecutorProfile",
	"SUMMARY_WRITTEN.Summary.ExecutionBrief.Motions",
	"SUMMARY_WRITTEN.Summary.Settles.Record",
	"SUMMARY_WRITTEN.Summary.Settles.Because",
	"SUMMARY_WRITTEN.BriefSHA256",
	"DRAFT_WRITTEN.DraftRef.SHA256",
	"DRAFT_WRITTEN.Draft.Responses.BlockerID",
	"REVIEW_GIVEN.Review.CriticalBlockers.ID",
	"REVIEW_GIVEN.Review.CriticalBlockers.Section",
	"REVIEW_GIVEN.Review.CriticalBlockers.Severity",
}

// What members say is looked through for citations, whatever fields answers get in time.
func TestAllThatMembersSayIsLookedThrough(t *testing.T) {
	var found []string
	for _, typ := range council.EventTypes() {
		empty := council.Deref(council.NewPayload(typ))
		if (council.Event{Payload: empty}).Said() == nil {
			continue
		}
		payload := reflect.New(reflect.TypeOf(empty)).Elem()
		fill(payload)
		after := rewritten(payload.Interface().(council.Payload), func(string) string { return "after" })
		found = append(found, untouched(reflect.ValueOf(after), string(typ))...)
	}
	if diff := cmp.Diff(left, found); diff != "" {
		t.Error(diff)
	}
}
