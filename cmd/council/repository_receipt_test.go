package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/internal/plural"
)

// receiptMatches holds the receipt against what clerk says, counted by hand. Every call is 100 tokens in and 10 out.
//
//	positions    Ada 3 (2 tools), Bob 4 (3 tools), Cyn 2 (1 tool), Dan 1, Eve 1              11 calls
//	election     5                                                                           5
//	round 1      Ada 2 (1 tool), Bob 1, Cyn 1, Dan 1, Eve 3 (a reply and two repairs)        8
//	round 2      Ada 1                                                                       1
//	ballots      Ada 1, Bob 1, Cyn 2 (1 tool), Dan 1, Eve 1                                  6
//	closing      assessment 1, summary 1, Dan's dissent 1, Eve, who abstained, declines 1    4
//
// These are 35 calls, 24 of them after the positions. Bob's cost 0.0007 USD each, the others' 0.0002: in all
// 7 × 0.0007 + 28 × 0.0002 = 0.0105, and after the positions 3 × 0.0007 + 21 × 0.0002 = 0.0063. The calls of tools are
// 8: Ada's 3, Bob's 3, one of which asked for .env and failed, and Cyn's 2. Bob read the vendor's note, with the token
// in it twice.
func receiptMatches(t *testing.T, r *readers) {
	type stance struct {
		Stance    string
		Votes, Of int
	}
	type held struct {
		Member, Event, Stance, Last, Moved, MovedIn string
		Citing                                      []string
	}
	type receipt struct {
		Positions []held
		Stances   int
		Baseline  struct {
			Event, Answer string
			Votes, Of     int
		}
		Outcome          stance
		Changed          string
		Moved, Unknown   int
		Split            struct{ Yes, No, Abstain, Invalid, Absent int }
		Dissents, Faults int
		Models, Families int
		Reported         int
		AfterPositions   struct {
			Calls, Tokens             int
			TokenShare, USD, USDShare float64
		}
	}
	var want, got receipt
	want.Positions = []held{
		{Member: "ada", Event: "e2", Stance: "Yes", Last: "yes", Moved: "NO"},
		{Member: "bob", Event: "e3", Stance: "No", Last: "Yes.", Moved: "YES", MovedIn: "e25", Citing: []string{"e17"}},
		{Member: "cyn", Event: "e4", Stance: "No", Last: "yes", Moved: "YES", MovedIn: "e26",
			Citing: []string{placeInGuide(t, r)}},
		{Member: "dan", Event: "e5", Stance: "No", Last: "no", Moved: "NO"},
		{Member: "eve", Event: "e6", Stance: "No", Moved: "UNKNOWN"},
	}
	want.Stances, want.Outcome, want.Changed = 2, stance{"yes", 3, 3}, "YES"
	want.Baseline.Event, want.Baseline.Answer, want.Baseline.Votes, want.Baseline.Of = "e8", "No", 4, 5
	want.Moved, want.Unknown, want.Dissents, want.Faults = 2, 1, 1, 1
	want.Split.Yes, want.Split.No, want.Split.Abstain = 3, 1, 1
	want.Models, want.Families, want.Reported = 5, 4, 1 // the stand-in calls itself the same for all
	want.AfterPositions.Calls, want.AfterPositions.Tokens = 24, 24*110
	want.AfterPositions.TokenShare, want.AfterPositions.USD, want.AfterPositions.USDShare = 0.686, 0.0063, 0.6
	session := r.file("session.json")
	if err := json.Unmarshal([]byte(gjson.GetBytes(session, "receipt").Raw), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-counted by hand +receipt):\n%s", diff)
	}
	if n := r.clerks.total(); n != 35 {
		t.Errorf("the server counted %d calls", n)
	}
	for seat, n := range map[string]int{"ada": 10, "bob": 7, "cyn": 6, "dan": 5, "eve": 7} {
		if r.clerks.calls[seat] != n {
			t.Errorf("the server counted %d calls of %s, not %d", r.clerks.calls[seat], seat, n)
		}
	}
	if diff := cmp.Diff([]string{"ada workspace.search", "ada workspace.read", "bob workspace.list", "bob workspace.read",
		"bob workspace.read",
		"cyn workspace.search", "ada workspace.search", "cyn workspace.search"}, toolUses(r)); diff != "" {
		t.Errorf("calls of tools (-want +got):\n%s", diff)
	}
	if cost := gjson.GetBytes(session, "usage.cost.total").Float(); cost != 0.0105 {
		t.Errorf("the session cost %v", cost)
	}
	lookupsMatch(t, r, session)
	r.says(&r.out, "Change: 2 of 5 moved; 1 member named no stance before or after, so it is unknown whether they moved; "+
		"a vote at once would have ended otherwise; 68.6 % of the tokens came after the sealed positions.")
	r.says(&r.out, "35 calls, 3,850 tokens (3,500 new, 350 output)")
}

func placeInGuide(t *testing.T, r *readers) string {
	text, err := os.ReadFile(filepath.Join(r.folder, "AGENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), lineOfTheGuide)
	return "AGENTS.md:" + strconv.Itoa(strings.Count(before, "\n")+1)
}

// lookupsMatch holds what is said of tools against a count by hand, and the bytes against what the models' server was
// sent.
func lookupsMatch(t *testing.T, r *readers, session []byte) {
	bytes, all := map[string]int{}, 0
	for _, request := range r.clerks.sent {
		messages := gjson.Get(request, "messages").Array()
		last := messages[len(messages)-1].Get("content")
		if last.IsArray() {
			last = last.Get("0.text")
		}
		if told := toldByTool.FindStringSubmatch(last.String()); told != nil {
			bytes[seatOf[gjson.Get(request, "model").String()]] += len(told[1])
			all += len(told[1])
		}
	}
	want :=
		fmt.Sprintf(
			`[{"member":"ada","calls":3,"failed":0,"bytes":%d},{"member":"bob","calls":3,"failed":1,"bytes":%d},{"member":"cyn","calls":2,"failed":0,"bytes":%d}]`,
			bytes["ada"], bytes["bob"], bytes["cyn"])
	for path, want := range map[string]string{
		"lookups": want, "receipt.lookups": want,
		"cutLookups":                  `[{"member":"bob","kind":"github-token","count":2}]`,
		"receipt.cut":                 `[{"kind":"github-token","given":2,"replies":0,"lookups":2}]`,
		"hiddenLookups":               "",
		"receipt.hidden.#(lookups>0)": "",
	} {
		if got := gjson.GetBytes(session, path+"|@ugly").Raw; got != want {
			t.Errorf("%s is %s, and by hand %s", path, got, want)
		}
	}
	for _, page := range []string{"transcript.md", "leader-summary.md"} {
		for _, words := range []string{
			fmt.Sprintf("**Looked up:** 8 calls of tools (Ada 3, Bob 3, Cyn 2), of which 1 failed; %s bytes came back.",
				plural.Thousands(all)),
			"2 in what was given, github-token (2); 2 in what was looked up, github-token (2).",
		} {
			if !strings.Contains(string(r.file(page)), words) {
				t.Errorf("%s does not say: %s", page, words)
			}
		}
	}
}

// toldByTool is what a tool returned, in what a member was sent.
var toldByTool = regexp.MustCompile(`(?s)^Call \d+ of \d+, .*?:\n<<data [0-9a-f]{12}[ \n](.*)[ \n][0-9a-f]{12} data>>`)
