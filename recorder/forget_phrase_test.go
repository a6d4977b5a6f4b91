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
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/expunge"
)

// Every word of the session is a phrase, all at once: none is left, and the record holds.
func TestForgetting_PhrasesAreGone(t *testing.T) {
	t.Parallel()
	root, path, entries := spoken(t)
	var words []string
	for _, e := range entries {
		words = append(words, tokensOf(t, e.Payload)...)
	}
	done := check.Get(root.Forget(sessionID, expunge.Erasing{Phrases: words}, fixed))(t)
	gone(t, path, words...)
	vouched(t, root, len(done.Events))
	s, err := root.List()
	check.That(t, err == nil && s[0].Topic == council.ForgottenMark && s[0].Outcome != nil, "%+v, %v", s, err)
}

// A text that holds a phrase goes whole, and a brief with all its texts. Other texts of the event stay.
func TestForgetting_PhraseTakesTheTextThatHoldsIt(t *testing.T) {
	root, path, _ := spoken(t)
	phrases := []string{token("d2.draft.ada", "draft"), token("summary.ada", "step")}
	check.Get(root.Forget(sessionID, expunge.Erasing{Phrases: phrases}, fixed))(t)
	gone(t, path, "About "+phrases[0], token("summary.ada", "objective"), token("summary.ada", "criterion"))
	files := folder(t, inSession(path, ""))
	for name := range files {
		check.That(t, !strings.Contains(name, "documentation.md") && !strings.Contains(name, "draft.v2"),
			"%s was written of half a document", name)
	}
	check.Says(t, files["events.json"]+files["/events.json"], token("d1.draft.ada", "draft"),
		token("summary.ada", "summary"))
	vouched(t, root, 2)
}

// A reminder of an erased record or a recollection of an erased turn goes, found by its id, and no other text of the
// opening.
func TestForgetting_RemindersAreFoundByTheirIDs(t *testing.T) {
	_, path, _ := spoken(t)
	tokens := []string{topicToken, documentToken, purposeToken, reminderToken, ownToken, recallToken}
	for _, test := range []struct {
		id, gone string
		event    council.Seq
	}{{"r-000000000002", ownToken, 1}, {"20261101-081500-old-7f3k2a.e12", recallToken, 2}} {
		root, path := copyOf(t, path)
		done, err := root.Forget(sessionID, expunge.Erasing{Recalls: []string{test.id}}, fixed)
		if err != nil || !slices.Equal(done.Events, []council.Seq{test.event}) {
			t.Fatalf("%s: want event %d to lose words, got %+v, %v", test.id, test.event, done, err)
		}
		gone(t, path, test.gone)
		log := folder(t, path)["sessions/"+string(sessionID)+"/events.json"]
		for _, stays := range tokens {
			if stays != test.gone && !strings.Contains(log, stays) {
				t.Errorf("%s: %s, which is another text, is gone too", test.id, stays)
			}
		}
		vouched(t, root, 1)
	}
}

// No digest is left by which somebody who guesses forgotten words could see that he is right: neither the salt, nor
// what covers a prompt, nor a sum over what was said.
func TestForgetPhrase_NothingIsLeftToGuessBy(t *testing.T) {
	root, path, _ := spoken(t)
	before := folder(t, inSession(path, "conversations"))
	check.Get(root.Forget(sessionID, expunge.Erasing{Phrases: []string{token("p1.r1.t1.turn.ada", "message")}}, fixed))(t)
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
		check.Is(t, name, true, after)
	}
}

// Lines of conversations that lose their texts keep the questions, models and costs. Lines before the first erased
// event stay as they are.
func TestForgetting_ConversationsKeepQuestionsAndCosts(t *testing.T) {
	root, path, entries := spoken(t)
	before := folder(t, inSession(path, "conversations"))
	check.Get(root.Forget(sessionID, expunge.Erasing{Events: []council.Seq{entries[len(entries)/2].Seq}}, fixed))(t)
	for name, text := range folder(t, inSession(path, "conversations")) {
		was, stays := strings.Split(before[name], "\n"), 0
		for i, line := range strings.Split(text, "\n") {
			switch {
			case line == was[i]:
				stays++
			case tokenForm.MatchString(line):
				t.Errorf("%s, line %d still holds words: %s", name, i+1, line)
			}
		}
		check.That(t, stays >= 4 && stays != len(was), "%s keeps %d of %d lines as they were", name, stays, len(was))
		for _, kept := range []string{`"ask":`, `"usage":`, `"configured":`} {
			got, want := strings.Count(text, kept), strings.Count(before[name], kept)
			check.That(t, got == want, "%s has %s %d times, and had it %d times", name, kept, got, want)
		}
	}
}

// Files that repairs and rebuilds set aside may hold words in any form: they go. A person's own file stays.
func TestForgetting_RemovesFilesSetAside(t *testing.T) {
	root, path, _ := spoken(t)
	word := token("p1.r1.t1.turn.ada", "message")
	write(t, inSession(path, "transcript.md.edited-20261121T081500Z"), "I think "+word+" is right.")
	write(t, inSession(path, "conversations/ada.jsonl.torn-1"), `{"content":"`+word[:6]+`\\u0`)
	write(t, inSession(path, "events.json.torn-1"), "…"+strings.ReplaceAll(word, "q", `\u0071`)+"…")
	write(t, inSession(path, "mine.txt"), "my own")
	edit(t, inSession(path, "leader-summary.md"), func(s string) string { return s + "\nAs to " + word + ", no.\n" })
	check.Get(root.Forget(sessionID, expunge.Erasing{Phrases: []string{word}}, fixed))(t)
	gone(t, path, word)
	for name := range folder(t, inSession(path, "")) {
		check.Is(t, name, false, atomicfile.IsAside(name))
	}
	check.Get(os.Stat(inSession(path, "mine.txt")))(t)
}

func TestForgetPhrase_AnchorsVouchOn(t *testing.T) {
	root, _, entries := spoken(t)
	private, key, err := note.GenerateKey(nil, "council")
	signer, made := note.NewSigner(private)
	check.OK(t, errors.Join(err, made))
	text := check.Get(note.Sign(&note.Note{Text: anchor.NewTree(sessionID, entries).Checkpoint(len(entries)).Text()},
		signer))(t)
	var all []council.Seq
	for _, e := range entries {
		all = append(all, e.Seq)
	}
	check.Get(root.Forget(sessionID, expunge.Erasing{Events: all}, fixed))(t)
	report, err := root.Verify(sessionID,
		recorder.Trust{Anchors: []anchor.Source{{Name: "friend", Text: text, Outside: true}}, Keys: []string{key}})
	if n, _ := anchor.Reach(report.Anchors); err != nil || n != len(entries) {
		t.Fatalf("%d of %d events are vouched for, %v: %q", n, len(entries), err, findings(report))
	}
}

func TestForgetPhrase_ForgettingIsRefused(t *testing.T) {
	root, path := openRoot(t)
	h, err := convene(root, fixed)
	check.OK(t, err)
	what := expunge.Erasing{Events: []council.Seq{1}}
	check.ErrorIs(t, "a session that is being written", recorder.ErrLocked, check.Err(root.Forget(sessionID, what, fixed)))
	check.OK(t, h.record.Close())
	before := folder(t, inSession(path, ""))
	check.ErrorIs(t, "a session under way", recorder.ErrNotClosed, check.Err(root.Forget(sessionID, what, fixed)))
	if h, err = reconvene(root, fixed); err == nil {
		err = h.sit()
	}
	check.OK(t, err)
	for name, what := range map[string]expunge.Erasing{
		"no such event": {Events: []council.Seq{999}}, "event 0": {Events: []council.Seq{0}},
	} {
		check.ErrorIs(t, name, recorder.ErrBadForgetPlan, check.Err(root.Forget(sessionID, what, fixed)))
	}
	check.ErrorIs(t, "an unknown session", recorder.ErrUnknownSession,
		check.Err(root.Forget("20261121-081500-nobody-7f3k2a", what, fixed)))
	write(t, inSession(path, "events.json"),
		strings.Replace(folder(t, inSession(path, ""))["events.json"]+before["events.json"], "We do", "We die", 1))
	check.ErrorIs(t, "a damaged session", recorder.ErrDamaged, check.Err(root.Forget(sessionID, what, fixed)))
}

// Texts that the rules compare stay where they would decide otherwise.
func TestForgetting_KeepsWhatThePhaseMustShow(t *testing.T) {
	root, path, _ := spoken(t)
	done := check.Get(root.Forget(sessionID,
		expunge.Erasing{Events: []council.Seq{1}, Phrases: []string{"result"}}, fixed))(t)
	log := folder(t, path)["sessions/"+string(sessionID)+"/events.json"]
	check.That(t, strings.Contains(log, `"id":"result"`) && !strings.Contains(log, topicToken),
		"want the claim about the result to stay and the topic to go")
	vouched(t, root, len(done.Events))
}

// Whatever is forgotten, in whatever order, the session verifies, and what was to go is gone.
func TestForgetPhrase_AnyForgettingVerifies(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	_, path, entries := spoken(t)
	var words []string
	for _, e := range entries {
		words = append(words, tokensOf(t, e.Payload)...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		root, path := copyOf(t, path)
		defer os.RemoveAll(path)
		for range rapid.IntRange(1, 2).Draw(rt, "times") {
			what := expunge.Erasing{
				Phrases: rapid.SliceOfN(rapid.SampledFrom(append(words, "I “mean” it", "About", "result", "Because of")), 0,
					3).Draw(rt, "phrases"),
			}
			for _, i := range rapid.SliceOfN(rapid.IntRange(1, len(entries)), 0, 8).Draw(rt, "events") {
				what.Events = append(what.Events, council.Seq(i))
			}
			done := check.Get(root.Forget(sessionID, what, fixed))(rt)
			if !slices.Contains(what.Phrases, "result") { // else what the rules compare stays
				gone(t, path, what.Phrases...)
			}
			vouched(t, root, len(done.Events))
		}
	})
}

// A session of which words were forgotten can be ruled on.
func TestForgetPhrase_ARulingFollowsForgottenWords(t *testing.T) {
	root, path, _ := spoken(t)
	draft := token("d2.draft.ada", "draft")
	check.Get(root.Forget(sessionID, expunge.Erasing{Phrases: []string{draft}}, fixed))(t)
	record := check.Get(root.Resume(sessionID, fixed))(t)
	session := check.Get(rules.Replay(rules.Log(expunge.Restate(record.Entries())...)))(t)
	sha := session.Handoff().BriefSHA256
	started := check.Get(session.Rule(council.ExecutionStarted{By: "maria", BriefSHA256: sha}))(t)
	check.OK(t, errors.Join(record.Append(started), record.Finalize(), record.Close()))
	gone(t, path, draft)
	vouched(t, root, 1)
}
