package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/questiontest"
)

// fullSamples is how often --full puts each question in each form: with it every model gives at least 100 replies in
// each.
const fullSamples = 2

// deliberations are the sessions whose questions are put, and where they are.
const deliberationFolder = "council/prompt/testdata/live"

var deliberations = []string{"queue", "freeze", "noon"}

// answer is how a model answered one question.
type answer struct {
	Deliberation string          `json:"deliberation"`
	Ask          council.AskID   `json:"ask"`
	Kind         council.AskKind `json:"kind"`
	Model        string          `json:"model"`
	Form         form            `json:"form"`
	Tries        []string        `json:"tries"`           // what it wrote, the first try first
	Stops        []prompt.Stop   `json:"stops"`           // why it stopped, of each
	Problem      string          `json:"problem"`         // of the first try; "" where it was usable
	Fault        *council.Fault  `json:"fault,omitempty"` // why no try was usable
	Seconds      float64         `json:"seconds"`         // of all tries
	Usage        council.Usage   `json:"usage"`
	First        council.Usage   `json:"first"` // of the first try
}

// question puts every question of the deliberations to a model, in every form.
func (b *bench) question(ctx context.Context, m model, wanted, kinds []string, full bool) error {
	s, err := b.serve(ctx, m, m.context, "")
	if err != nil {
		return err
	}
	defer s.stop()
	for _, f := range forms {
		if wanted != nil && !slices.Contains(wanted, string(f)) {
			continue
		}
		r := relayTo(s.address, f)
		err := b.questionIn(ctx, m, r, f, kinds, full)
		r.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// questionIn puts the questions in one form. Without full a question of each kind and deliberation suffices.
func (b *bench) questionIn(ctx context.Context, m model, r *relay, f form, kinds []string, full bool) error {
	asked, err := endpointModel(m, r.URL)
	if err != nil {
		return err
	}
	start := time.Now()
	// Each member's questions follow one another, as in a session, so that the server has most of a prompt in its cache.
	puts := map[council.MemberID][]func() (answer, error){}
	for _, name := range deliberations {
		views, err := questiontest.Views(deliberationFolder, name)
		if err != nil {
			return err
		}
		seen := map[council.AskKind]bool{}
		for _, v := range views {
			if kinds != nil && !slices.Contains(kinds, string(v.Ask.Kind)) || !full && seen[v.Ask.Kind] {
				continue
			}
			seen[v.Ask.Kind] = true
			seat := *v.Seat
			seat.Model = council.Model{Provider: "llamacpp", Model: m.name, ContextWindow: m.context}
			v.Seat = &seat
			for range b.samples - b.had(name, v.Ask.ID, m, f) {
				puts[v.Ask.Member] = append(puts[v.Ask.Member],
					func() (answer, error) { return put(ctx, asked, m, f, name, v) })
			}
		}
	}
	var mu sync.Mutex
	var answers []answer
	var failed error
	var all sync.WaitGroup
	for _, ofMember := range puts {
		all.Go(func() {
			for _, put := range ofMember {
				a, err := put()
				mu.Lock()
				if err == nil {
					answers, err = append(answers, a), b.keep(a)
				}
				failed = errors.Join(failed, err)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	all.Wait()
	if failed != nil {
		return failed
	}
	b.answers = append(b.answers, answers...)
	usable := 0
	for _, a := range answers {
		if a.Problem == "" {
			usable++
		}
	}
	b.say("%s, %s: %d questions in %s, %d usable at the first try, %d calls, %d at once.", m.name, f, len(answers),
		time.Since(start).Round(time.Second), usable, r.calls.Load(), r.most.Load())
	return nil
}

// endpointModel makes a model at a relay, as a session would.
func endpointModel(m model, url string) (member.Model, error) {
	getenv := func(string) string { return "" }
	model, err := endpoint.New(council.Model{Provider: "llamacpp", Model: m.name, BaseURL: url + "/v1"},
		endpoint.Options{Getenv: getenv, Client: &http.Client{}, Wallet: &credential.Wallet{Getenv: getenv}})
	if err != nil {
		return nil, err
	}
	limits := member.Limits{Begin: 5 * time.Minute, Whole: 5 * time.Minute}
	return member.Timeout(member.LimitReply(model, member.ReplyLimit(council.Model{})), limits, time.Now), nil
}

// put puts one question, and again as a seat does where a reply cannot be used.
func put(ctx context.Context, asked member.Model, m model, f form, deliberation string, v council.View) (
	answer, error) {
	a := answer{Deliberation: deliberation, Ask: v.Ask.ID, Kind: v.Ask.Kind, Model: m.name, Form: f}
	start := time.Now()
	noted := member.ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		c, err := asked.Complete(ctx, p)
		if err == nil {
			a.Tries, a.Stops = append(a.Tries, c.Text), append(a.Stops, c.Stop)
			if len(a.Tries) == 1 {
				a.First = c.Usage
			}
		}
		return c, err
	})
	reply, err := member.NewSeat(noted, prompt.NewConversation(prompt.Limits{})).Answer(ctx, v)
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	if err != nil {
		return a, fmt.Errorf("%s, %s, %s: %w", m.name, f, v.Ask.ID, err)
	}
	a.Seconds, a.Usage, a.Fault = time.Since(start).Seconds(), reply.Usage, reply.Fault
	switch {
	case len(a.Tries) == 0:
		a.Problem = "no reply came"
	case a.Stops[0] != prompt.StopEnd:
		a.Problem = "it stopped: " + string(a.Stops[0])
	default:
		if _, err := prompt.Parse(v, a.Tries[0]); err != nil {
			a.Problem = council.ReplyProblem(err)
		} else if len(a.Tries) > 1 {
			a.Problem = "it was asked for again: it repeats a description, or ranks in no clear order"
		}
	}
	return a, nil
}

// answersFile has the answers of a run; another run in the same folder goes on with it.
func (b *bench) answersFile() string { return filepath.Join(b.out, "answers.jsonl") }

// had counts the answers to a question that an earlier run had.
func (b *bench) had(deliberation string, ask council.AskID, m model, f form) (n int) {
	for _, a := range b.answers {
		if a.Deliberation == deliberation && a.Ask == ask && a.Model == m.name && a.Form == f {
			n++
		}
	}
	return n
}

// load reads the answers that an earlier run had.
func (b *bench) load() error {
	doc, err := os.ReadFile(b.answersFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for dec := json.NewDecoder(bytes.NewReader(doc)); err == nil && dec.More(); {
		var a answer
		if err = dec.Decode(&a); err == nil {
			b.answers = append(b.answers, a)
		}
	}
	return err
}

// keep appends an answer to the file of all.
func (b *bench) keep(a answer) error {
	f, err := os.OpenFile(b.answersFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	return enc.Encode(a)
}
