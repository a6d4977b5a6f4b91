package expunge

import (
	"reflect"

	"github.com/council-engine/council/council"
)

// class says when a text of a payload is erased.
type class uint

const (
	whenNamed   class = 1 << iota // whole, when its event is named
	withOpening                   // whole, when the opening is named
	inPart                        // where a fragment stands in it
	partOpened                    // where a fragment stands in it, when the opening is named
	whole                         // a digest of it is on record: by that a part of it could be guessed, so it goes whole
	lined                         // the number of its lines is kept: citations are checked against it
	cited                         // the rules compare it: it stays where they would decide otherwise without it
)

// The classes of texts.
const (
	kept      class = 0                  // no words: an id, a digest, a choice
	word            = whenNamed | inPart // what somebody said
	sworn           = word | whole       // the same, and a digest names it
	label           = inPart             // a name or a word from a short list
	reference       = inPart | cited     // what a claim is about, or cites
	topic           = word               // what the council was asked
	document        = sworn | lined      // what it was given to read
	echo            = word | withOpening // drawn from the topic
	charter         = partOpened         // the configuration, and what the rules copy from it
	demand          = partOpened | cited // what a phase must show, and the rules hold claims against
)

// texts classifies every field that holds text, of every struct that is a payload or part of one. Texts of a type of
// their own, such as council.MemberID, are ids and choices and are never erased.
var texts = map[reflect.Type]map[string]class{
	of[council.Topic]():     {"Text": topic},
	of[council.Skipped]():   {"Reason": kept, "Names": label},
	of[council.Cut]():       {"In": kept, "Kind": kept},
	of[council.Shortened](): {"Field": kept},
	of[council.Document]():  {"Name": kept, "SHA256": kept, "Text": document},
	of[council.Remembered](): {
		"ID": kept, "Kind": kept, "Summary": word, "Detail": word, "Date": kept,
	},
	of[council.Recollection]():   {"ID": kept, "Kind": kept, "Speaker": label, "Date": kept, "Text": word},
	of[council.MemoryRecalled](): {"Query": echo},

	of[council.Charter]():             {"CouncilName": charter, "Purpose": charter},
	of[council.Phase]():               {"Goal": charter, "PromptGuidance": charter, "QualityGates": demand},
	of[council.Deliverable]():         {"ID": kept, "Description": charter},
	of[council.Fallback]():            {"Resolution": charter},
	of[council.Transition]():          {"Reason": charter},
	of[council.DocumentationReview](): {"Skeleton": kept, "Sections": charter},
	of[council.Guide]():               {"Section": charter, "Says": charter},
	of[council.Storage]():             {"RootDir": kept, "MemoryDir": kept},
	of[council.Execution]():           {"DefaultExecutorProfile": kept},
	of[council.Member](): {
		"Name": charter, "Role": charter, "SystemPrompt": charter, "Traits": charter,
	},

	of[council.Usage]():            {"Model": kept, "Provider": kept},
	of[council.ToolUse]():          {"Tool": kept, "Arguments": word, "Result": sworn, "SHA256": kept},
	of[council.Found]():            {"Kind": kept},
	of[council.FileLines]():        {"File": reference},
	of[council.Position]():         {"Position": word, "OnlyIKnow": word, "Stance": word},
	of[council.Nomination]():       {"Rationale": word},
	of[council.PhaseStarted]():     {"Goal": charter, "Reason": charter},
	of[council.ContributionMade](): {"Message": word, "Cites": kept},
	of[council.TurnPassed]():       {"Reason": word, "Note": word, "Cites": kept},
	of[council.MotionMade]():       {"MotionTitle": word, "MotionText": word, "DecisionIfPass": word},
	of[council.Second]():           {"Rationale": word},
	of[council.Ballot]():           {"Rationale": word, "Stance": word},
	of[council.DraftRef]():         {"SHA256": kept},
	of[council.Assessment]():       {"Assumptions": word, "Constraints": word, "Citations": reference},
	of[council.Claim]():            {"ID": reference, "Claim": word, "Citations": reference},
	of[council.Risk]():             {"Risk": word, "Mitigation": word},
	of[council.Finding]():          {"ID": demand, "Citations": kept},
	of[council.PhaseEnded](): {
		"Fallback": charter, "Missing": demand, "BadCites": reference, "NextReason": charter,
	},
	of[council.Summary]():        {"SummaryMarkdown": word, "FinalResolution": word},
	of[council.SummaryWritten](): {"BriefSHA256": kept},
	of[council.Settlement]():     {"Record": kept, "Because": word},
	of[council.Brief](): {
		"Objective": sworn, "RecommendedExecutorProfile": kept, "Motions": kept, "Steps": sworn, "Risks": sworn, "AcceptanceCriteria": sworn,
	},
	of[council.Draft]():           {"Markdown": sworn},
	of[council.BlockerResponse](): {"BlockerID": kept, "Note": word},
	of[council.Review]():          {"SuggestedChanges": word},
	of[council.Blocker](): {
		"ID": kept, "Section": word, "Problem": word, "Impact": word, "RequiredChange": word, "Severity": kept,
	},
	of[council.Dissent]():    {"Dissent": word},
	of[council.Resolution](): {"Title": word, "Text": word, "Decision": word},

	of[council.Fault]():             {"Message": word},
	of[council.SessionResumed]():    {"By": label},
	of[council.SessionAdjourned]():  {"By": label, "Reason": word},
	of[council.BudgetAmended]():     {"By": label},
	of[council.ServerMoved]():       {"By": label, "BaseURL": kept},
	of[council.BriefAmended]():      {"By": label, "BriefSHA256": kept},
	of[council.ExecutionApproved](): {"By": label, "BriefSHA256": kept, "Note": word},
	of[council.ExecutionRejected](): {"By": label, "BriefSHA256": kept, "Reason": word},
	of[council.ExecutionStarted]():  {"By": label, "BriefSHA256": kept},
	of[council.ExecutionFinished](): {"By": label, "Note": word},
}

// opaque are structs that hold nothing anybody said: how a model is reached, what it costs, and what may be looked up.
var opaque = map[reflect.Type]bool{of[council.Model](): true, of[council.Tools](): true, of[council.Rate](): true}

func of[T any]() reflect.Type { return reflect.TypeFor[T]() }
