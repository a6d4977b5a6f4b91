package member

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// seat seats a fake whose only usable reply is "YES".
func seat(m Model) *Seat {
	return &Seat{
		model: m,
		next:  func(v council.View) *prompt.Prompt { return &prompt.Prompt{View: v, Try: 1, Digest: "q1"} },
		parse: func(_ council.View, text string) (council.Body, error) {
			if text != "YES" {
				return nil, fmt.Errorf("%w: ballot is %q", council.ErrBadReply, text)
			}
			return council.Ballot{Ballot: council.ChoiceYes}, nil
		},
		repair: func(p *prompt.Prompt, reply, problem string) *prompt.Prompt {
			return &prompt.Prompt{View: p.View, Try: p.Try + 1, Digest: fmt.Sprintf("q%d: %s: %s", p.Try+1, reply, problem)}
		},
	}
}

func TestSeat(t *testing.T) {
	bad := step{text: "maybe"}
	tests := []struct {
		name  string
		steps []step
		calls int
		fault council.FaultKind // "" means a ballot
		words string
	}{
		{"a usable reply", []step{{text: "YES"}}, 1, "", ""},
		{"a reply repaired at once", []step{bad, {text: "YES"}}, 2, "", ""},
		{"a reply repaired in the end", []step{bad, bad, {text: "YES"}}, 3, "", ""},
		{"never usable", []step{bad}, 3, council.FaultUnparsable, `the last of 3 tries: ballot is "maybe"`},
		{"always empty", []step{{text: " \n"}}, 3, council.FaultEmpty, "the last of 3 tries: the reply was empty"},
		{"empty once", []step{{}, {text: "YES"}}, 2, "", ""},
		{"a member that declines", []step{{text: "I cannot help with that."}}, 3, council.FaultRefusal,
			"declined: I cannot help"},
		{"a provider that filters", []step{{text: "YES", stop: prompt.StopRefusal}}, 1, council.FaultRefusal,
			"the provider stopped the reply"},
		{"cut off, although it could be read", []step{{text: "YES", stop: prompt.StopLength}}, 3, council.FaultTruncated,
			"cut off by the token limit"},
		{"longer than is taken", []step{{text: "YES", stop: prompt.StopTooLong}}, 3, council.FaultTruncated,
			"longer than is taken of one (maxReplyBytes"},
		{"longer than is taken, once", []step{{text: "YES", stop: prompt.StopTooLong}, {text: "YES"}}, 2, "", ""},
		{"cut off once", []step{{text: "YE", stop: prompt.StopLength}, {text: "YES"}}, 2, "", ""},
		{"without a reason for its end", []step{{text: "YES", stop: prompt.StopUnknown}}, 3, council.FaultUnparsable,
			"gave no reason for the end of the reply"},
		{"without a reason once", []step{{text: "YES", stop: prompt.StopUnknown}, {text: "YES"}}, 2, "", ""},
		{"empty and without a reason", []step{{stop: prompt.StopUnknown}}, 3, council.FaultEmpty, "the reply was empty"},
		{"broken off", []step{{text: "YES", stop: prompt.StopFailed}, {text: "YES"}}, 2, "", ""},
		{"an outage", []step{fails(council.FaultTransport, false, 0)}, 1, council.FaultTransport, "the provider's words"},
		{"an outage at the repair", []step{bad, fails(council.FaultRate, false, 0)}, 2, council.FaultRate,
			"the provider's words"},
		{"a context too long", []step{fails(council.FaultContextTooLong, false, 0)}, 1, council.FaultContextTooLong, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{steps: test.steps}
			r, _ := seat(f).Answer(t.Context(), council.View{Ask: council.Ask{ID: "p1.ballot.ada"}})
			if r.Ask != "p1.ballot.ada" || (r.Body == nil) == (r.Fault == nil) || len(f.asked) != test.calls {
				t.Fatalf("%+v after %d calls", r, len(f.asked))
			}
			if test.fault == "" {
				if r.Fault != nil || !reflect.DeepEqual(r.Body, council.Ballot{Ballot: council.ChoiceYes}) ||
					r.Usage.Calls != test.calls {
					t.Errorf("%+v", r)
				}
			} else if r.Fault == nil || r.Fault.Kind != test.fault || !strings.Contains(r.Fault.Message, test.words) {
				t.Errorf("%+v", r.Fault)
			}
			for i, p := range f.asked {
				check.Is(t, "call is try", i+1, p.Try)
			}
		})
	}
}

func TestSeat_ADraftIsAskedForOnceMoreAndThenTaken(t *testing.T) {
	unknown := step{text: "whole", stop: prompt.StopUnknown}
	for _, test := range []struct {
		name    string
		steps   []step
		calls   int
		text    string
		marked  bool  // as one without a reason for its end
		refused []int // tries
	}{
		{"never a reason for its end", []step{unknown}, 2, "whole", true, []int{1}},
		{"a reason when it is asked for again", []step{unknown, {text: "whole"}}, 2, "whole", false, []int{1}},
		{"a bad one in between", []step{unknown, {text: "bad"}, unknown}, 3, "whole", true, []int{1, 2}},
		{"twice without sections", []step{{text: "lacks 2, and is long"}, {text: "lacks 1"}}, 2, "lacks 1", false, []int{1}},
		{"the second lacks more", []step{{text: "lacks 1"}, {text: "lacks 2"}}, 2, "lacks 1", false, []int{2}},
		{"as many, and shorter", []step{{text: "lacks 1, and is long"}, {text: "lacks 1"}}, 2, "lacks 1, and is long",
			false, []int{2}},
		{"an unusable one after it", []step{{text: "lacks 1"}, {text: "bad"}}, 2, "lacks 1", false, []int{2}},
		{"a cut one after it", []step{{text: "lacks 1"}, {text: "half", stop: prompt.StopLength}}, 2, "lacks 1", false,
			[]int{2}},
		{"whole when asked", []step{{text: "lacks 1"}, {text: "whole"}}, 2, "whole", false, []int{1}},
		{"at the last try", []step{{text: "bad"}, {text: ""}, {text: "lacks 1"}}, 3, "lacks 1", false, []int{1}},
		{"never one", []step{{text: "bad"}, {text: "bad"}, {text: "bad"}}, 3, "", false, []int{1, 2, 3}},
	} {
		f := &fake{steps: test.steps}
		s := seat(f)
		s.parse = func(_ council.View, text string) (council.Body, error) {
			d := council.Draft{Markdown: text}
			if lacks, ok := strings.CutPrefix(text, "lacks "); ok {
				d.MissingSections = []string{"A", "B"}[:lacks[0]-'0']
				return d, prompt.ErrLacksSections
			}
			if text == "whole" {
				return d, nil
			}
			return nil, council.ErrBadReply
		}
		r, err := s.Answer(t.Context(), council.View{Ask: council.Ask{ID: "d1.draft.ada", Kind: council.AskDraft}})
		var tried []int
		for _, one := range r.Refused {
			tried = append(tried, one.Try)
		}
		got, _ := r.Body.(council.Draft)
		if err != nil || got.Markdown != test.text || got.NoStopReason != test.marked ||
			(r.Fault != nil) != (test.text == "") || len(f.asked) != test.calls {
			t.Errorf("%s: %d calls, %+v, %v, %v", test.name, len(f.asked), r.Body, r.Fault, err)
		}
		check.Equal(t, test.name+": refused tries", test.refused, tried)
	}
}

func TestRepair_QuotesTheMistake(t *testing.T) {
	f := &fake{steps: []step{{text: "maybe"}, {text: ""}, {text: "YES"}}}
	check.Get(seat(f).Answer(t.Context(), council.View{}))(t)
	want := []string{"q1", `q2: maybe: ballot is "maybe"`, "q3: : the reply was empty"}
	var got []string
	for _, p := range f.asked {
		got = append(got, p.Digest)
	}
	check.Equal(t, "it", want, got)
}

func TestCallLog_CountsEachCallOnce(t *testing.T) {
	var tp tape
	f := &fake{steps: []step{{text: "maybe"}, fails(council.FaultRate, false, 0), {text: "YES"}}}
	s := seat(WithCallLog(f, &tp))
	suspended, _ := s.Answer(t.Context(), council.View{})
	resumed, _ := s.Answer(t.Context(), council.View{})
	if suspended.Fault == nil || resumed.Body == nil || len(f.asked) != 3 {
		t.Fatalf("%+v, %+v after %d calls", suspended, resumed, len(f.asked))
	}
	sum := suspended.Usage.Add(resumed.Usage)
	check.Is(t, "it", (council.Usage{Calls: 3, InputTokens: 22, OutputTokens: 2}), sum)
}

func TestSeat_AnEndedContextIsAFaultOfKindCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, _ := seat(&fake{steps: []step{{text: "YES"}}}).Answer(ctx, council.View{})
	if r.Body != nil || r.Fault == nil || r.Fault.Kind != council.FaultCancelled {
		t.Errorf("%+v", r)
	}
}

func TestSeat_ACallErrorIsItsFault(t *testing.T) {
	var err error = &CallError{Fault: council.Fault{Kind: council.FaultAuth, Message: "no"}}
	if fault := check.As[*council.Fault](t, err); fault.Kind != council.FaultAuth || err.Error() != "auth: no" {
		t.Errorf("%v, %+v", err, fault)
	}
}

func TestSeat_AsksOnceMoreForTheRankingOfAPosition(t *testing.T) {
	v := council.View{Ask: council.Ask{ID: "position.ada", Kind: council.AskPosition},
		Charter: &council.Charter{Options: []string{"NATS", "Kafka"}},
		Seat:    &council.Member{ID: "ada", Model: council.Model{Provider: "script"}}}
	unread := council.Position{Position: "P", UnreadRanking: []string{"Redis"}}
	ranked := council.Position{Position: "P", Ranking: council.Ranks{{"NATS"}}}
	for _, test := range []struct {
		replies []council.Position
		calls   int
	}{
		{[]council.Position{unread, unread, ranked}, 2}, {[]council.Position{unread, ranked}, 2},
		{[]council.Position{ranked}, 1},
	} {
		f := &fake{steps: []step{{text: "a"}, {text: "b"}, {text: "c"}}}
		s, n := seat(f), 0
		s.parse = func(council.View, string) (council.Body, error) {
			n++
			return test.replies[n-1], nil
		}
		r, err := s.Answer(t.Context(), v)
		diff := cmp.Diff(council.Body(test.replies[test.calls-1]), r.Body)
		if diff != "" || err != nil || len(f.asked) != test.calls {
			t.Errorf("want %d calls, got %d, %v\n%s", test.calls, len(f.asked), err, diff)
		}
	}
}

// The counts are those of ollama/ollama issues 10368 (the window) and 17427 (half of it and two).
func TestSeat_AReplyToAPartOfItsPromptIsAFault(t *testing.T) {
	for _, test := range []struct {
		name          string
		window        int
		bytes, tokens int64
		cut           bool
	}{
		{"all of the window", 4096, 20_000, 4096, true},
		{"half of it", 4096, 20_000, 2050, true},
		{"just so many as half of it", 4096, 9_000, 2050, false},
		{"fewer", 4096, 16_000, 4095, false},
		{"more: the setting is too low", 4096, 20_000, 4400, false},
		{"not known", 0, 20_000, 4096, false},
		{"not counted", 4096, 20_000, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{steps: []step{{text: "I vote YES", usage: council.Usage{InputTokens: test.tokens - 10}}}}
			p := &prompt.Prompt{Messages: []prompt.Message{{Role: prompt.User, Content: strings.Repeat("x", int(test.bytes))}}}
			c, err := DetectTruncatedPrompt(f, test.window).Complete(t.Context(), p)
			var call *CallError
			if test.cut != errors.As(err, &call) {
				t.Fatalf("%+v, %v", c, err)
			}
			if test.cut && (call.Fault.Kind != council.FaultContextTooLong || call.Retryable ||
				call.Usage.PromptTokens() != test.tokens || c.Text != "") {
				t.Errorf("%+v", call)
			}
		})
	}
}

// TestShown_ShowsAnAnswerWhileItIsWritten shows every beginning of a reply: at no time is a part of a secret among it.
func TestShown_ShowsAnAnswerWhileItIsWritten(t *testing.T) {
	const key = "sk-proj-abcdefghijklmnopqrstuvwx0123456789"
	reply := `{"action":"contribute","text":"We say \"no\" to\nMars.\u00e9 Use ` + key + ` and own-secret-of-mine now.",` +
		`"why":"It is red\u001b[2J."}`
	w := Words{Ask: council.Ask{Kind: council.AskTurn},
		Cut: func(s string) string { return strings.ReplaceAll(s, "own-secret-of-mine", "[cut]") }}
	for n := range len(reply) {
		w.Text = reply[:n]
		if s := w.Shown(1000); strings.Contains(s, "sk-") || strings.Contains(s, "own-s") || strings.Contains(s, "\x1b") {
			t.Fatalf("after %q it shows %q", w.Text, s)
		}
	}
	const part = `{"action":"contribute","text":"We say \"no\" to\nMa`
	for text, want := range map[string]string{
		reply:                        `We say "no" to Mars.é Use [cut] and [cut] now. It is red[2J.`,
		part:                         `We say "no" to`,
		`{"action":"pass","reason":`: "",
		`{"a":"x y\`:                 "x",
		"":                           "",
	} {
		if w.Text = text; w.Shown(1000) != want {
			t.Errorf("%s\n shows %q, not %q", text, w.Shown(1000), want)
		}
	}
	if w.Text = part; w.Shown(5) != "…o\" to" && w.Shown(5) != `…" to` {
		t.Errorf("five characters are %q", w.Shown(5))
	}
	w.Ask.Kind, w.Text = council.AskDraft,
		"# A draft\n\nwith \"words\" and -----BEGIN RSA PRIVATE KEY-----\nMIIEpAIB AAKC\nAQEA "
	check.Is(t, "the draft shows", "# A draft with \"words\" and [cut]", w.Shown(1000))
}
