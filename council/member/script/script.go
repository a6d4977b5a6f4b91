// Package script is a member whose replies are written in a file: for tests, and for demonstrations of a council.
//
// The file holds entries, in a JSON array or one after the other (JSONL):
//
//	{"ask": "position", "reply": {"position": "Yes.", "confidence": 0.8, "overlooked": []}}
//	{"member": "ada", "ask": "p1.r2.*.turn.*", "reply": {"action": "PASS", "reason": "Said already."}}
//	{"ask": "draft", "fault": "rate", "then": [{"reply": "# The document"}]}
//	{"member": "bob", "reply": {"action": "CONTRIBUTE", "message": "My first words."}}
//
// An entry that names its question, by its kind or by a pattern of its id, answers it every time; the first in the
// file wins. Other questions take the entries without a question in turn, for each member from the first. The choice
// follows from the log alone, so that a resumed session gets the same replies. A script without a reply left causes a
// fault that suspends the session.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile"
)

// Model answers prompts from a script. It is safe for concurrent use, and one serves any number of seats and sessions.
type Model struct {
	name    string
	entries []entry

	mu   sync.Mutex
	puts map[string]int // how often each question of a session was put in this process
}

type entry struct {
	Member string `json:"member,omitempty"` // a pattern; empty for all
	Ask    string `json:"ask,omitempty"`    // a kind of question, or a pattern of ids; empty: in turn
	step
	Then []step `json:"then,omitempty"` // for further calls with the same question; the last one stays
}

type step struct {
	Reply      json.RawMessage `json:"reply,omitempty"` // a text, or an object that is given unchanged
	Fault      string          `json:"fault,omitempty"`
	Message    string          `json:"message,omitempty"`
	RetryAfter float64         `json:"retryAfterSeconds,omitempty"`
}

// Complete answers from the script. Its error is ctx's, or a *member.CallError: model-missing if no reply is left.
func (m *Model) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	if err := ctx.Err(); err != nil {
		return prompt.Completion{}, err
	}
	v := p.View
	e, ok := m.find(v)
	if !ok {
		return prompt.Completion{}, member.Fail(council.FaultModelMissing,
			"%s has no reply left for %s, who was asked %s: add one, and resume", m.name, v.Ask.Member, v.Ask.ID)
	}
	steps := append([]step{e.step}, e.Then...)
	return steps[min(m.count(p), len(steps)-1)].play()
}

// count returns how often the question was put before, repairs of recorded answers included.
func (m *Model) count(p *prompt.Prompt) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := string(p.View.Session) + " " + string(p.View.Ask.ID)
	n := max(m.puts[key], p.Try-1)
	m.puts[key] = n + 1
	return n
}

func (m *Model) find(v council.View) (entry, bool) {
	if e := m.entryNamed(v.Ask.Member, v.Ask.ID); e != nil {
		return *e, true
	}
	before := 0 // questions that the member was asked in turn
	for _, e := range v.Events {
		answered, ok := e.Answered()
		if ok && e.Actor == v.Ask.Member && m.entryNamed(e.Actor, answered.Ask) == nil {
			before++
		}
	}
	inTurn := slices.DeleteFunc(slices.Clone(m.entries), func(e entry) bool {
		return e.Ask != "" || !matches(e.Member, string(v.Ask.Member))
	})
	if before >= len(inTurn) {
		return entry{}, false
	}
	return inTurn[before], true
}

func (m *Model) entryNamed(who council.MemberID, ask council.AskID) *entry {
	return council.Find(m.entries, func(e entry) bool {
		return e.Ask != "" && matches(e.Member, string(who)) && (e.Ask == string(ask.Kind()) || matches(e.Ask, string(ask)))
	})
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // checked when the script was read
	return ok || pattern == ""
}

// play returns the result of the step, faults in a provider's form.
func (s step) play() (prompt.Completion, error) {
	c := prompt.Completion{Text: s.Message, Stop: prompt.StopEnd, Usage: council.Usage{Model: "script", Calls: 1}}
	if s.Fault == "" && json.Unmarshal(s.Reply, &c.Text) != nil {
		c.Text = string(s.Reply)
	}
	switch k := council.FaultKind(s.Fault); k {
	case "", council.FaultEmpty, council.FaultUnparsable: // the text decides
	case council.FaultTruncated:
		c.Stop = prompt.StopLength
	case council.FaultRefusal:
		c.Stop = prompt.StopRefusal
	default:
		call := member.Fail(k, "%s", s.Message)
		call.Retryable, call.RetryAfter = k.Passing(), time.Duration(s.RetryAfter*float64(time.Second))
		call.Usage.Calls = 1
		return prompt.Completion{}, call
	}
	return c, nil
}

const MaxSize = 8 << 20 // the largest script that is read, in bytes

// New reads the script that the charter names as the model; a relative name leads nowhere out of the folder.
func New(m council.Model, folder string) (*Model, error) {
	name := m.Model
	if name == "" {
		return nil, errors.New("the provider script needs a file with replies: set model.model")
	}
	doc, err := load(folder, name)
	if err != nil {
		return nil, fmt.Errorf("the script %s cannot be read: %w", member.Redact(name), err)
	}
	return Parse(name, doc)
}

func load(folder, name string) ([]byte, error) {
	var root *os.Root // nil: the name is a whole path
	if !filepath.IsAbs(name) {
		if !filepath.IsLocal(name) {
			return nil, errors.New("it lies outside of this folder: give its whole path if that is what you want")
		}
		var err error
		if root, err = os.OpenRoot(folder); err != nil {
			return nil, atomicfile.Explain(err)
		}
		defer root.Close()
	}
	doc, err := atomicfile.ReadOrdinary(root, name, MaxSize)
	if err != nil {
		return nil, atomicfile.Explain(err)
	}
	if len(doc) > MaxSize {
		return nil, fmt.Errorf("it is longer than %d MiB", MaxSize>>20)
	}
	return doc, nil
}

// Parse reads a script. Its errors have the name and the number of the entry, from 1.
func Parse(name string, doc []byte) (*Model, error) {
	name = member.Redact(name)
	m := &Model{name: name, puts: map[string]int{}}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	array := bytes.HasPrefix(bytes.TrimSpace(doc), []byte("["))
	if array {
		if _, err := d.Token(); err != nil {
			return nil, fmt.Errorf("%s is not JSON: %w", name, err)
		}
	}
	for d.More() {
		var e entry
		err := d.Decode(&e)
		if err == nil {
			err = e.check()
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d of %s: %w", len(m.entries)+1, name, atomicfile.Explain(err))
		}
		m.entries = append(m.entries, e)
	}
	if array {
		if _, err := d.Token(); err != nil {
			return nil, fmt.Errorf("%s is cut off after entry %d", name, len(m.entries))
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s goes on after its end, after entry %d", name, len(m.entries))
	}
	if len(m.entries) == 0 {
		return nil, fmt.Errorf("%s holds no replies", name)
	}
	return m, nil
}

func (e entry) check() error {
	for _, pattern := range []string{e.Member, e.Ask} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is not a pattern: brackets are not closed", pattern)
		}
	}
	if e.Ask != "" && !strings.ContainsAny(e.Ask, ".*?[") && !slices.Contains(council.AskKinds(), council.AskKind(e.Ask)) {
		return fmt.Errorf("there is no question %q: name a kind (%s), or an id such as p1.r2.*.turn.ada", e.Ask,
			list(council.AskKinds()))
	}
	for _, s := range append([]step{e.step}, e.Then...) {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

func (s step) check() error {
	switch {
	case s.Fault == "" && (len(s.Reply) == 0 || string(s.Reply) == "null"):
		return errors.New("it has neither a reply nor a fault")
	case s.Fault != "" && len(s.Reply) > 0:
		return errors.New("it has both a reply and a fault; a fault has a message")
	case s.Fault == "" && (s.Message != "" || s.RetryAfter != 0):
		return errors.New("message and retryAfterSeconds belong to a fault")
	case s.Fault != "" && !slices.Contains(faults(), council.FaultKind(s.Fault)):
		return fmt.Errorf("there is no fault %q that a provider brings: name one of %s", s.Fault, list(faults()))
	case !(s.RetryAfter >= 0 && s.RetryAfter <= 86_400):
		return errors.New("retryAfterSeconds must lie between 0 and a day")
	}
	return nil
}

// faults are those that providers cause.
func faults() []council.FaultKind {
	return slices.DeleteFunc(council.FaultKinds(), func(k council.FaultKind) bool {
		return k == council.FaultBudget || k == council.FaultCancelled || k == council.FaultAwaiting ||
			k == council.FaultAbandoned || k.Unheard()
	})
}

func list[T ~string](words []T) string { return strings.Join(council.Strings(words), ", ") }
