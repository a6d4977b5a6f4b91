package terminal

import (
	"testing"

	"github.com/council-engine/council/council"
)

// askingAtOnce is asking at the pace auto. Mo leads, and proposed the options of the motion.
func askingAtOnce(kind council.AskKind, change func(*council.View)) council.View {
	v := asking(kind)
	v.Charter.Deliberation.Pace = council.PaceAuto
	v.Positions, v.Memory = []council.MemberID{"m1", "mo", "m3"}, nil
	change(&v)
	return v
}

func TestAPersonAnswersEveryQuestionOfAVoteAtOnce(t *testing.T) {
	proposed := []council.Event{
		{Seq: 1, Payload: council.SessionStarted{}}, {Seq: 2, Actor: "mo", Payload: council.AnswersProposed{}},
		{Seq: 3, Payload: council.ChoicePut{Motion: "p1.choice", Options: []string{"NATS", "Kafka"}}},
	}
	brief := council.Brief{Objective: "Run it", RecommendedExecutorProfile: "engineer",
		Steps: []council.Step{{Step: "Buy"}}, AcceptanceCriteria: []string{"It runs."}}
	same := func(*council.View) {}
	holdDialogues(t, map[string]dialogue{
		"a position": {askingAtOnce(council.AskPosition, same),
			[]string{"Keep it.", ".", "70", "It failed twice.", "A third time.", "yes"},
			council.Position{Position: "Keep it.", Confidence: 0.7, Counter: "It failed twice.", ChangeMind: "A third time."},
			[]string{"strongest argument against it", "change your mind", "!What may the others overlook"}},
		"a position on options": {askingAtOnce(council.AskPosition, func(v *council.View) {
			v.Charter.Options = []string{"NATS", "Kafka"}
		}), []string{"NATS.", ".", "70", "", "", "NATS", "kafka", "Redis", "yes"},
			council.Position{Position: "NATS.", Confidence: 0.7, Ranking: council.Ranks{{"NATS"}}, Missing: "Redis"},
			[]string{"Your ranking is a ballot, and may decide.", `It cannot be added: it is the same as "Kafka".`}},
		"a spare's position": {askingAtOnce(council.AskPosition, func(v *council.View) {
			v.Options, v.Charter.Deliberation.ElectWithPositions = []string{"NATS", "Kafka"}, true
		}), []string{"NATS.", ".", "70", "", "", "NATS", "yes"},
			council.Position{Position: "NATS.", Confidence: 0.7, Ranking: council.Ranks{{"NATS"}}},
			[]string{"The members that sit could not decide."}},
		"a proposal": {askingAtOnce(council.AskPropose, same), []string{"NATS", "nats.", "", "NATS", "Kafka", "", "2", "1",
			"2", "Who runs it?", "We take Kafka.", ".", "We talked.", ".", "yes", "", "Run it", "Buy", "", "", "It runs.", "",
			"yes"},
			council.Answers{Crux: "Who runs it?", Text: "We take Kafka.", Answers: []council.Held{
				{Answer: "Kafka", HeldBy: []council.MemberID{"m1", "m3"}}, {Answer: "NATS", HeldBy: []council.MemberID{"mo"}}},
				Summary: council.Summary{SummaryMarkdown: "We talked.", RequiresExecution: true, ExecutionBrief: &brief}},
			[]string{"Give 1 to 5 answers that differ.", "To which answer does this position belong? Mo",
				"“Kafka” as a resolution"}},
		"a proposal of one answer": {askingAtOnce(council.AskPropose, same),
			[]string{"NATS", "", "", "We take NATS.", ".", "We talked.", ".", "no", "yes"},
			council.Answers{Text: "We take NATS.", Answers: []council.Held{
				{Answer: "NATS", HeldBy: []council.MemberID{"m1", "mo", "m3"}}},
				Summary: council.Summary{SummaryMarkdown: "We talked."}}, nil},
		"a ballot on a proposal": {askingAtOnce(council.AskRank, func(v *council.View) { v.Events = proposed }),
			[]string{"Kafka", "It keeps a log.", "Name a price.", "", "Redis", "yes"},
			council.Ranked{Ranking: council.Ranks{{"Kafka"}}, Rationale: "It keeps a log.",
				Blockers: []string{"Name a price."}, Missing: "Redis"},
			[]string{"What must change in the resolution “NATS”?"}},
		"a ballot in a round": {askingAtOnce(council.AskRank, same), []string{"NATS", "No evidence.", "yes"},
			council.Ranked{Ranking: council.Ranks{{"NATS"}}, Rationale: "No evidence."},
			[]string{"The council is divided. Answer the strongest point against your own first choice"}},
		"a ballot for the proposal": {askingAtOnce(council.AskRank, func(v *council.View) { v.Events = proposed }),
			[]string{"NATS", "It is simple.", "", "yes"},
			council.Ranked{Ranking: council.Ranks{{"NATS"}}, Rationale: "It is simple."}, nil},
		"a NO to a draft": {askingAtOnce(council.AskBallot, func(v *council.View) {
			v.Motion, v.Draft = nil, &council.DraftWritten{Draft: council.Draft{Markdown: "# T\n\nText."}}
		}), []string{"NO", "No price.", "No price", "", "Costs", "Too dear", "Name it", "high", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "No price.", CriticalBlockers: []council.Blocker{{ID: "b1",
				Section: "Costs", Problem: "No price", Impact: "Too dear", RequiredChange: "Name it", Severity: "high"}}},
			[]string{"What must change before you can approve it?"}},
	})
}
