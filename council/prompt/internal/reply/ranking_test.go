package reply

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
)

func TestARankingIsReadByNumberLetterAndWords(t *testing.T) {
	options := []string{"NATS", "Kafka", "keep Postgres"}
	for said, want := range map[string]struct {
		ranks   string
		unknown string
	}{
		`["2", "1 = 3"]`:                       {"Kafka > NATS = keep Postgres", ""},
		`[2, [1, 3]]`:                          {"Kafka > NATS = keep Postgres", ""},
		`"2 > 1 = 3"`:                          {"Kafka > NATS = keep Postgres", ""},
		`["b", "A", "(c)"]`:                    {"Kafka > NATS > keep Postgres", ""},
		`["kafka.", "Keep  postgres"]`:         {"Kafka > keep Postgres", ""},
		`["2. Kafka", "4. none of these"]`:     {"Kafka > none of these", ""},
		`["d", "NATS"]`:                        {"none of these > NATS", ""},
		`["Kafka", "Kafka", "1"]`:              {"Kafka > NATS", ""},
		`["Redis", "NATS", "5", "NATS Kafka"]`: {"NATS", "Redis, 5, NATS Kafka"},
		`["1. Kafka", "2"]`:                    {"Kafka", "1. Kafka"},
		`["", null, {}]`:                       {"", ""},
		`{"1": "NATS"}`:                        {"", ""},
		`null`:                                 {"", ""},
	} {
		var value any
		decoder := json.NewDecoder(strings.NewReader(said))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		ranks, unknown := Ranking(options, value)
		if ranks.Words() != want.ranks || strings.Join(unknown, ", ") != want.unknown {
			t.Errorf("%s is read as %q, without %q", said, ranks.Words(), unknown)
		}
		if _, ok := ranks.Of(options); !ok {
			t.Errorf("%s is read as %q, which the rules refuse", said, ranks)
		}
	}
}

func TestARankedBallot(t *testing.T) {
	v := council.View{Ask: council.Ask{Kind: council.AskRank}, Motion: &council.Motion{Options: []string{"NATS", "Kafka"}}}
	got, err := Parse(v, `{"rationale": "Simple.", "ranking": ["1", "Redis"]}`)
	want := council.Ranked{Rationale: "Simple.", Ranking: council.Ranks{{"NATS"}}, Unknown: []string{"Redis"}}
	if diff := cmp.Diff(council.Body(want), got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, reply := range []string{`{"rationale": "R", "ranking": ["Redis"]}`, `{"rationale": "R"}`, `I prefer NATS.`} {
		if got, err := Parse(v, reply); err == nil {
			t.Errorf("%s is read as %+v", reply, got)
		}
	}
}

func TestAChoiceIsProposedWhereThePhaseAllowsIt(t *testing.T) {
	const said = `{"action": "CALL_CHOICE", "motionTitle": "Which?", "options": ["NATS", "Kafka"]}`
	v := council.View{Ask: council.Ask{Kind: council.AskTurn}, Phase: &council.Phase{}, Turn: 1}
	if got, err := Parse(v, said); err == nil {
		t.Errorf("read as %+v", got)
	}
	v.Phase.Governance.Choices, v.Turn = true, 0
	if got, err := Parse(v, said); err == nil {
		t.Errorf("of a round that is held together it is read as %+v", got)
	}
	v.Turn = 1
	got, err := Parse(v, said)
	want := council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which?", Options: []string{"NATS", "Kafka"}}
	if diff := cmp.Diff(council.Body(want), got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, options := range []string{`["NATS"]`, `["NATS", "nats "]`, `[]`, `["1","2","3","4","5","6","7","8"]`} {
		if got, err := Parse(v, strings.Replace(said, `["NATS", "Kafka"]`, options, 1)); err == nil {
			t.Errorf("%s is read as %+v", options, got)
		}
	}
}
