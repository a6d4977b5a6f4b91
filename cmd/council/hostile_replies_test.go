package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
)

// noObject are beginnings of what the parser says of a text that answers no question that wants an object.
var noObject = []string{"There is no JSON object", "It is empty", "ends before its JSON object does",
	"It refuses to answer"}

// unusable reads the corpus of council/prompt: for each contract the texts that are no answer to it. A text that cannot
// be an object is none to any contract but the document's.
func unusable(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../council/prompt/internal/reply/testdata/replies/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no corpus: %v", err)
	}
	texts := map[string][]string{}
	everywhere := []string{strings.Repeat("YES ", 1<<19), strings.Repeat(`{"ballot":`, 10_000)}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range strings.Split(string(doc), "\n== ")[1:] {
			head, text, ok := strings.Cut(sample, "\nreply:\n")
			if !ok {
				var quoted string
				head, quoted, _ = strings.Cut(sample, "\nquoted: ")
				quoted, _, _ = strings.Cut(quoted, "\n")
				if text, err = strconv.Unquote(quoted); err != nil {
					t.Fatalf("%s: %v", head, err)
				}
			}
			_, problem, fails := strings.Cut(head, "\nerror: ")
			if !fails {
				continue
			}
			kind := strings.TrimSuffix(filepath.Base(file), ".txt")
			if _, named, ok := strings.Cut(head, "\nask: "); ok {
				kind, _, _ = strings.Cut(named, "\n")
			}
			texts["reply_"+kind] = append(texts["reply_"+kind], text)
			if slices.ContainsFunc(noObject, func(p string) bool { return strings.Contains(problem, p) }) {
				everywhere = append(everywhere, text)
			}
		}
	}
	texts[""] = texts["reply_draft"]
	delete(texts, "reply_draft")
	delete(texts, "reply_sections")
	delete(texts, "reply_revision")
	for _, kind := range []string{"position", "nominate", "turn", "second", "ballot", "assess", "summary", "review"} {
		texts["reply_"+kind] = append(texts["reply_"+kind], everywhere...)
	}
	texts["reply_dissent"] = append(texts["reply_dissent"], everywhere[:2]...) // prose is a dissent
	return texts
}

// babel is a model server that gives unusable replies to every question, and in between perhaps a usable one. It keeps
// what it sent: what the council should have counted follows from that alone.
type babel struct {
	mu     sync.Mutex
	texts  map[string][]string
	next   map[string]int      // the text of a contract that comes next
	spoilt map[string]int      // unusable replies to the question under way, by model and contract
	luck   func(n int) bool    // whether the n-th call of all is answered well
	heard  map[string][]string // usable replies, "" for questions that never got one, by model and contract
	calls  int
}

func (b *babel) reply(r counciltest.Request) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	key := r.Model + " " + r.Contract
	if b.luck(b.calls) && (r.Contract != "reply_dissent" || b.calls%4 == 0) { // dissents are few
		b.spoilt[key] = 0
		good := b.good(r)
		b.heard[key] = append(b.heard[key], good)
		return good
	}
	if b.spoilt[key]++; b.spoilt[key] == 3 { // the third try is the last
		b.spoilt[key] = 0
		b.heard[key] = append(b.heard[key], "")
	}
	n := b.next[r.Contract]
	b.next[r.Contract]++
	return b.texts[r.Contract][n%len(b.texts[r.Contract])]
}

func (b *babel) good(r counciltest.Request) string {
	mark := fmt.Sprintf("mark %d", b.calls)
	switch r.Contract {
	case "reply_nominate":
		return fmt.Sprintf(`{"rationale":%q,"candidateId":"m%d"}`, mark, 1+b.calls%3)
	case "reply_turn":
		return []string{
			fmt.Sprintf(`{"action":"CALL_VOTE","motionTitle":"T","motionText":%q,"decisionIfPass":"D"}`, mark),
			fmt.Sprintf(`{"action":"PASS","reason":%q}`, mark),
			fmt.Sprintf(`{"action":"CONTRIBUTE","message":%q}`, mark),
		}[b.calls%3]
	case "reply_second":
		return fmt.Sprintf(`{"rationale":%q,"stand":"SUPPORT","second":true}`, mark)
	case "reply_ballot":
		return fmt.Sprintf(`{"rationale":%q,"ballot":%q}`, mark, []string{"YES", "YES", "NO", "ABSTAIN"}[b.calls%4])
	case "":
		return drafted(r)
	}
	return (counciltest.Deliberation{Rounds: 1}).Reply(r)
}

var blockerID = regexp.MustCompile(`d(\d+)\.m\d\.b\d+`)

// drafted returns a draft that answers the blockers of the latest draft before it.
func drafted(r counciltest.Request) string {
	latest, ids := 0, map[string]bool{}
	for _, m := range blockerID.FindAllStringSubmatch(string(r.Body), -1) {
		version, _ := strconv.Atoi(m[1])
		if version > latest {
			latest, ids = version, map[string]bool{}
		}
		if version == latest {
			ids[m[0]] = true
		}
	}
	text := fmt.Sprintf("# Report %d\n\nWe go on.\n", latest)
	responses := map[string]string{}
	for id := range ids {
		responses[id] = "accepted - done"
	}
	answers, _ := json.Marshal(map[string]any{"responses": responses})
	return text + "\n" + string(answers)
}

// Members answer every question of whole sessions with unusable texts, always or in between. The session comes to its
// end, or is suspended where no position can be used; what never was answered is absent or invalid, and every count is
// that of the usable replies that were sent.
func TestUnusableRepliesAreCountedForNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	texts := unusable(t)
	next := map[string]int{}
	lacking := func() (contracts []string) {
		for contract, all := range texts {
			if next[contract] < min(len(all), 30) {
				contracts = append(contracts, contract)
			}
		}
		return contracts
	}
	// members answer in any order, so how often one is asked for a dissent is chance
	rounds, most := counciltest.Often(2, 26), counciltest.Often(2, 104)
	for i := 0; i <= rounds || i <= most && len(lacking()) > 0; i++ {
		luck := func(int) bool { return false }
		if i > 0 {
			luck = func(n int) bool { return (n*n*7+n*i+i-1)%11 < 2+(i-1)%5 }
		}
		b := &babel{texts: texts, next: next, spoilt: map[string]int{}, heard: map[string][]string{}, luck: luck}
		server := counciltest.NewServer(t, b.reply)
		d := newWorkplace(t, server.URL)
		code := runLine(testOnlyApp(&d.out, &d.errs), t.Context(),
			[]string{"convene", "Shall we?", "--quiet", "--config", d.config, "--root", d.root})
		if code != cli.ExitOK && code != cli.ExitNotDecided && code != cli.ExitSuspended || i == 0 &&
			code != cli.ExitSuspended {
			t.Fatalf("session %d: exit code %d\n%s%s", i, code, &d.out, &d.errs)
		}
		d.run(cli.ExitOK, "verify")
		b.recount(t, theEvents(t, d.root))
		if t.Failed() {
			t.Fatalf("session %d", i)
		}
	}
	if !counciltest.Long() {
		return
	}
	for _, contract := range lacking() {
		t.Errorf("%d of %d texts for %q were sent", next[contract], len(texts[contract]), contract)
	}
}

// theEvents returns the events of the only session.
func theEvents(t *testing.T, root string) []gjson.Result {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "sessions", "*", "events.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d sessions: %v", len(files), err)
	}
	doc, err := os.ReadFile(files[0])
	if err != nil || !json.Valid(doc) {
		t.Fatalf("the log is not JSON: %v", err)
	}
	return gjson.ParseBytes(doc).Array()
}

// recount holds the record against what the server sent.
func (b *babel) recount(t *testing.T, events []gjson.Result) {
	t.Helper()
	used := map[string]int{} // how many questions of a model and contract the record has told of
	votes := map[string]int{}
	ballots := map[string]int{}
	for _, e := range events {
		p, actor := e.Get("payload"), e.Get("actorId").String()
		kind := map[string]string{
			"POSITION_SEALED": "position", "LEADER_BALLOT_CAST": "nominate", "CONTRIBUTION_MADE": "turn", "TURN_PASSED": "turn",
			"MOTION_MADE": "turn", "SECOND_ANSWERED": "second", "BALLOT_CAST": "ballot", "PHASE_ASSESSED": "assess",
			"SUMMARY_WRITTEN": "summary", "REVIEW_GIVEN": "review", "DISSENT_WRITTEN": "dissent", "DRAFT_WRITTEN": "draft",
		}[e.Get("type").String()]
		faulted := e.Get("type").String() == "MEMBER_FAULTED"
		if faulted {
			kind = p.Get("kind").String()
		}
		if kind != "" {
			key := actor + " reply_" + kind
			if kind == "draft" {
				key = actor + " "
			}
			if kind == "second" { // the only question that is withdrawn, so that not all that was sent is told of
				if said := p.Get("rationale").String(); !faulted && !slices.ContainsFunc(b.heard[key], func(reply string) bool {
					return reply != "" && gjson.Get(reply, "rationale").String() == said
				}) {
					t.Fatalf("%s: nobody sent %q", e.Get("id"), said)
				}
				continue
			}
			sent := b.heard[key]
			if used[key] >= len(sent) {
				t.Fatalf("%s: the record has more answers than were sent to %s: %s", e.Get("id"), key, p)
			}
			reply := sent[used[key]]
			used[key]++
			if faulted != (reply == "") {
				t.Fatalf("%s: %s, and the reply to %s was %.80q", e.Get("id"), e.Get("type"), key, reply)
			}
			said := p.Get("rationale").String() + p.Get("message").String() + p.Get("reason").String() +
				p.Get("motionText").String()
			if mark := gjson.Get(reply, "rationale").String() + gjson.Get(reply, "message").String() +
				gjson.Get(reply, "reason").String() +
				gjson.Get(reply, "motionText").String(); !faulted && said != mark {
				t.Fatalf("%s records %q for the reply %q", e.Get("id"), said, reply)
			}
			standing := "ABSENT"
			voted := kind == "ballot" || kind == "nominate" || kind == "second"
			// something came, and was no vote
			if came := p.Get("fault.kind").String(); voted && (came == "unparsable" || came == "truncated") {
				standing = "INVALID"
			}
			if faulted && p.Get("standing").String() != standing {
				t.Errorf("%s: a %s that is %s: %s", e.Get("id"), kind, p.Get("standing"), p.Get("fault"))
			}
			switch {
			case kind == "ballot" && faulted:
				ballots[strings.ToLower(p.Get("standing").String())]++
			case kind == "ballot":
				ballots[strings.ToLower(gjson.Get(reply, "ballot").String())]++
			case kind == "nominate" && !faulted:
				votes[gjson.Get(reply, "candidateId").String()]++
			}
		}
		switch e.Get("type").String() {
		case "LEADER_ELECTED":
			elected := map[string]int{}
			for _, v := range p.Get("votes").Array() {
				elected[v.Get("candidate").String()] = int(v.Get("votes").Int())
			}
			if !maps.Equal(votes, elected) {
				t.Errorf("%s counts %v, and %v was sent", e.Get("id"), elected, votes)
			}
		case "MOTION_DECIDED", "DRAFT_DECIDED":
			total := 0
			for name, n := range p.Get("count").Map() {
				if total += int(n.Int()); int(n.Int()) != ballots[name] {
					t.Errorf("%s counts %s, and %v was sent", e.Get("id"), p.Get("count"), ballots)
				}
			}
			if total != 3 {
				t.Errorf("%s accounts for %d of 3 ballots", e.Get("id"), total)
			}
			ballots = map[string]int{}
		}
	}
}
