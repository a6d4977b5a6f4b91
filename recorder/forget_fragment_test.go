package recorder_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/expunge"
)

// Every word of the session is forgotten as a fragment, all at once: what was given stays until the opening is named.
func TestFragmentsAreGoneWhereverTheyStand(t *testing.T) {
	t.Parallel()
	root, path := openRoot(t)
	entries := spoken(t, root)
	given := []string{topicToken, documentToken, purposeToken}
	var words []string
	for _, e := range entries {
		words = append(words, tokensOf(t, e.Payload)...)
	}
	done, err := root.Forget(sessionID, recorder.ForgetPlan{Fragments: words}, fixed)
	if err != nil {
		t.Fatal(err)
	}
	said := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(given, w) })
	gone(t, path, said...)
	vouched(t, root, len(done.Events))
	if left := strings.Join(done.Left, "; "); !strings.Contains(left, "the topic of event e1") &&
		!strings.Contains(left, "the charter of event e1") {
		t.Errorf("it is not told what is left: %q", left)
	}
	if log := folder(t, path)["sessions/"+string(sessionID)+"/events.json"]; !strings.Contains(log,
		"About [forgotten] – I") {
		t.Error("more is gone than the fragments")
	}
	done, err = root.Forget(sessionID, recorder.ForgetPlan{Events: []council.Seq{1}, Fragments: words}, fixed)
	if err != nil || len(done.Left) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	gone(t, path, words...)
	vouched(t, root, len(done.Events))
	if s, err := root.List(); err != nil || s[0].Topic != council.ForgottenMark || s[0].Outcome == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// What a digest names goes whole: what is left of it would make the rest easy to guess.
func TestAFragmentTakesADraftAndABriefWithIt(t *testing.T) {
	root, path := openRoot(t)
	spoken(t, root)
	fragments := []string{token("d2.draft.ada", "draft"), token("summary.ada", "step")}
	if _, err := root.Forget(sessionID, recorder.ForgetPlan{Fragments: fragments}, fixed); err != nil {
		t.Fatal(err)
	}
	gone(t, path, "About "+fragments[0], token("summary.ada", "objective"), token("summary.ada", "criterion"))
	files := folder(t, inSession(path, ""))
	for name := range files {
		if strings.Contains(name, "documentation.md") || strings.Contains(name, "draft.v2") {
			t.Errorf("%s was written of half a document", name)
		}
	}
	if !strings.Contains(files["/documentation.draft.v1.md"]+files["documentation.draft.v1.md"],
		token("d1.draft.ada", "draft")) {
		t.Error("the first draft is gone too")
	}
	vouched(t, root, 2)
}

// No digest is left by which somebody who guesses forgotten words could see that he is right: neither the salt, nor
// what covers a prompt, nor a sum over what was said.
func TestNothingIsLeftToGuessBy(t *testing.T) {
	root, path := openRoot(t)
	spoken(t, root)
	before := folder(t, inSession(path, "conversations"))
	if _, err := root.Forget(sessionID, recorder.ForgetPlan{Fragments: []string{token("p1.r1.t1.turn.ada", "message")}},
		fixed); err != nil {
		t.Fatal(err)
	}
	log, _ := os.ReadFile(inSession(path, "events.json"))
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, `"forgotten":true`) == strings.Contains(line, `"salt":`) &&
			strings.Contains(line, `"seq":`) {
			t.Errorf("salted and forgotten: %.200s", line)
		}
	}
	for name, text := range folder(t, inSession(path, "conversations")) {
		after := false
		was := strings.Split(before[name], "\n")
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			after = after || strings.Contains(line, `"forgotten":true`)
			if after && strings.Contains(line, `"promptSha256"`) {
				t.Errorf("%s, line %d has the digest of a prompt that held the words", name, i+1)
			}
			if sum := line[strings.Index(line, `"sum":`):]; after == strings.HasSuffix(was[i], sum) {
				t.Errorf("%s, line %d: after the words %v, its sum is the old one %v", name, i+1, after, !after)
			}
		}
		if !after {
			t.Errorf("%s lost nothing", name)
		}
	}
}

func TestWhatWasPutAsideIsCleansed(t *testing.T) {
	root, path := openRoot(t)
	spoken(t, root)
	word := token("p1.r1.t1.turn.ada", "message")
	write(t, inSession(path, "transcript.md.edited-20261121T081500Z"), "I think "+word+" is right.")
	write(t, inSession(path, "conversations/ada.jsonl.torn-1"),
		`{"type":"assistant","content":[{"type":"text","text":"{\"message\":\"`+word[:6]+`\\u0`)
	write(t, inSession(path, "events.json.torn-1"), "…"+strings.ReplaceAll(word, "q", `\u0071`)+"…")
	write(t, inSession(path, "mine.txt"), word)
	edit(t, inSession(path, "leader-summary.md"), func(s string) string { return s + "\nAs to " + word + ", no.\n" })
	done, err := root.Forget(sessionID, recorder.ForgetPlan{Fragments: []string{word}}, fixed)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(inSession(path, "transcript.md.edited-20261121T081500Z")); err != nil ||
		string(text) != "I think [forgotten] is right." {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(inSession(path, "events.json.torn-1")); err == nil {
		t.Errorf("it was not taken away: %+v", done)
	}
	if _, err := os.Stat(inSession(path, "conversations/ada.jsonl.torn-1")); err != nil {
		t.Error(err)
	}
	if len(done.Left) != 1 || !strings.HasPrefix(done.Left[0], "mine.txt") {
		t.Errorf("left: %q", done.Left)
	}
	if err := os.Remove(inSession(path, "mine.txt")); err != nil {
		t.Fatal(err)
	}
	gone(t, path, word)
}

func TestAnchorsVouchOn(t *testing.T) {
	root, _ := openRoot(t)
	entries := spoken(t, root)
	private, key, err := note.GenerateKey(nil, "council")
	signer, made := note.NewSigner(private)
	if err := errors.Join(err, made); err != nil {
		t.Fatal(err)
	}
	text, err := note.Sign(&note.Note{Text: anchor.NewTree(sessionID, entries).Checkpoint(len(entries)).Text()}, signer)
	if err != nil {
		t.Fatal(err)
	}
	var all []council.Seq
	for _, e := range entries {
		all = append(all, e.Seq)
	}
	if _, err := root.Forget(sessionID, recorder.ForgetPlan{Events: all}, fixed); err != nil {
		t.Fatal(err)
	}
	report, err := root.Verify(sessionID,
		recorder.Trust{Anchors: []anchor.Source{{Name: "friend", Text: text, Outside: true}}, Keys: []string{key}})
	if n, _ := report.VouchedFor(); err != nil || n != len(entries) {
		t.Fatalf("%d of %d events are vouched for, %v: %q", n, len(entries), err, findings(report))
	}
}

func TestForgettingIsRefused(t *testing.T) {
	root, path := openRoot(t)
	h, err := convene(root, fixed)
	if err != nil {
		t.Fatal(err)
	}
	what := recorder.ForgetPlan{Events: []council.Seq{1}}
	if _, err := root.Forget(sessionID, what, fixed); !errors.Is(err, recorder.ErrLocked) {
		t.Errorf("a session that is being written: %v", err)
	}
	if err := h.record.Close(); err != nil {
		t.Fatal(err)
	}
	before := folder(t, inSession(path, ""))
	if _, err := root.Forget(sessionID, what, fixed); !errors.Is(err, recorder.ErrNotClosed) {
		t.Errorf("a session under way: %v", err)
	}
	if h, err = reconvene(root, fixed); err == nil {
		err = h.sit()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, what := range map[string]recorder.ForgetPlan{
		"no such event": {Events: []council.Seq{999}}, "event 0": {Events: []council.Seq{0}},
		"a letter": {Fragments: []string{"e"}}, "space": {Fragments: []string{"      "}},
		"no text": {Fragments: []string{"\xff\xff\xff\xff\xff"}},
	} {
		if _, err := root.Forget(sessionID, what, fixed); !errors.Is(err, recorder.ErrVague) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := root.Forget("20261121-081500-nobody-7f3k2a", what, fixed); !errors.Is(err, recorder.ErrUnknownSession) {
		t.Errorf("an unknown session: %v", err)
	}
	write(t, inSession(path, "events.json"),
		strings.Replace(folder(t, inSession(path, ""))["events.json"]+before["events.json"], "We do", "We die", 1))
	if _, err := root.Forget(sessionID, what, fixed); !errors.Is(err, recorder.ErrDamaged) {
		t.Errorf("a damaged session: %v", err)
	}
}

// What the rules hold claims against stays, and it is told where.
func TestWhatAPhaseMustShowStays(t *testing.T) {
	root, _ := openRoot(t)
	spoken(t, root)
	done, err := root.Forget(sessionID,
		recorder.ForgetPlan{Events: []council.Seq{1}, Fragments: []string{"result"}}, fixed)
	if err != nil || !strings.Contains(strings.Join(done.Left, "\n"), "a claim is about or cites of event") {
		t.Fatalf("%q, %v", done.Left, err)
	}
	vouched(t, root, len(done.Events))
}

// Whatever is forgotten, in whatever order, the session verifies, and what was to go is gone.
func TestAnyForgettingVerifies(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	first, path := openRoot(t)
	entries := spoken(t, first)
	var words []string
	for _, e := range entries {
		words = append(words, tokensOf(t, e.Payload)...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		root, path := copyOf(t, path)
		defer os.RemoveAll(path)
		for range rapid.IntRange(1, 2).Draw(rt, "times") {
			what := recorder.ForgetPlan{
				Fragments: rapid.SliceOfN(rapid.SampledFrom(append(words, "I “mean” it", "About", "result", "Because of")), 0,
					3).Draw(rt, "fragments"),
			}
			for _, i := range rapid.SliceOfN(rapid.IntRange(1, len(entries)), 0, 8).Draw(rt, "events") {
				what.Events = append(what.Events, council.Seq(i))
			}
			done, err := root.Forget(sessionID, what, fixed)
			if err != nil {
				rt.Fatal(err)
			}
			if len(done.Left) == 0 {
				gone(t, path, what.Fragments...)
			}
			vouched(t, root, len(done.Events))
		}
	})
}

// A session of which words were forgotten can be ruled on.
func TestARulingFollowsForgottenWords(t *testing.T) {
	root, path := openRoot(t)
	spoken(t, root)
	draft := token("d2.draft.ada", "draft")
	if _, err := root.Forget(sessionID, recorder.ForgetPlan{Fragments: []string{draft}}, fixed); err != nil {
		t.Fatal(err)
	}
	record, err := root.Resume(sessionID, fixed)
	if err != nil {
		t.Fatal(err)
	}
	session, err := rules.Replay(rules.Log(expunge.Restated(record.Entries())...))
	if err != nil {
		t.Fatal(err)
	}
	_, sha := session.Brief()
	started, err := session.Rule(council.ExecutionStarted{By: "maria", BriefSHA256: sha})
	if err == nil {
		err = record.Append(started)
	}
	if err := errors.Join(err, record.Finalize(), record.Close()); err != nil {
		t.Fatal(err)
	}
	gone(t, path, draft)
	vouched(t, root, 1)
}
