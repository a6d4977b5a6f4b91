package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// impersonations returns the words of testdata/hostile.txt, which are meant to be taken for somebody else's, or to
// count for more than they are.
func impersonations(t *testing.T) (all []string) {
	t.Helper()
	for line := range strings.Lines(readFile(t, filepath.Join(home, "testdata", "hostile.txt"))) {
		if strings.HasPrefix(line, "//") {
			continue
		}
		var words string
		check.OK(t, json.Unmarshal([]byte(line), &words))
		all = append(all, words)
	}
	if len(all) < 100 {
		t.Fatalf("only %d cases", len(all))
	}
	return all
}

// tagged spells a text in characters that nobody sees.
func tagged(text string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, text)
}

// mallory is a model server whose members say the same words where they may choose them. It keeps what each was sent.
type mallory struct {
	root    string // of the record, if seconds are to be given so that no answer comes too late
	mu      sync.Mutex
	words   string
	sealed  string            // said beside them in sealed positions
	tokens  map[string]string // of the fences that members were shown so far: the members share them
	prompts map[string]string // what each call said outside of fences
}

var (
	peerToken = regexp.MustCompile(`<<peer ([0-9a-f]{12}) and`)
	dataToken = regexp.MustCompile(`<<data ([0-9a-f]{12})`)
	lineCount = regexp.MustCompile(`(?m)^(?:\S+|\[data\]), \d+ lines?, numbered`)

	// What a search of memory found, however much that is, and how much more there was to be reminded of.
	remembered = regexp.MustCompile(
		`(?:\n- [0-9-]+, (?:turn|episode|record) \S+: \[peer\])+|\n\d+ more had no room here\.`)
	finding    = regexp.MustCompile(`\nThe recorder finds that it cites what does not exist: \[peer\]`)
	secondName = regexp.MustCompile(`(?m)^- (.*) \(role m2\), id m2$`)
)

// outside is what a prompt says without what stands within its recipient's fences. What the member said itself is its
// own.
func (m *mallory) outside(r counciltest.Request) string {
	var all strings.Builder
	gjson.GetBytes(r.Body, "messages").ForEach(func(_, message gjson.Result) bool {
		fmt.Fprintf(&all, "\n######## %s\n", message.Get("role"))
		if message.Get("role").String() != "assistant" {
			all.WriteString(message.Get("content").String())
		}
		return true
	})
	said := all.String()
	for kind, found := range map[string][]string{"peer": peerToken.FindStringSubmatch(said),
		"data": dataToken.FindStringSubmatch(said)} {
		if found == nil {
			continue
		}
		token := found[1]
		m.tokens[map[string]string{"peer": "{" + r.Model + "}", "data": "{D}"}[kind]] = token
		said = unfenced(said, "<<"+kind+" "+token, token+" "+kind+">>", "["+kind+"]")
		said = strings.ReplaceAll(said, token, "{token}")
	}
	said = finding.ReplaceAllString(remembered.ReplaceAllString(said, "[memory]"), "")
	if name := secondName.FindStringSubmatch(said); name != nil {
		said = strings.ReplaceAll(said, name[1], "Member m2")
	}
	return lineCount.ReplaceAllString(said, "some document")
}

// unfenced returns the text with a mark in place of each passage from one fence to the next.
func unfenced(text, from, to, mark string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, from)
		_, rest, closed := strings.Cut(after, to)
		if !found || !closed {
			return out.String() + text
		}
		out.WriteString(before + mark)
		text = rest
	}
}

// say is the words with the tokens that are known by now in the places for them.
func (m *mallory) say() string {
	words := m.words
	for place, token := range m.tokens {
		words = strings.ReplaceAll(words, place, token)
	}
	return words
}

func (m *mallory) reply(r counciltest.Request) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts[fmt.Sprintf("%s %s %d", r.Model, r.Contract, r.Nth)] = m.outside(r)
	w := m.say()
	line := cut(strings.Join(strings.Fields(w), " "), 150)
	object := func(fields ...any) string {
		all := map[string]any{}
		for i := 0; i < len(fields); i += 2 {
			all[fields[i].(string)] = fields[i+1]
		}
		doc, _ := json.Marshal(all)
		return string(doc)
	}
	switch r.Contract {
	case "reply_position":
		return object("position", w+m.sealed, "confidence", 0.6, "overlooked", []string{w, w})
	case "reply_nominate":
		return object("rationale", w, "candidateId", "m1")
	case "reply_turn":
		return map[string]string{
			"m1": object("action", "CONTRIBUTE", "message", w),
			"m2": object("action", "PASS", "reason", w, "note", w),
			"m3": object("action", "CALL_VOTE", "motionTitle", line, "motionText", w, "decisionIfPass", w),
		}[r.Model]
	case "reply_second": // on two motions of each session
		return object("rationale", w, "stand", "SUPPORT", "second", r.Model == m.seconder(2-r.Nth%2))
	case "reply_ballot": // two motions, then a draft that fails and one that carries
		no := r.Model == "m3" || r.Model == "m2" && r.Nth == 3
		return object("rationale", w, "ballot", map[bool]string{true: "NO", false: "YES"}[no])
	case "reply_assess":
		return object("deliverables", []any{map[string]any{"id": "result", "claim": w, "citations": []string{"e1"},
			"met": true}},
			"qualityGates", []any{}, "assumptions", []string{w}, "risks", []any{map[string]any{"risk": w, "mitigation": w}},
			"citations", []string{"e1"})
	case "reply_summary":
		return object("summaryMarkdown", w, "requiresExecution", true, "executionBrief", map[string]any{
			"objective": w, "recommendedExecutorProfile": line, "motions": []string{counciltest.Carried(r)},
			"steps": []string{w, w}, "risks": []string{w}, "acceptanceCriteria": []string{w}})
	case "reply_review":
		return object("criticalBlockers", []any{map[string]any{"id": "b1", "section": line, "problem": w, "impact": w,
			"requiredChange": w, "severity": "high"}},
			"suggestedChanges", []string{w})
	case "reply_dissent":
		return object("dissent", w)
	}
	if r.Nth == 1 {
		return "# Report\n\n" + w
	}
	answers, _ := json.Marshal(map[string]any{"responses": map[string]string{
		"d1.m2.b1": "rejected - " + line, "d1.m3.b1": "deferred - " + line}})
	return "# Report\n\nNot so.\n\n" + string(answers)
}

func cut(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes])
	}
	return s
}

// account is all of a session that must not depend on the words in it.
type account struct {
	Events  []any
	Session any
	Handoff any
	Prompts map[string]string
}

// seconder is who seconds the n-th motion of the session under way: of those asked whoever counts last, so that the
// other's answer is always recorded.
func (m *mallory) seconder(n int) string {
	logs, _ := filepath.Glob(filepath.Join(m.root, "sessions", "*", "events.json"))
	slices.SortFunc(logs, func(a, b string) int { return lastWrite(a).Compare(lastWrite(b)) })
	if len(logs) == 0 {
		return "m2"
	}
	session := filepath.Base(filepath.Dir(logs[len(logs)-1]))
	return lot(session, fmt.Sprintf("p%d.r1.t3", n), "m1", "m2")[1]
}

// lastWrite is when a file was written last.
func lastWrite(path string) time.Time {
	if info, err := os.Stat(path); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// invisible reports whether a terminal is not to be sent r.
func invisible(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }

// accountOf is the account of the last session in a record, from what was sent and written. That words forge no line of
// a transcript or of a terminal is tested in recorder/render and terminal.
func accountOf(t *testing.T, d *workplace, m *mallory) account {
	t.Helper()
	got := account{Prompts: m.prompts}
	for _, e := range gjson.Parse(d.wrote("events.json")).Array() {
		got.Events = append(got.Events, masked(e.Value(), e.Get("type").String()))
	}
	got.Session = masked(gjson.Parse(d.wrote("session.json")).Value(), "")
	handoff := d.wrote("execution-handoff.json")
	got.Handoff = masked(gjson.Parse(handoff).Value(), "")
	check.Is(t, "the handoff says", "AWAITING_APPROVAL", gjson.Get(handoff, "status").String())
	return got
}

// chosen are the fields whose words a member chooses, and those that follow from the place and the time of a test.
var chosen = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(
		`position overlooked rationale message note motionTitle motionText decisionIfPass claim
		assumptions risk risks mitigation summaryMarkdown finalResolution objective recommendedExecutorProfile steps
		acceptanceCriteria markdown section problem impact requiredChange suggestedChanges dissent title text decision
		sessionId session timestamp digest sum salt sha256 fileSha256 briefSha256 baseUrl rootDir memoryDir openedAt closedAt checkpoint
		usage spent tokens tokenShare executorProfile bytes url cited name reported query at result root`) {
		names[name] = true
	}
	return names
}()

// uncounted are the fields that hold as much as the words give rise to: what did not hold of citations, what memory has
// to say, and families of models that servers name. Found are those that count secrets and hidden characters in words.
var uncounted = map[string]bool{"unfounded": true, "records": true, "hits": true, "families": true, "given": true,
	"recalled": true}

var found = map[string]bool{"cut": true, "hidden": true, "cutReplies": true, "hiddenReplies": true, "secrets": true,
	"cutLookups": true, "hiddenLookups": true}

// masked replaces what may differ, and keeps how much of it there is.
func masked(v any, eventType string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			v[name] = masked(field, eventType)
			list, many := field.([]any)
			switch {
			case many && found[name], name == "elapsedMs", name == "promptCut":
				delete(v, name)
			case uncounted[name], !many && chosen[name], name == "reason" && eventType == "TURN_PASSED":
				v[name] = "*"
			case many && chosen[name] && name != "session":
				v[name] = fmt.Sprintf("%d of them", len(list))
			}
		}
	case []any:
		for i := range v {
			v[i] = masked(v[i], eventType)
		}
	}
	return v
}
