package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/atomicfile"
)

// MaxSize is the largest script that is read, in bytes.
const MaxSize = 8 << 20

// New reads the script that the charter names as the model. A name that is not absolute is looked up in folder, and
// must not lead out of it, not even by a link: a configuration from elsewhere reads no other files.
// Errors are for people.
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
	if filepath.IsAbs(name) {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return nil, atomicfile.Explain(err)
		}
		folder, name = filepath.Split(real)
	} else if !filepath.IsLocal(name) {
		return nil, errors.New("it lies outside of this folder: give its whole path if that is what you want")
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, atomicfile.Explain(err)
	}
	defer root.Close()
	// Asked before it is opened: to open a pipe is to wait for somebody who writes to it.
	if info, err := root.Stat(name); err != nil {
		return nil, atomicfile.Explain(err)
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not an ordinary file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, atomicfile.Explain(err)
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, atomicfile.Explain(err)
	}
	if len(doc) > MaxSize {
		return nil, fmt.Errorf("it is longer than %d MiB", MaxSize>>20)
	}
	return doc, nil
}

// Parse reads a script. The name is for messages, which name the entry that is wrong by its number, from 1.
func Parse(name string, doc []byte) (*Model, error) {
	name = member.Redact(name)
	m := &Model{name: name, puts: map[put]int{}}
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

// faults are those that come from a provider: the others are the engine's own.
func faults() []council.FaultKind {
	return slices.DeleteFunc(council.FaultKinds(), func(k council.FaultKind) bool {
		return k == council.FaultBudget || k == council.FaultCancelled || k == council.FaultAwaiting ||
			k == council.FaultAbandoned
	})
}

func list[T ~string](words []T) string {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return strings.Join(names, ", ")
}
