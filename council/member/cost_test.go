package member_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// piece is a part of a prompt as a provider caches it; a mark says that the prefix that it ends is to be kept.
type piece struct {
	text string
	mark bool
}

// pieces reads a request as the provider puts it together: the schema of the reply comes before all else, because with
// another one a cache serves nothing. Providers that cache of their own accord have every piece marked.
func (d dialect) pieces(body []byte) []piece {
	doc := gjson.ParseBytes(body)
	var all []piece
	schema := doc.Get("response_format").Raw + doc.Get("text.format").Raw + doc.Get("output_config").Raw
	all = append(all, piece{schema, false})
	take := func(_, block gjson.Result) bool {
		all = append(all, piece{block.Get("text").String(), block.Get("cache_control").Exists()})
		return true
	}
	if d.name == messages.name {
		doc.Get("system").ForEach(take)
		doc.Get("messages").ForEach(func(_, m gjson.Result) bool { m.Get("content").ForEach(take); return true })
		return all
	}
	for _, field := range []string{"messages", "input"} {
		doc.Get(field).ForEach(func(_, m gjson.Result) bool {
			all = append(all, piece{m.Get("content").String(), true})
			return true
		})
	}
	return all
}

// lookback is how many pieces before a mark Anthropic looks for a prefix that it keeps.
const lookback = 20

// bill counts the characters of one member's prompts: new ones, and those that the cache serves.
type bill struct {
	kept                   map[[32]byte]bool
	calls, fresh, repeated int
}

func (b *bill) add(pieces []piece) {
	if b.kept == nil {
		b.kept = map[[32]byte]bool{}
	}
	prefixes, sizes := make([][32]byte, len(pieces)), make([]int, len(pieces))
	var last [32]byte
	all, served := 0, 0
	for i, p := range pieces {
		last = sha256.Sum256(append(last[:], p.text...))
		all += len(p.text)
		prefixes[i], sizes[i] = last, all
	}
	for i := range pieces {
		near := false
		for j := i; j < len(pieces) && j <= i+lookback; j++ {
			near = near || pieces[j].mark
		}
		if near && b.kept[prefixes[i]] {
			served = sizes[i]
		}
	}
	for i, p := range pieces {
		if p.mark {
			b.kept[prefixes[i]] = true
		}
	}
	b.calls++
	b.repeated += served
	b.fresh += all - served
}

// deliberate plays a whole session against a server of the dialect, and adds up each member's prompts.
func deliberate(t *testing.T, d dialect, members, rounds int) (sum bill) {
	t.Helper()
	server := serve(t, d, script{})
	c := counciltest.Charter(members, rounds, server.URL)
	talk := counciltest.Deliberation{Rounds: rounds, Last: fmt.Sprintf("m%d", members), Leader: "m1",
		Contribution: strings.Repeat("A point. ", 139)}
	seats, bills, nth := map[council.MemberID]*member.Seat{}, map[council.MemberID]*bill{}, map[string]int{}
	for i := range c.Members {
		seat := &c.Members[i]
		name := seat.Model.Model
		seat.Model = d.at(server.URL)
		seat.Model.Model = name
		m := check.Get(d.open(seat.Model, endpoint.Options{Getenv: environment}))(t)
		seats[seat.ID], bills[seat.ID] = member.NewSeat(m, prompt.NewConversation(prompt.Limits{})), &bill{}
	}
	opening := check.Get(rules.Open("s1", council.Topic{Text: "Shall we go on?"}, c))(t)
	s := check.Get(rules.Replay(rules.Log(opening)))(t)
	var question []byte // the last one of the member, which names blockers or resolutions
	for ready := s.Ready(); ready.Outcome == nil; ready = s.Ready() {
		e := ready.Event
		if e == nil {
			ask := ready.Asks[0]
			contract := "reply_" + string(ask.Kind)
			if ask.Kind == council.AskDraft {
				contract = ""
			}
			if ask.Kind == council.AskDraft || ask.Kind == council.AskSummary {
				p := prompt.NewConversation(prompt.Limits{}).Next(s.View(ask))
				question = []byte(p.Messages[len(p.Messages)-1].Content)
			}
			nth[string(ask.Member)+contract]++
			text := talk.Reply(counciltest.Request{Model: string(ask.Member), Contract: contract,
				Nth: nth[string(ask.Member)+contract], Body: question})
			server.mu.Lock()
			server.scripts, server.bodies = []script{{text: text}}, nil
			server.mu.Unlock()
			r, err := seats[ask.Member].Answer(context.Background(), s.View(ask))
			if err != nil || r.Fault != nil || len(server.bodies) != 1 {
				t.Fatalf("%s: %v, %v, %d calls", ask.ID, err, r.Fault, len(server.bodies))
			}
			bills[ask.Member].add(d.pieces(server.bodies[0]))
			answered := check.Get(s.Answer(r))(t)
			e = &answered
		}
		check.OK(t, s.Apply(*e))
	}
	for _, b := range bills {
		sum.calls, sum.fresh, sum.repeated = sum.calls+b.calls, sum.fresh+b.fresh, sum.repeated+b.repeated
	}
	return sum
}

// The figures of the prompts (council/prompt) hold for the real requests, in the form that each provider caches.
func TestCache_EveryProtocolSendsCachedPrefixes(t *testing.T) {
	paid := responses
	paid.model.Provider = "azure"
	for _, size := range []struct {
		members, rounds int
		billed          float64 // characters, at most
		dialects        []dialect
	}{
		{3, 5, 380_000, []dialect{gemini, paid, messages}},
		{9, 60, 39_000_000, []dialect{paid, messages}}, // and chat in the benchmarks of cmd/council
	} {
		for _, d := range size.dialects {
			t.Run(fmt.Sprintf("%s/%dx%dx2", d.name, size.members, size.rounds), func(t *testing.T) {
				if size.members > 3 && !counciltest.Long() {
					t.Skip("a thousand calls of a quarter of a megabyte")
				}
				b := deliberate(t, d, size.members, size.rounds)
				billed := float64(b.fresh) + 0.1*float64(b.repeated)
				if billed > size.billed {
					t.Errorf("%.0f characters billed, at most %.0f", billed, size.billed)
				}
				t.Logf("%d calls, %d characters new, %d repeated: %.0f billed", b.calls, b.fresh, b.repeated, billed)
			})
		}
	}
}
