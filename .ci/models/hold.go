package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The topics of the sessions, as in the deliberations.
const (
	choice = "Which queue should the order service use? It handles 400 orders a minute at peak, must not lose an order, " +
		"and is run by a team of five."
	freeQuestion = "Should we stop releasing on Fridays?"
)

// The exit codes of the command: decided, not decided, suspended.
const (
	exitDecided   = 0
	exitUsage     = 2
	exitUndecided = 3
	exitSuspended = 4
)

// holdShort holds one session with options on the smallest model.
func (b *bench) holdShort(ctx context.Context, m model) error {
	return b.with(ctx, m, func(s *server, r *relay) error {
		return b.session(ctx, "options, auto", "queue", []seat{{m, r.URL}}, []*relay{r},
			"convene", choice, "--pace", "auto")
	})
}

// with serves a model while do runs.
func (b *bench) with(ctx context.Context, m model, do func(*server, *relay) error) error {
	s, err := b.serve(ctx, m, m.context, "")
	if err != nil {
		return err
	}
	defer func() { s.stop() }()
	r := relayTo(s.address, formSchema)
	defer r.close()
	return do(s, r)
}

// session holds one session to its end. A model may refuse or be unable to answer, which suspends it.
func (b *bench) session(ctx context.Context, name, charter string, seats []seat, r []*relay, args ...string) error {
	w, err := b.workspace(folderOf(name, seats), charter, seats)
	if err != nil {
		return err
	}
	h := &heldSession{name: name, models: modelsOf(seats)}
	if err := w.forecast(ctx, h, args...); err != nil {
		return err
	}
	if err := w.hold(ctx, h, r, nil, args...); err != nil {
		return err
	}
	w.finish(ctx, h, exitDecided, exitUndecided, exitSuspended)
	return ctx.Err()
}

func folderOf(name string, seats []seat) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(name + "-" + modelsOf(seats))
}

func modelsOf(seats []seat) string {
	var names []string
	for _, s := range seats {
		if !slices.Contains(names, s.model.name) {
			names = append(names, s.model.name)
		}
	}
	return strings.Join(names, ", ")
}

// hold holds the sessions of the given names, all but the twenty where none is given: the troubles on the smallest
// model, one at the pace auto on each other, one with three families as seats, and every pace and kind on the smallest.
func (b *bench) hold(ctx context.Context, able []model, names []string) error {
	small := able[0]
	onSmall := func(do func(seats []seat, s *server, r *relay) error) func() error {
		return func() error {
			return b.with(ctx, small, func(s *server, r *relay) error { return do([]seat{{small, r.URL}}, s, r) })
		}
	}
	for _, step := range []struct {
		name string
		hold func() error
	}{
		{"ask", onSmall(func(seats []seat, _ *server, r *relay) error { return b.askAfter(ctx, seats, []*relay{r}) })},
		{"killed", onSmall(func(seats []seat, _ *server, r *relay) error { return b.killed(ctx, seats, r) })},
		{"stopped", onSmall(func(seats []seat, s *server, r *relay) error { return b.stopped(ctx, s, seats, r) })},
		{"too-small", func() error { return b.tooSmall(ctx, small) }},
		{"others", func() error { return b.quickOnes(ctx, able[1:]) }},
		{"families", func() error { return b.families(ctx, able) }},
		{"auto", onSmall(func(s []seat, _ *server, r *relay) error { return b.free(ctx, s, r) })},
		{"kinds", onSmall(func(seats []seat, _ *server, r *relay) error { return b.everyKind(ctx, seats, r) })},
		{twenty, func() error { return b.twentySessions(ctx, able) }},
	} {
		if names == nil && step.name == twenty || names != nil && !slices.Contains(names, step.name) {
			continue
		}
		if err := step.hold(); err != nil {
			return err
		}
	}
	return nil
}

// quickOnes holds a quick session on each model.
func (b *bench) quickOnes(ctx context.Context, all []model) error {
	for _, m := range all {
		if err := b.with(ctx, m, func(_ *server, r *relay) error {
			return b.session(ctx, "options, auto", "queue", []seat{{m, r.URL}}, []*relay{r}, "convene", choice,
				"--pace", "auto")
		}); err != nil {
			return err
		}
	}
	return nil
}

// free holds a session on a free question with a document to review, at the pace auto.
func (b *bench) free(ctx context.Context, seats []seat, r *relay) error {
	documents := filepath.Join(b.out, "incidents.md")
	if err := os.WriteFile(documents, []byte(incidents), 0o600); err != nil {
		return err
	}
	return b.session(ctx, "a free question, auto", "freeze", seats, []*relay{r},
		"convene", freeQuestion, "--context", documents, "--pace", "auto")
}

// everyKind holds a session of every pace, and of every kind: options, a document to review, a free question.
func (b *bench) everyKind(ctx context.Context, seats []seat, r *relay) error {
	documents := filepath.Join(b.out, "incidents.md")
	if err := os.WriteFile(documents, []byte(incidents), 0o600); err != nil {
		return err
	}
	for _, of := range []struct {
		name, charter string
		args          []string
	}{
		{"options, quick, five seats", "general", []string{"convene", choice, "--option", "NATS", "--option", "Kafka",
			"--option", "keep Postgres", "--pace", "quick", "--output", "none"}},
		{"a document to review, standard", "freeze", []string{"convene", freeQuestion, "--context", documents,
			"--pace", "standard"}},
		{"a free question, thorough", "freeze", []string{"convene", freeQuestion, "--pace", "thorough",
			"--output", "none"}},
	} {
		if err := b.session(ctx, of.name, of.charter, seats, []*relay{r}, of.args...); err != nil {
			return err
		}
	}
	return nil
}

const incidents = `# Incidents of the last year

| day | releases | incidents | median repair |
|---|---|---|---|
| Monday | 61 | 3 | 40 min |
| Friday | 41 | 6 | 9 h |

Four of the six incidents of Fridays began after 15:00. The on-call engineer of the weekend is one person.
`

// askAfter asks a member after the close of the last session.
func (b *bench) askAfter(ctx context.Context, seats []seat, r []*relay) error {
	w, err := b.workspace("ask", "queue", seats)
	if err != nil {
		return err
	}
	h := &heldSession{name: "ask after the close", models: modelsOf(seats)}
	if err := w.hold(ctx, h, r, nil, "convene", choice, "--pace", "quick"); err != nil {
		return err
	}
	if h.exit == exitDecided || h.exit == exitUndecided {
		if err := w.hold(ctx, h, r, nil, "ask", "latest", "ops", "Why did you rank the options so?"); err != nil {
			return err
		}
	}
	w.finish(ctx, h, exitDecided, exitSuspended)
	return ctx.Err()
}

// killed kills the command in the middle of a reply, and goes on with the session.
func (b *bench) killed(ctx context.Context, seats []seat, r *relay) error {
	w, err := b.workspace("killed", "queue", seats)
	if err != nil {
		return err
	}
	h := &heldSession{name: "killed in a reply, and resumed", models: modelsOf(seats)}
	args := []string{"convene", choice, "--pace", "quick"}
	if err := w.forecast(ctx, h, args...); err != nil {
		return err
	}
	h.most += int64(len(seats)) * 3 // at most one question a member may be put again after a kill
	begun := r.begun()
	kill := func(cmd *exec.Cmd) {
		<-begun
		time.Sleep(200 * time.Millisecond)
		_ = cmd.Process.Kill()
	}
	if err := w.hold(ctx, h, []*relay{r}, kill, args...); err != nil {
		return err
	}
	if err := w.hold(ctx, h, []*relay{r}, nil, "resume"); err != nil {
		return err
	}
	w.finish(ctx, h, exitDecided, exitUndecided, exitSuspended)
	return ctx.Err()
}

// stopped stops the model's server in the middle of a session, starts it again, and goes on with the session.
func (b *bench) stopped(ctx context.Context, s *server, seats []seat, r *relay) error {
	m := s.model
	w, err := b.workspace("stopped", "queue", seats)
	if err != nil {
		return err
	}
	h := &heldSession{name: "its server stopped, and resumed", models: modelsOf(seats)}
	begun := r.begun()
	stop := func(*exec.Cmd) {
		<-begun
		s.stop()
	}
	if err := w.hold(ctx, h, []*relay{r}, stop, "convene", choice, "--pace", "quick"); err != nil {
		return err
	}
	if h.exit != exitSuspended {
		h.problem = fmt.Sprintf("exit code %d after its server was stopped, not %d", h.exit, exitSuspended)
	}
	again, err := b.serve(ctx, m, m.context, s.address)
	if err != nil {
		return err
	}
	*s = *again
	if err := w.hold(ctx, h, []*relay{r}, nil, "resume"); err != nil {
		return err
	}
	w.finish(ctx, h, exitDecided, exitUndecided, exitSuspended)
	return ctx.Err()
}

// tooSmall gives a model of a context of 4,096 tokens documents that do not fit: the command refuses before any call.
func (b *bench) tooSmall(ctx context.Context, m model) error {
	s, err := b.serve(ctx, m, 4096, "")
	if err != nil {
		return err
	}
	defer s.stop()
	r := relayTo(s.address, formSchema)
	defer r.close()
	w, err := b.workspace("too-small", "queue", []seat{{m, r.URL}})
	if err != nil {
		return err
	}
	h := &heldSession{name: "documents larger than a context of 4,096", models: m.name}
	if err := w.hold(ctx, h, []*relay{r}, nil, "convene", choice, "--context",
		filepath.Join(b.repo, "docs", "members.md")); err != nil {
		return err
	}
	w.finish(ctx, h, exitUsage, 1)
	if h.calls > 0 {
		w.held[len(w.held)-1].problem = fmt.Sprintf("%d calls were made", h.calls)
	}
	return ctx.Err()
}

// families seats a model of each family.
func (b *bench) families(ctx context.Context, able []model) error {
	var seated []model
	for _, m := range able {
		if !slices.ContainsFunc(seated, func(s model) bool { return s.family == m.family }) {
			seated = append(seated, m)
		}
	}
	if len(seated) < 2 {
		return nil
	}
	return b.together(ctx, seated, func(seats []seat, relays []*relay) error {
		return b.session(ctx, "options, quick, a seat a family", "queue", seats, relays, "convene", choice, "--pace", "quick")
	})
}

const twenty = "twenty"

// twentySessions holds five sessions at the pace auto with each of the three largest models, and with all of
// them as seats.
func (b *bench) twentySessions(ctx context.Context, able []model) error {
	documents := filepath.Join(b.out, "incidents.md")
	if err := os.WriteFile(documents, []byte(incidents), 0o600); err != nil {
		return err
	}
	able = able[max(0, len(able)-3):]
	seatings := [][]model{able}
	for _, m := range able {
		seatings = append(seatings, []model{m})
	}
	for _, seated := range slices.Backward(seatings) {
		if err := b.together(ctx, seated, func(seats []seat, relays []*relay) error {
			for _, of := range []struct {
				name, charter string
				args          []string
			}{
				{"twenty, options", "queue", []string{choice, "--output", "none"}},
				{"twenty, options and a document", "general", []string{choice, "--option", "NATS", "--option", "Kafka",
					"--option", "keep Postgres"}},
				{"twenty, a free question", "freeze", []string{freeQuestion, "--output", "none"}},
				{"twenty, a free question on a document", "freeze", []string{freeQuestion, "--context", documents}},
				{"twenty, a review", "general", []string{"How should a team of five answer these figures?", "--context",
					documents, "--output", "none"}},
			} {
				args := append([]string{"convene", "--pace", "auto"}, of.args...)
				if err := b.session(ctx, of.name, of.charter, seats, relays, args...); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// together serves several models at once while do runs.
func (b *bench) together(ctx context.Context, seated []model, do func([]seat, []*relay) error) error {
	var seats []seat
	var relays []*relay
	for _, m := range seated {
		s, err := b.serve(ctx, m, m.context, "")
		if err != nil {
			return err
		}
		defer s.stop()
		r := relayTo(s.address, formSchema)
		defer r.close()
		seats, relays = append(seats, seat{m, r.URL}), append(relays, r)
	}
	return do(seats, relays)
}
