package prompt_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// liveReply is a reply of a real model to a question of the deliberations in testdata/live, as .ci/live got it.
type liveReply struct {
	Deliberation string
	Ask          council.AskID
	Model, Form  string
	Text         string
	Read         string // as a person reads it, see reading; "cannot be read"; "" where it was not judged
}

const unreadable = "cannot be read"

// The replies in testdata/live become more, never fewer.
const (
	leastReplies = 400
	leastJudged  = 230
)

// reading writes the part of an answer that a person would agree or disagree on.
func reading(b council.Body) string {
	switch b := b.(type) {
	case council.Position:
		return fmt.Sprintf("%.2f, %s, leader %s", b.Confidence, b.Ranking.Words(), b.CandidateID)
	case council.Nomination:
		return string(b.CandidateID)
	case council.Turn:
		return string(b.Action)
	case council.Answer:
		return "an answer"
	case council.Second:
		return strings.TrimSpace(fmt.Sprintf("%s second %t", b.Stand, b.Second))
	case council.Amend:
		return fmt.Sprintf("%v, withdraw %t", b.Amendments, b.Withdraw)
	case council.Ballot:
		return string(b.Ballot)
	case council.Ranked:
		return b.Ranking.Words()
	case council.Assessment:
		var met []string
		for _, c := range append(b.Deliverables, b.QualityGates...) {
			met = append(met, fmt.Sprintf("%s %t", c.ID, c.Met))
		}
		return strings.Join(met, ", ")
	case council.Summary:
		return fmt.Sprintf("executes %t", b.RequiresExecution)
	case council.Draft:
		return "a document"
	case council.Review:
		return fmt.Sprintf("%d blockers", len(b.CriticalBlockers))
	case council.Dissent:
		if b.Dissent == "" {
			return "no dissent"
		}
		return "a dissent"
	}
	return fmt.Sprintf("%T", b)
}

// No reply of a real model is read otherwise than a person reads it. Those that a person can read and that are asked
// for again are listed in testdata/live/asked-again.txt, which only becomes shorter.
func TestParse_ReadsRepliesOfRealModelsAsAPersonDoes(t *testing.T) {
	questions := map[string]council.View{}
	for _, v := range views(t) {
		name := strings.Split(string(v.Session), "-")[2]
		questions[name+" "+string(v.Ask.ID)] = v
	}
	doc := check.Get(os.ReadFile("testdata/live/replies.jsonl"))(t)
	var replies, judged int
	var again []string
	for dec := json.NewDecoder(bytes.NewReader(doc)); dec.More(); {
		var r liveReply
		check.OK(t, dec.Decode(&r))
		replies++
		v, ok := questions[r.Deliberation+" "+string(r.Ask)]
		if !ok {
			t.Fatalf("reply %d answers %s %s, which is not asked", replies, r.Deliberation, r.Ask)
		}
		body, err := prompt.Parse(v, r.Text)
		if r.Read == "" {
			continue
		}
		judged++
		switch {
		case err == nil && reading(body) != r.Read:
			t.Errorf("reply %d of %s to %s: a person reads %q, council %q\n%s", replies, r.Model, r.Ask, r.Read, reading(body),
				r.Text)
		case err != nil && r.Read != unreadable:
			again = append(again, fmt.Sprintf("%d %s %s: %s: %v", replies, r.Model, r.Ask, r.Read, council.ReplyProblem(err)))
		}
	}
	if replies < leastReplies || judged < leastJudged {
		t.Errorf("%d replies, of which %d are judged; want %d and %d", replies, judged, leastReplies, leastJudged)
	}
	got := strings.Join(again, "\n") + "\n"
	const list = "testdata/live/asked-again.txt"
	if flag.Lookup("rewrite").Value.String() == "true" {
		check.OK(t, os.WriteFile(list, []byte(got), 0o644))
	}
	want := check.Get(os.ReadFile(list))(t)
	check.Equal(t, "replies that a person can read and council asks for again, -listed +got", string(want), got)
}
