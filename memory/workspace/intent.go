package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// intentFile is in the folder of the record from before a forgetting changes anything until nothing of it is left to
// do. It holds the words in clear, because they are needed to finish the forgetting; it is closed to other
// users, and the last step removes it.
const intentFile = ".forgetting"

// intentLock is held while an intent is written or carried out.
const intentLock = ".forgetting.lock"

// patience is how long a forgetting waits for another.
const patience = 10 * time.Second

// intent is what is to be forgotten, with all the words by which it is found.
type intent struct {
	By      string                              `json:"by"`
	Memory  string                              `json:"memory"`  // the folder of memory
	Records []string                            `json:"records"` // ids
	Events  map[council.SessionID][]council.Seq `json:"events"`
	Carried map[council.SessionID][]string      `json:"carried"`
	Phrases []string                            `json:"phrases"`
	Said    []string                            `json:"said"`   // words of the records and the events
	Remade  []council.SessionID                 `json:"remade"` // whose episode and turns alone hold a phrase
}

// sessions lists the sessions that lose words, oldest first.
func (i intent) sessions() []council.SessionID {
	return ForgetPlan{Events: i.Events, Carried: i.Carried}.Sessions()
}

// remade lists the sessions whose episodes and turns are made again, oldest first.
func (i intent) remade() []council.SessionID {
	all := append(i.sessions(), i.Remade...)
	slices.Sort(all)
	return slices.Compact(all)
}

// words returns the phrases that memory must not hold.
func (i intent) words() []string { return worth(slices.Concat(i.Phrases, i.Said)) }

// intend collects what has to be known to carry a forgetting out, while the words still stand where they were said.
func (w *Workspace) intend(o ForgetPlan, by string) (intent, error) {
	i := intent{
		By: by, Memory: w.Store.Path(), Events: o.Events, Carried: o.Carried, Phrases: o.Phrases, Remade: o.Remade,
	}
	for _, r := range o.Records {
		i.Records = append(i.Records, r.ID)
		i.Said = append(i.Said, r.Summary, r.Detail)
	}
	for _, id := range o.Sessions() {
		entries, err := w.Root.Closed(id)
		if err != nil && !gone(err) {
			return i, err
		}
		if entries == nil {
			continue // it is not closed, and keeps its words
		}
		i.Said = append(i.Said, o.Carried[id]...)
		i.Said = append(i.Said, expunge.NewPlan(entries, o.Events[id], o.Carried[id]).Said()...)
	}
	i.Said = worth(i.Said)
	return i, nil
}

// add takes what another intent has not carried out yet into this one.
func (i *intent) add(other intent) {
	i.Records = union(i.Records, other.Records)
	i.Phrases = union(i.Phrases, other.Phrases)
	i.Said = union(i.Said, other.Said)
	i.Remade = union(i.Remade, other.Remade)
	i.Events, i.Carried = maps.Clone(i.Events), maps.Clone(i.Carried)
	for id, events := range other.Events {
		i.Events[id] = union(i.Events[id], events)
	}
	for id, words := range other.Carried {
		i.Carried[id] = union(i.Carried[id], words)
	}
}

func union[T string | council.Seq | council.SessionID](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// intended reads the intent of a forgetting that is not finished; ok is false when there is none.
func (w *Workspace) intended() (i intent, ok bool, err error) {
	text, err := atomicfile.Read(w.Root.Files(), intentFile)
	if errors.Is(err, fs.ErrNotExist) {
		return intent{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &i)
	}
	if err != nil {
		return intent{}, false, fmt.Errorf("cannot read what is still to be forgotten in %s: %w; "+
			"remove the file, and forget the words again", intentFile, err)
	}
	return i, true, nil
}

// keep makes an intent durable.
func (w *Workspace) keep(i intent) error {
	text, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return atomicfile.Write(w.Root.Files(), intentFile, text)
}

// discard takes the intent away, and what writes of it that were cut off have left.
func (w *Workspace) discard() error {
	files := w.Root.Files()
	err := files.Remove(intentFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, w.sweepIntents(), files.Sync())
}

// sweepIntents removes what writes of an intent that were cut off have left. The caller holds the lock.
func (w *Workspace) sweepIntents() error {
	files := w.Root.Files()
	entries, err := files.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+intentFile+".") && atomicfile.Temporary(e.Name()) {
			if err := files.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// gone reports whether a session does not exist any more, or never had an event.
func gone(err error) bool {
	return errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun)
}

// finishForgetting carries out what a forgetting that was cut off or refused has left to do. It returns nil when there
// was nothing, or when another process is at it.
func (w *Workspace) finishForgetting(ctx context.Context, in recorder.Inputs) (done *Forgot, err error) {
	if !w.begunToForget() {
		return nil, nil
	}
	lock, err := atomicfile.TakeLock(w.Root.Files(), intentLock)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	i, ok, err := w.intended()
	if err == nil && !ok { // it was killed before the intent was durable, or after it was done
		return nil, w.sweepIntents()
	}
	if err == nil {
		i, err = w.again(i)
	}
	if err == nil {
		home := w
		if s, failed := openStore(w.Root, i.Memory, w.options); failed == nil && isFolder(i.Memory) {
			home = &Workspace{Root: w.Root, Store: s, Chronicle: w.Chronicle, options: w.options}
		}
		forgot, failed := home.carryOut(ctx, i, in)
		done, err = &forgot, failed
	}
	if err != nil {
		return nil, fmt.Errorf("words that were to be forgotten may still stand: %w; the next command tries again", err)
	}
	return done, nil
}

// again looks once more for what holds the words of an intent: a session may have closed since, and been remembered.
func (w *Workspace) again(i intent) (intent, error) {
	o := ForgetPlan{Events: i.Events, Carried: i.Carried, Phrases: i.Phrases}
	for _, id := range i.Records {
		o.Records = append(o.Records, store.Held{Record: memory.Record{ID: id}})
	}
	if err := w.derived(&o); err != nil {
		return i, err
	}
	if err := w.sessionsTold(&o); err != nil {
		return i, err
	}
	more, err := w.intend(o, i.By)
	if err != nil {
		return i, err
	}
	more.add(i)
	more.Memory = i.Memory
	return more, w.keep(more)
}

// begunToForget reports whether there is an intent, or what the write of one has left.
func (w *Workspace) begunToForget() bool {
	entries, err := w.Root.Files().List()
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == intentFile || strings.HasPrefix(e.Name(), "."+intentFile+".")
	})
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
