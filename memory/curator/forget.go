package curator

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// ForgetResult is the result of forgetting.
type ForgetResult struct {
	Records, Events, Sessions int // that lost words
	Memory                    store.Report
	Restored                  []council.SessionID // that were archived, and are not any more
	Left                      []string            // places that still hold such words, for people
}

// Lines describes the result for people, without the places that are left.
func (r ForgetResult) Lines() []string {
	lines := []string{fmt.Sprintf("Forgotten: %s, and the words of %s in %s.", plural.Things(r.Records, "record"),
		plural.Things(r.Events, "event"), plural.Things(r.Sessions, "session"))}
	for _, id := range r.Restored {
		lines = append(lines,
			fmt.Sprintf("Session %s was taken out of the archive for it; council record gc --apply archives it again.", id))
	}
	return lines
}

// Forget erases the records and events of a plan from the logs and conversations of sessions, from memory and its
// journal, from episodes, turns and the index. It cannot be undone. The plan is durable before anything changes:
// [Curator.Recover] finishes a forgetting that is killed or refused.
//
// The error names what is not forgotten yet, such as a session that another process holds; all else is.
func (w *Curator) Forget(ctx context.Context, o ForgetPlan, by string, in recorder.Inputs) (ForgetResult, error) {
	lock, err := atomicfile.WaitLock(w.Root.Files(), intentLock, patience)
	if err != nil {
		return ForgetResult{}, fmt.Errorf("cannot forget in %s: %w", w.Root.Path(), err)
	}
	all, err := w.readIntents()
	all = append(all, intent{By: by, Memory: w.Store.Path(), Plan: o})
	if err == nil {
		err = w.writeIntents(all)
	}
	if err != nil {
		err = fmt.Errorf("cannot note what is to be forgotten, so nothing was changed: %w", err)
		return ForgetResult{}, errors.Join(err, lock.Release())
	}
	done, err := w.carryOut(ctx, all, in)
	return done[len(done)-1], errors.Join(err, lock.Release())
}

// forget carries out an intent from the beginning; it may have been carried out in part before.
func (w *Curator) forget(ctx context.Context, i intent, in recorder.Inputs) (ForgetResult, error) {
	done := ForgetResult{Records: len(i.Plan.Records)}
	var undone []error
	for _, id := range i.Plan.Sessions() {
		erased, err := w.Root.Forget(id, i.Plan.erasing(id), in)
		switch {
		case errors.Is(err, recorder.ErrNotClosed):
			done.Left = append(done.Left,
				fmt.Sprintf("session %s, which is not closed: finish or adjourn it, and forget once more", id))
		case isGone(err):
		case err != nil:
			undone = append(undone, fmt.Errorf("session %s: %w", id, err))
		default:
			done.Sessions++
			done.Events += len(erased.Events)
			if erased.Restored {
				done.Restored = append(done.Restored, id)
			}
		}
		undone = append(undone, w.rewriteEpisode(id))
	}
	words := slices.Concat(i.Plan.Phrases, i.Plan.Said)
	var err error
	done.Memory, err = w.Store.Forget(i.Plan.Records, expunge.NewPhrases(words...).Hold, i.By, in.Now())
	undone = append(undone, err, w.refillIndex(ctx))
	if err := errors.Join(undone...); err != nil {
		return done, err
	}
	const chance = 40 // bytes of words that few files hold by chance
	for _, p := range w.filesHolding(slices.Concat(i.Plan.Phrases, searchableWords(i.Plan.Said, chance))) {
		done.Left = append(done.Left, p.name)
	}
	done.Left = append(done.Left, ForgetPlan{Named: i.Plan.Named}.Staying()...)
	slices.Sort(done.Left)
	done.Left = slices.Compact(done.Left)
	return done, nil
}

func (f *files) rewriteEpisode(id council.SessionID) error {
	entries, err := f.Root.Closed(id)
	if isGone(err) || err == nil && entries == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Chronicle.Write(chronicle.Of(entries))
}

// refillIndex fills the index again, which overwrites the content that it drops, and removes the indexes that were put
// aside.
func (f *files) refillIndex(ctx context.Context) error {
	if _, _, _, err := f.Reindex(ctx, func(error) {}); err != nil {
		return err
	}
	return atomicfile.Sweep(f.Root.Files(), func(name string) bool { return strings.HasPrefix(name, index.File+".") })
}

// intentFile lists the forgettings that have not reached their end, from before they change anything. It holds the
// words in clear, which are needed to finish, and is closed to other users. The holder of intentLock writes it.
const (
	intentFile = ".forgetting"
	intentLock = ".forgetting.lock"
)

const patience = 10 * time.Second

type intent struct {
	By     string     `json:"by"`
	Memory string     `json:"memory"` // its folder
	Plan   ForgetPlan `json:"plan"`
}

func (w *Curator) readIntents() (all []intent, err error) {
	text, err := atomicfile.Read(w.Root.Files(), intentFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what is still to be forgotten in %s: %w; "+
			"remove the file, and forget the words again", intentFile, err)
	}
	return all, nil
}

// writeIntents makes intents durable, or removes the file when there are none. It removes unfinished writes of the
// file. The caller holds the lock.
func (w *Curator) writeIntents(all []intent) error {
	files := w.Root.Files()
	err := atomicfile.Sweep(files, func(name string) bool {
		return strings.HasPrefix(name, "."+intentFile+".") && atomicfile.Temporary(name) ||
			name == intentFile && len(all) == 0
	})
	if err != nil || len(all) == 0 {
		return errors.Join(err, files.Sync())
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Write(files, intentFile, text)
}

// isGone reports whether an error says that a session does not exist any more, or never had an event.
func isGone(err error) bool {
	return errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun)
}

// finishForgetting carries out the intents of forgettings that were killed or refused, unless another process does.
func (w *Curator) finishForgetting(ctx context.Context, in recorder.Inputs) (done []ForgetResult, err error) {
	entries, err := w.Root.Files().List()
	if err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == intentFile || strings.HasPrefix(e.Name(), "."+intentFile+".")
	}) {
		return nil, nil
	}
	lock, err := atomicfile.TakeLock(w.Root.Files(), intentLock)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := w.readIntents()
	for i := range all {
		if err == nil {
			err = (&search{w.files, &all[i].Plan}).findAll() // a session may have closed since, and been remembered
		}
	}
	if err == nil {
		err = w.writeIntents(all)
	}
	if err == nil {
		done, err = w.carryOut(ctx, all, in)
	}
	if err != nil {
		err = fmt.Errorf("words that were to be forgotten may still be there: %w; the next command tries again", err)
	}
	return done, errors.Join(err, lock.Release())
}

// carryOut carries out intents, and keeps those that fail. It returns their results.
func (w *Curator) carryOut(ctx context.Context, all []intent, in recorder.Inputs) (done []ForgetResult, err error) {
	var left []intent
	for _, i := range all {
		home := w
		if info, failed := os.Stat(i.Memory); failed == nil && info.IsDir() {
			home = w.withMemory(i.Memory)
		}
		forgot, failed := home.forget(ctx, i, in)
		if err = errors.Join(err, failed); failed != nil {
			left = append(left, i)
		}
		done = append(done, forgot)
	}
	return done, errors.Join(err, w.writeIntents(left))
}

type place struct {
	name    string            // for people: the session for each of its files
	session council.SessionID // of its record, episode or turn; "" for other files
	ours    bool              // council makes it again
}

// filesHolding names the files of the workspace and of memory that hold words, each place once.
func (f *files) filesHolding(words []string) []place {
	sought := expunge.NewPhrases(words...)
	found := map[string]place{}
	for _, top := range []string{f.Store.Path(), f.Root.Path()} {
		_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), intentFile) {
				return nil // fsck names a file that cannot be read
			}
			if text, err := content(path); err == nil && sought.Hold(string(text)) {
				found[absolutePath(path)] = f.place(path)
			}
			return nil
		})
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b place) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(all)
}

func content(path string) (all []byte, err error) {
	if filepath.Ext(path) != ".zip" {
		return os.ReadFile(path)
	}
	pack, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	for _, f := range pack.File {
		text, failed := zipfile.Read(f, zipfile.Most)
		all, err = append(append(all, text...), '\n'), errors.Join(err, failed)
	}
	return all, errors.Join(err, pack.Close())
}

func (f *files) place(path string) place {
	slashed, base := filepath.ToSlash(path), filepath.Base(path)
	if strings.Contains(slashed, "/"+roundtable.Folder+"/") {
		return place{name: slashed} // as it was taken over
	}
	if _, rest, ok := strings.Cut(slashed, "/"+recorder.SessionsFolder+"/"); ok {
		id, file, _ := strings.Cut(rest, "/")
		if file != wire.File && !render.Derived(file) && !atomicfile.IsAside(base) && !atomicfile.Temporary(base) &&
			!strings.HasPrefix(file, conversation.Folder+"/") {
			return place{name: slashed}
		}
		return place{name: "session " + id, session: council.SessionID(id), ours: true}
	}
	if slices.ContainsFunc([]string{"/episodes/", "/turns/", "/" + recorder.ArchiveFolder + "/"},
		func(in string) bool { return strings.Contains(slashed, in) }) {
		id, _, _ := strings.Cut(base, ".")
		return place{name: "session " + id, session: council.SessionID(id), ours: true}
	}
	in, err := filepath.Rel(f.Store.Path(), absolutePath(path))
	ours := err == nil && store.IsOurs(filepath.ToSlash(in)) || strings.HasPrefix(base, index.File)
	return place{name: slashed, ours: ours || strings.Contains(slashed, "/"+conversation.AfterFolder+"/")}
}

// findFiles adds the files that hold a phrase: of sessions, of memory and a person's own.
func (q *search) findFiles() error {
	if len(q.plan.Phrases) == 0 {
		return nil
	}
	sought := expunge.NewPhrases(q.plan.Phrases...)
	asked, _ := q.Root.Conversations.List() // one that cannot be read is refused when it is to be removed
	for _, a := range asked {
		text, err := os.ReadFile(filepath.Join(q.Root.Path(), filepath.FromSlash(a.Path())))
		if err == nil && sought.Hold(string(text)) {
			q.plan.lose(a.Session)
		}
	}
	for _, p := range q.filesHolding(q.plan.Phrases) {
		switch {
		case p.session != "":
			q.plan.lose(p.session)
		case p.ours:
			q.plan.Stale = true
		default:
			q.plan.Own = append(q.plan.Own, p.name)
		}
	}
	return nil
}

func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
