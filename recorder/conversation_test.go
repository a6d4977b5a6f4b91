package recorder_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
)

// table is a session in which nothing happens but conversations.
type table struct {
	*testing.T
	root   *recorder.Root
	path   string
	record *recorder.Session
}

func newTable(t *testing.T) *table {
	root, path := openRoot(t)
	tb := &table{t, root, path, check.Get(convene(root, fixed))(t).record}
	t.Cleanup(func() { _ = tb.record.Close() })
	return tb
}

// crash gives the session back and takes it up again, as after a kill.
func (tb *table) crash() {
	tb.Helper()
	check.OK(tb, tb.record.Close())
	var err error
	if tb.record, err = tb.root.Resume(sessionID, fixed); err != nil {
		tb.Fatal(err)
	}
}

func (tb *table) ada() *conversation.CallLog {
	tb.Helper()
	return check.Get(tb.record.Conversation("ada"))(tb)
}

// lines returns the conversation's lines without their sums.
func (tb *table) lines() []string {
	tb.Helper()
	text := check.Get(os.ReadFile(inSession(tb.path, "conversations/ada.jsonl")))(tb)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\"}\n") || !json.Valid([]byte(line)) {
			tb.Fatalf("no line of JSON: %q", line)
		}
		body, _, _ := strings.Cut(line, `,"sum":"`)
		lines = append(lines, body+"}")
	}
	return lines
}

// ask returns a prompt of one message.
func ask(id council.AskID, words string) *prompt.Prompt {
	c := charter()
	return &prompt.Prompt{View: council.View{Ask: council.Ask{ID: id, Member: "ada"}, Seat: &c.Members[0]},
		Try: 1, System: prompt.System{Shared: "shared", Persona: "You are Ada."},
		Messages: []prompt.Message{{Role: prompt.User, Content: words}}, Digest: council.Digest(words)}
}

var reply = prompt.Completion{
	Text: "Yes.", Stop: prompt.StopEnd, RequestID: "r1",
	Usage: council.Usage{Model: "m-1", Calls: 2, InputTokens: 3, CachedTokens: 4, CacheWriteTokens: 5, OutputTokens: 6,
		ElapsedMS: 7},
	Cut: []council.Cut{{Kind: "openai-key", Count: 2}}, Hidden: []council.Cut{{Kind: "tag", Count: 3}},
}

func TestConversation_Lines(t *testing.T) {
	tb := newTable(t)
	first, second := ask("position.ada", "What do you think?"), ask("nominate.ada", "Who?")
	second.Messages = append(first.Messages, prompt.Message{Role: prompt.Assistant, Content: "Yes."}, second.Messages[0])
	second.Fresh = 1
	again := ask("p1.ada", "From the start")
	again.Restart = 1
	check.OK(tb, tb.ada().Asked(first))
	check.OK(tb, tb.ada().Answered(first, reply))
	check.OK(tb, tb.ada().Asked(second))
	check.OK(tb, tb.ada().Failed(second, council.Fault{Kind: council.FaultAuth, Message: "no"}, council.Usage{}))
	check.OK(tb, tb.ada().Asked(second))
	check.OK(tb, tb.ada().Asked(again))
	const at = `"at":"2026-11-21T08:15:00.000Z"}`
	system := `{"type":"system","sharedSha256":"` + council.Digest("shared") + `","persona":"You are Ada."}`
	want := []string{
		system,
		`{"type":"user","ask":"position.ada","try":1,"promptSha256":"` + first.Digest +
			`","messages":[{"role":"user","content":"What do you think?"}],` + at,
		`{"type":"assistant","ask":"position.ada","try":1,"content":[{"type":"text","text":"Yes."}],"stop":"end","usage":{"model":"m-1","calls":2,"inputTokens":3,"cachedTokens":4,` +
			`"cacheWriteTokens":5,"outputTokens":6,"elapsedMs":7},"configured":{"provider":"script","model":"script"},"reported":"m-1","requestId":"r1","latencyMs":7,` +
			`"cut":[{"kind":"openai-key","count":2}],"hidden":[{"kind":"tag","count":3}],` + at,
		`{"type":"user","ask":"nominate.ada","try":1,"promptSha256":"` + second.Digest +
			`","messages":[{"role":"assistant","content":"Yes."},{"role":"user","content":"Who?"}],` + at,
		`{"type":"error","ask":"nominate.ada","try":1,"fault":{"kind":"auth","message":"no"},` + at,
		`{"type":"user","ask":"nominate.ada","try":1,"promptSha256":"` + second.Digest + `",` + at,
		system,
		`{"type":"user","ask":"p1.ada","try":1,"restart":1,"promptSha256":"` + again.Digest +
			`","messages":[{"role":"user","content":"From the start"}],` + at,
	}
	check.Equal(t, "lines", want, tb.lines())
}

func TestConversation_RecallsAReply(t *testing.T) {
	tb := newTable(t)
	p := ask("position.ada", "What?")
	if _, known, err := tb.ada().Recall(p); known || err != nil {
		t.Fatalf("before it was asked: %v, %v", known, err)
	}
	check.OK(tb, tb.ada().Asked(p))
	if _, known, err := tb.ada().Recall(p); known || err != nil {
		t.Fatalf("before it was answered: %v, %v", known, err)
	}
	before := tb.lines()
	tb.crash()
	check.OK(tb, tb.ada().Asked(p))
	check.Equal(t, "asked once more after a crash", before, tb.lines())
	check.OK(tb, tb.ada().Answered(p, reply))
	for _, when := range []string{"in the same process", "after a crash"} {
		got, known, err := tb.ada().Recall(p)
		if err != nil || !known {
			t.Fatalf("%s: %v, %v", when, known, err)
		}
		check.Equal(t, when, reply, got)
		tb.crash()
	}
	repair := p
	repair.Try, repair.Digest = 2, council.Digest("repair")
	if _, known, err := tb.ada().Recall(repair); known || err != nil {
		t.Fatalf("another try: %v, %v", known, err)
	}
}

func TestConversation_KeepsRepliesVerbatim(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "no UTF-8": "a\xff\xfeb", "controls": "\x1b[2J\x00\u202e\u200b\u2028\U000e0041",
		"quotes": "\"\\\n</script>", "words": "Ærger 我们 🗳️",
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			p := ask("position.ada", "What about "+strings.ToValidUTF8(text, "")+"?")
			check.OK(tb, tb.ada().Asked(p))
			check.OK(tb, tb.ada().Answered(p, prompt.Completion{Text: text, Stop: prompt.StopEnd}))
			tb.crash()
			got, known, err := tb.ada().Recall(p)
			if err != nil || !known || got.Text != text {
				t.Fatalf("%q, %v, %v; want %q", got.Text, known, err, text)
			}
			for _, line := range tb.lines() {
				for _, r := range line {
					if !unicode.IsPrint(r) && !unicode.Is(unicode.Variation_Selector, r) {
						t.Errorf("%U stands raw in the file", r)
					}
				}
			}
		})
	}
}

func TestConversation_ReportsADivergingQuestion(t *testing.T) {
	tb := newTable(t)
	p, other := ask("position.ada", "What?"), ask("position.ada", "What else?")
	check.OK(tb, tb.ada().Asked(p))
	tb.crash()
	_, _, recalled := tb.ada().Recall(other)
	for verb, err := range map[string]error{"recall": recalled, "ask": tb.ada().Asked(other),
		"answer": tb.ada().Answered(other, reply)} {
		want := fmt.Sprintf(`the conversation of ada has diverged at position.ada, try 1: the question is not the same: `+
			`line 1 was "What?" and would be "What else?". The prompt on record has the digest %.12s, and now it would have %.12s`,
			p.Digest, other.Digest)
		check.That(t, errors.Is(err, conversation.ErrDiverged) && err.Error() == want, "%s: %v, want %s", verb, err, want)
	}
	check.Is(t, "something was written", 2, len(tb.lines()))
}

func TestConversation_TakesOneAnswerAQuestion(t *testing.T) {
	tb := newTable(t)
	p := ask("position.ada", "What?")
	check.That(t, tb.ada().Answered(p, reply) != nil && tb.ada().Failed(p, council.Fault{}, council.Usage{}) != nil,
		"what was not asked was answered")
	check.OK(tb, tb.ada().Asked(p))
	check.OK(tb, tb.ada().Answered(p, reply))
	check.That(t, tb.ada().Answered(p, reply) != nil && tb.ada().Failed(p, council.Fault{}, council.Usage{}) != nil &&
		tb.ada().Asked(p) != nil, "what was answered was asked or answered again")
}

func TestConversation_ListsAmbiguousQuestions(t *testing.T) {
	tb := newTable(t)
	answered, failed, retried, open := ask("a1", "1"), ask("a2", "2"), ask("a3", "3"), ask("a4", "4")
	fault := council.Fault{Kind: council.FaultTransport, Message: "gone"}
	for _, p := range []*prompt.Prompt{answered, failed, retried, open} {
		check.OK(tb, tb.ada().Asked(p))
	}
	check.OK(tb, tb.ada().Answered(answered, reply))
	check.OK(tb, tb.ada().Failed(failed, fault, council.Usage{}))
	check.OK(tb, tb.ada().Failed(retried, fault, council.Usage{}))
	check.OK(tb, tb.ada().Asked(retried))
	tb.crash()
	want := []council.AskID{"a4", "a3"}
	check.Equal(t, "the conversation's", want, tb.ada().Opened.Unanswered())
	check.Equal(t, "the session's", want, check.Get(tb.record.Ambiguous())(tb))
}

func TestConversation_RefusesDamage(t *testing.T) {
	tb := newTable(t)
	p := ask("a1", "1")
	check.OK(tb, tb.ada().Asked(p))
	check.OK(tb, tb.ada().Answered(p, reply))
	name := inSession(tb.path, "conversations/ada.jsonl")
	write(t, name, strings.Replace(string(check.Get(os.ReadFile(name))(t)), "Yes.", "No!!", 1))
	tb.crash()
	err := check.Err(tb.record.Conversation("ada"))
	check.ErrorIs(t, "a damaged conversation", recorder.ErrDamaged, err)
	check.Fails(t, "a damaged conversation", err, "conversations/ada.jsonl is damaged at entry 3")
}

func TestConversation_RefusesBadMemberIDs(t *testing.T) {
	tb := newTable(t)
	for _, id := range []council.MemberID{"", "..", "../ada", "a/b", "*", "Ada",
		council.MemberID(strings.Repeat("a", 300))} {
		check.Fails(t, id, check.Err(tb.record.Conversation(id)), "")
	}
}
