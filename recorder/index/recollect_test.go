package index_test

import (
	"fmt"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/index"
)

// talk fills an index with small talk of councils.
func talk(t *testing.T, ix *index.Index) {
	t.Helper()
	subjects := []string{"the budget of the next quarter", "the plan for the office move",
		"hiring two engineers in spring", "the holiday calendar", "the logo on the website"}
	var docs []index.Doc
	for day := range 200 {
		docs = append(docs,
			turn(day, 1, fmt.Sprintf("I think we should talk about %s before we decide, as the risks and the costs are open.",
				subjects[day%len(subjects)])))
	}
	put(t, ix, docs...)
}

func TestRecollect_FindsTheTopicFromLongAgo(t *testing.T) {
	ix := open(t)
	talk(t, ix)
	put(t, ix,
		turn(3, 7, "We refused Kafka for messaging between our services: running Zookeeper was too heavy for two people."),
		turn(3, 8, "Kafka messaging it shall not be, for services so small."),
		turn(5, 7, "The coffee services are late again."),
		record(9, "r-kafka", "Messaging between services does without Kafka."))
	const topic = "Shall we adopt Kafka for messaging between services?"
	recollect := func(topic string, except []council.SessionID, without []string) string {
		t.Helper()
		hits := check.Get(ix.Recollect(t.Context(), topic, index.Query{Except: except, Without: without}))(t)
		return ids(hits)
	}
	if got := recollect(topic, nil, nil); got != "r-kafka e7" && got != "e7 r-kafka" {
		t.Errorf("recollected %q", got)
	}
	check.Is(t, "recollected without the record", "e7", recollect(topic, nil, []string{"r-kafka"}))
	check.Is(t, "recollected without the session", "", recollect(topic, []council.SessionID{sessionID(3)},
		[]string{"r-kafka"}))
	for _, unrelated := range []string{"", "?!", "Shall we talk about it before we decide?",
		"Which database for the ledger: Postgres or SQLite?", "What do we think of services?",
		"Should the plan for the roof be open?", "我们是否应该采用新的数据库？"} {
		check.Is(t, unrelated, "", recollect(unrelated, nil, nil))
	}
}

func TestRecollect_ReturnsAtMostThreeInForce(t *testing.T) {
	ix := open(t)
	talk(t, ix)
	for day := range 6 {
		put(t, ix, turn(day, 7, "Kubernetes autoscaling was judged too dear."), turn(day, 8, "Kubernetes autoscaling again."))
	}
	old := record(8, "r-old", "Kubernetes autoscaling is on.")
	old.Status, old.SupersededBy = "superseded", "r-new"
	put(t, ix, old)
	hits := check.Get(ix.Recollect(t.Context(), "Kubernetes autoscaling", index.Query{}))(t)
	check.Is(t, "recollections", council.MaxRecollections, len(hits))
	sessions := map[council.SessionID]bool{}
	for _, h := range hits {
		sessions[h.Session] = true
		check.That(t, h.SupersededBy == "" && h.Status != "superseded", "%s is superseded", h.ID)
	}
	check.Is(t, "sessions of the hits", len(hits), len(sessions))
}

// A matter of which three sessions of forty spoke, as sessions do, again and again, is as telling as one of a single
// one.
func TestRecollect_FindsTopicsOfSeveralSessions(t *testing.T) {
	ix := open(t)
	var said []index.Doc
	for day := range 40 {
		for n := range 45 {
			text := fmt.Sprintf("Matter %d is open, and we look at its costs in step %d.", day, n)
			if day%15 == 0 {
				text = fmt.Sprintf("The canary of the release is to be retired, in step %d.", n)
			}
			said = append(said, turn(day, n+1, text))
		}
	}
	put(t, ix, said...)
	for topic, want := range map[string]int{"Shall we retire the canary of the release?": 3,
		"Shall we look at the costs of each matter?": 0} {
		check.Is(t, topic, want, len(check.Get(ix.Recollect(t.Context(), topic, index.Query{}))(t)))
	}
}

func TestRecollect_LeavesOutRehearsals(t *testing.T) {
	ix := open(t)
	talk(t, ix)
	rehearsed := turn(3, 7,
		"We refused Kafka for messaging between our services: running Zookeeper was too heavy for two people.")
	rehearsed.Rehearsed = true
	put(t, ix, rehearsed)
	for without, want := range map[bool]string{false: "e7", true: ""} {
		hits, err := ix.Recollect(t.Context(), "Shall we adopt Kafka for messaging between services?",
			index.Query{Unrehearsed: without})
		if err != nil || ids(hits) != want || len(hits) > 0 && !hits[0].Rehearsed {
			t.Errorf("without rehearsals %t: %q, %v", without, ids(hits), err)
		}
	}
}

func TestRecollect_WithoutSpaces(t *testing.T) {
	ix := open(t)
	talk(t, ix)
	put(t, ix, turn(1, 7, "我们决定推迟数据库迁移，因为风险太大。"))
	for topic, want := range map[string]string{"数据库迁移何时进行？": "e7", "今年的预算是多少？": ""} {
		hits, err := ix.Recollect(t.Context(), topic, index.Query{})
		if err != nil || ids(hits) != want {
			t.Errorf("%q: %q, %v", topic, ids(hits), err)
		}
	}
}
