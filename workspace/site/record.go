package site

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// Replay rebuilds a session from its log and changes nothing.
func Replay(root *recorder.Root, id council.SessionID) (*rules.Session, error) {
	entries, err := root.Read(id)
	if err != nil {
		return nil, err
	}
	return rules.Replay(Events(entries))
}

// OpenUnfinished takes a session's folder for writing and rebuilds the session from its log. The error is
// [recorder.ErrNotLatest] for an open session whose folder is not as it was left, and is not changed.
func OpenUnfinished(w *World, root *recorder.Root, id council.SessionID) (*recorder.Session, *rules.Session, error) {
	trust, err := w.Anchors().TrustIn(root, id)
	if err == nil {
		err = root.Latest(id, trust)
	}
	if err != nil {
		return nil, nil, err
	}
	folder, err := root.Resume(id, w.Inputs(root))
	if err != nil {
		return nil, nil, err
	}
	if p, ok := folder.Entries()[0].Started(); ok && p.Rules != rules.Version {
		err := fmt.Errorf("%w: session %s follows version %d, and this version of council follows %d", ErrOtherRules, id,
			p.Rules, rules.Version)
		return nil, nil, errors.Join(err, folder.Close())
	}
	session, err := rules.Replay(Events(folder.Entries()))
	if err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, session, nil
}

// ErrOtherRules: the rules have changed since the session began.
var ErrOtherRules = errors.New("the rules are not the ones under which the session began")

// Rule records people's rulings, each after the events due before it.
func Rule(s *rules.Session, log engine.Log, rulings ...council.Ruling) error {
	for _, r := range rulings {
		if err := RecordDue(s, log); err != nil {
			return err
		}
		if err := engine.Rule(s, log, r); err != nil {
			return err
		}
	}
	return nil
}

// RecordDue records the events that follow from the log of a session.
func RecordDue(s *rules.Session, log engine.Log) error {
	for due := s.Ready().Event; due != nil; due = s.Ready().Event {
		if err := log.Append(*due); err != nil {
			return err
		}
		if err := s.Apply(*due); err != nil {
			return err
		}
	}
	return nil
}

// Events returns a log for a replay. Words of it may have been forgotten.
func Events(entries []wire.Entry) iter.Seq2[council.Event, error] {
	return rules.Log(expunge.Restate(entries)...)
}

// VerifySession verifies a session with the anchors that this machine keeps, and those that are given.
func VerifySession(w *World, root *recorder.Root, id council.SessionID, given recorder.Trust) (verify.Report, error) {
	trust, err := w.Anchors().TrustIn(root, id)
	if err != nil {
		return verify.Report{}, err
	}
	return root.Verify(id, trust, given)
}

// CheckIntact verifies a session as the command verify does, but for files that can be rendered again: what people
// edited there does not change what was decided. The error wraps [recorder.ErrDamaged] and names what does not hold.
func CheckIntact(w *World, root *recorder.Root, id council.SessionID) error {
	report, err := VerifySession(w, root, id, recorder.Trust{})
	if err != nil && len(report.Checks) == 0 {
		return fmt.Errorf("session %s: %w", id, err)
	}
	found := report.Damage()
	if len(found) == 0 {
		return nil
	}
	first, more := strings.TrimPrefix(strings.TrimRight(found[0], "."), recorder.ErrDamaged.Error()+": "), ""
	if len(found) > 1 {
		more = fmt.Sprintf(" (and %s)", plural.Things(len(found)-1, "more finding"))
	}
	return fmt.Errorf("session %s does not verify: %w: %s%s", id, recorder.ErrDamaged, first, more)
}

// Begin records the opening of a session, and returns the session.
func Begin(folder *recorder.Session, opening council.Event) (*rules.Session, error) {
	if err := folder.Append(opening); err != nil {
		return nil, err
	}
	return rules.Replay(rules.Log(opening))
}

// Evaluations is the folder of a workspace with a file for each evaluation that decided a question.
const Evaluations = "evaluations"

// Evaluated returns how often decisions like that of a session were right in the evaluations of its workspace, see
// [evaluation.Agreed.Evaluated]. Files that cannot be read, or that no evaluation wrote so, do not count.
func Evaluated(root *recorder.Root, m *minutes.Minutes) *minutes.Evaluated {
	like := evaluation.AgreedIn(m, evaluation.Result{})
	if like == nil {
		return nil
	}
	var all []evaluation.Agreed
	entries, _ := atomicfile.ListFolder(root.Files(), Evaluations)
	for _, e := range entries {
		if doc, err := atomicfile.Read(root.Files(), path.Join(Evaluations, e.Name())); err == nil {
			decisions, _ := evaluation.ParseAgreements(doc)
			all = append(all, decisions...)
		}
	}
	return like.Evaluated(all)
}

// Anchors are this machine's key and anchors.
type Anchors struct {
	store  anchor.Store
	failed error // why nothing is kept here
}

// Anchors returns this machine's key and anchors.
func (w *World) Anchors() Anchors {
	state, err := w.User().StateFolder()
	return Anchors{anchor.Store{Path: state, Random: w.Random}, err}
}

// Key returns the key, which it creates if there is none.
func (a Anchors) Key() (anchor.Key, error) {
	if a.failed != nil {
		return anchor.Key{}, a.failed
	}
	return a.store.Key()
}

// Place returns the path of the key and anchors, and an error if they cannot be used.
func (a Anchors) Place() (string, error) {
	err := a.failed
	if err == nil {
		_, err = a.store.Verifiers()
	}
	return a.store.Path, err
}

// TrustIn returns the evidence about a session from outside its folder: its anchors on this machine, and the lengths
// that memory and the episode have recorded.
func (a Anchors) TrustIn(root *recorder.Root, id council.SessionID) (recorder.Trust, error) {
	t, err := a.Trust(id)
	t.Remembered = func(c *council.Charter) (all []verify.Remembered) { // as far as it can be read
		dir := curator.MemoryDir(c.Storage, root.Path())
		if memory, err := store.Open(dir, store.Options{}); err == nil {
			if to, err := memory.FoldedUpTo(id); err == nil {
				by := "The journal of memory in " + filepath.ToSlash(dir)
				all = append(all, verify.Remembered{By: by, Events: int(to)})
			}
		}
		if e, err := episodes.New(root.Files()).Episode(id); err == nil {
			all = append(all, verify.Remembered{By: "The episode of the session", Events: e.Events})
		}
		return all
	}
	return t, err
}

// Trust returns the anchors of a session and the key.
func (a Anchors) Trust(id council.SessionID) (t recorder.Trust, err error) {
	if a.failed != nil {
		return t, nil // there is nothing to compare
	}
	if t.Keys, err = a.store.Verifiers(); err != nil {
		return t, err
	}
	held, err := a.store.Held(id)
	t.Anchors = []anchor.Source{held}
	return t, err
}

// Sign signs the state of a log and keeps the note outside the record, unless an earlier anchor contradicts it.
func (a Anchors) Sign(id council.SessionID, t *anchor.Tree) ([]byte, error) {
	key, err := a.Key()
	if err != nil {
		return nil, err
	}
	held, err := a.store.Held(id)
	if err != nil {
		return nil, err
	}
	judged, err := t.Judge([]anchor.Source{held}, []string{key.Verifier})
	if err != nil {
		return nil, err
	}
	for _, j := range judged {
		if j.Problem != "" {
			return nil, fmt.Errorf("session %s contradicts an anchor in %s, so it is not vouched for again: %w: %s", id,
				held.Name, recorder.ErrDamaged, j.Problem)
		}
	}
	note, err := key.Sign(t.Checkpoint(t.Size))
	if err == nil {
		err = a.store.Keep(id, note)
	}
	return note, err
}

// AnchorSession anchors a closed or suspended session. A failure is only a warning.
func (w *World) AnchorSession(folder *recorder.Session) {
	err := folder.Anchor(func(t *anchor.Tree) ([]byte, error) { return w.Anchors().Sign(folder.ID(), t) })
	if err != nil {
		w.Warn("council: the session is kept, but not anchored: %v", err)
	}
}

// OpenMemory returns the curator of a record for the memory of a charter.
func (w *World) OpenMemory(root *recorder.Root, c *council.Charter) (*curator.Curator, error) {
	options := store.Options{Load: w.Pulled, Through: w.Through, Now: w.Now}
	dir := curator.MemoryDir(c.Storage, root.Path())
	if w.Memory == nil {
		return curator.Open(root, dir, options)
	}
	shared, ok := w.Memory.of.Load(dir)
	if !ok {
		opened, err := curator.Open(w.Memory.Root, dir, options)
		if err != nil {
			return nil, err
		}
		shared, _ = w.Memory.of.LoadOrStore(dir, opened)
	}
	return shared.(*curator.Curator), nil
}

// SharedMemory is the memory shared by the sessions of one process. It remembers closed sessions one after the other.
type SharedMemory struct {
	Finishing sync.RWMutex // read-locked while a session is remembered, locked while the files change otherwise

	Root *recorder.Root
	of   sync.Map // curators by folder
}

// FinishMemory completes interrupted changes of memory, and warns of all problems.
func (w *World) FinishMemory(ctx context.Context, of *curator.Curator) error {
	all, err := of.Recover(ctx, w.Clock(), w.NoticeProblem)
	for _, done := range all {
		if done.Session != "" {
			w.Warn("Session %s had closed and was cut off before it was remembered. It is now.", done.Session)
		}
		if done.Forgot != nil {
			w.Notice("What was to be forgotten, and was cut off, is forgotten now.")
			for _, place := range done.Forgot.Left {
				w.Notice("  It also stands in this place, which is left as it is: %s", place)
			}
		}
		w.NoticeReport(done.Memory)
	}
	return err
}

// Notice prints a line about memory or a session to begin, unless it was printed before.
func (w *World) Notice(format string, args ...any) {
	line := hostile.Terminal(fmt.Sprintf(format, args...))
	if !slices.Contains(w.notices, line) {
		w.notices = append(w.notices, line)
		w.Warn("%s", line)
	}
}

// Noticed reports whether an earlier notice contained the text of an error.
func (w *World) Noticed(err error) bool {
	text := hostile.Terminal(fmt.Sprint(err))
	return slices.ContainsFunc(w.notices, func(line string) bool { return strings.Contains(line, text) })
}

// NoticeProblem prints a problem of memory, which never stops a session.
func (w *World) NoticeProblem(err error) {
	if !w.Noticed(err) {
		w.Notice("council: memory: %v", err)
	}
}

// NoticeReport prints the entries that a change of memory set aside or could not read.
func (w *World) NoticeReport(r store.Report) {
	for _, kept := range r.Asides {
		w.Notice("Memory: %s was not what was written there. It is written again; what it held is kept as %s.", kept.Path,
			kept.Kept)
	}
	for _, left := range r.Left {
		w.Notice("Memory: %s was left as it is: %s. It is caught up once it can be read; council memory check says what "+
			"to do.", left.Path, strings.TrimRight(left.Err.Error(), "."))
	}
	w.noticeEdits(r.Edits)
	for _, lacks := range r.Lacks {
		w.Notice("Memory: the log of session %s cannot be read: %s.", lacks.Session,
			strings.TrimRight(lacks.Err.Error(), "."))
	}
}

// noticeEdits prints people's edits of memory files that were not accepted.
func (w *World) noticeEdits(edits []store.Edit) {
	for _, e := range edits {
		if e.Err != nil {
			w.Notice("Memory: %v.", e.Err)
			continue
		}
		w.Notice("Memory: %s was edited. Nobody is told it before you take it in with council memory accept; with "+
			"--discard\nthe file is kept aside.", e.Path)
		for _, c := range e.Corrections {
			if c.Removed {
				w.Notice("  %s was removed, and becomes resolved: %s", c.Before.ID, hostile.Excerpt(c.Before.Summary, 90))
				continue
			}
			for _, f := range c.Fields() {
				w.Notice("  %s, %s\n    - %s\n    + %s", c.Before.ID, f[0], f[1], f[2])
			}
		}
	}
}
