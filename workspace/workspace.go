// Package workspace holds the operations on one .council folder, for programs and for the faces of the command: a
// terminal, pages in a browser, and agents that speak the Model Context Protocol. No operation prints, reads arguments
// or ends the program; requests and results are plain values.
//
// [Open] opens a folder. On it
//
//   - Plan, Convene, Resume and Reopen hold a session; [Run] yields its events and stops it
//   - Say, Answer, Ask, Review and Rule are for the people who take part and answer for it
//   - Sessions, Session, File, Export and Diff read sessions, their minutes, events, files and drafts
//   - Follow, Now and Waiting look at a session that another process holds, and at the questions that wait for people
//   - Records, Preview, Recall and ExportMemory read memory, the text in which members get it, and all that was said;
//     EditRecord, ResolveRecord, ImportMemory, PlanForgetting and Forget change it
//   - Verify and Check compare the record with its logs; Repair, Archive and Restore look after it
//   - Usage and Runs list the calls of models with their costs, and which process worked when on which session
//   - Retries, Routines, RuleRetry and RuleRoutine are about what is due to be convened or tried again, which Attend
//     and RetryDue do
//   - Conversations, Turns and [Councils]: questions after a close, what was said, and which councils can be convened
//   - [Examine] names what is wrong with a council, and [Evaluate] measures one; neither needs a folder
//
// Each asks policy, trust, budget and ledger for itself: a face cannot forget to. A session is named by its id, a
// beginning of the id that no other session has, the last word of the id, or "latest".
//
// An error is an [Error] with a code and advice, or wraps an error of the package that found it, such as
// [recorder.ErrUnknownSession]; [CodeOf] returns the code of both.
//
// # Stability
//
// Nothing is released yet. From the first release on this package, council, council/rules, council/engine,
// council/minutes, council/member and recorder follow semantic versioning. The formats are stable too, each with a
// version of its own: events.json and the conversations (docs/events.md), the files that council schema describes, and
// a configuration. Other packages may change with any version, and so do prompts: finish sessions before you update.
package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/trial"
)

// Error is a refusal with a [Code] and advice.
type Error = site.Error

// Code is the kind of an [Error].
type Code = site.Code

// The codes, see package site.
const (
	Internal   = site.Internal
	Invalid    = site.Invalid
	NotFound   = site.NotFound
	Ambiguous  = site.Ambiguous
	Denied     = site.Denied
	OverBudget = site.OverBudget
	Busy       = site.Busy
	Conflict   = site.Conflict
	Damaged    = site.Damaged
	Newer      = site.Newer
	Unwritable = site.Unwritable
)

// Options say how a workspace is opened. The zero value opens an existing one, reads no environment variable, drops
// warnings, and can ask nobody.
type Options struct {
	Create   bool                    // make the folder where there is none
	World    *site.World             // the clock, randomness, environment and disk; nil: those of the zero value
	Prompter Prompter                // asks the person for whom operations are carried out; nil: none can be asked
	Models   map[string]member.Model // answer for members by the names of their providers, beside those known
}

// Prompter asks a person. Its methods may be called by several goroutines.
type Prompter interface {
	// Confirm asks a question of yes or no, such as whether what a configuration names is trusted.
	Confirm(ctx context.Context, question string) (bool, error)
	// Asker asks people who have seats on a council.
	member.Asker
}

func (o Options) world() *site.World {
	w := site.World{IsSet: func(string) bool { return false }, Getenv: func(string) string { return "" },
		Now: time.Now, Random: rand.Reader, Warn: func(string, ...any) {},
		Signals: func() (<-chan os.Signal, func()) { return nil, func() {} }}
	if o.World != nil {
		w = *o.World
	}
	if o.Models != nil {
		w.Models = o.Models
	}
	return site.NewWorld(w)
}

// Workspace is an open .council folder.
//
// A folder may be opened several times, by several processes too: nothing is locked by opening it. A session is locked
// while a process holds it, and so is a file while it is written, so that what is read is what was recorded. Operations
// that read wait for no session. All operations of one Workspace but Close may run at once.
type Workspace struct {
	world    *site.World
	root     *recorder.Root
	prompter Prompter
}

// Open opens the record, the memory and the ledger of a .council folder. Errors: [recorder.ErrNoRoot] where there is
// none and none is to be made, [recorder.ErrForeign] where the folder is something else, and [recorder.ErrNewer].
func Open(dir string, o Options) (*Workspace, error) {
	w := &Workspace{world: o.world(), prompter: o.Prompter}
	open := recorder.FindRoot
	if o.Create {
		open = recorder.OpenRoot
	}
	var err error
	if w.root, err = open(dir, w.world.Layer); err != nil {
		return nil, err
	}
	return w, nil
}

// In returns the workspace of a record that is open, in a world of the caller, who closes both.
func In(world *site.World, root *recorder.Root) *Workspace {
	return &Workspace{world: world, root: root}
}

// With calls do with a folder that is open meanwhile.
func With(dir string, o Options, do func(*Workspace) error) error {
	w, err := Open(dir, o)
	if err != nil {
		return err
	}
	defer w.Close()
	return do(w)
}

// Close closes the folder. No operation may be under way.
func (w *Workspace) Close() error {
	w.world.Close()
	return w.root.Close()
}

// own returns a world for one operation: warnings are noted in it.
func (w *Workspace) own() *site.World { return w.world.With(func(*site.World) {}) }

// Filter says which sessions a list holds.
type Filter = listing.Filter

// Listed is a session in a list.
type Listed = listing.Listed

// Sessions lists the newest sessions that a filter keeps, and returns how many it would keep without a limit.
func (w *Workspace) Sessions(ctx context.Context, f Filter) (list []Listed, all int, err error) {
	return listing.List(w.own(), ctx, w.root, f)
}

// Session is a session as it is at present.
type Session struct {
	ID      council.SessionID
	Short   string           // the shortest name that is its own in the workspace
	Entries []wire.Entry     // its events; empty where it was cut off before the first
	Minutes *minutes.Minutes // what its events come to
	Running bool             // a process holds it
}

// Find returns the id of the session that has a name.
func (w *Workspace) Find(name string) (council.SessionID, error) { return w.root.Find(name) }

// Session reads a session.
func (w *Workspace) Session(name string) (Session, error) {
	id, err := w.root.Find(name)
	if err != nil {
		return Session{}, err
	}
	entries, err := w.root.Read(id)
	if err != nil && !errors.Is(err, recorder.ErrNotBegun) {
		return Session{}, err
	}
	m := render.MinutesOf(entries)
	m.Evaluated = site.Evaluated(w.root, m)
	_, held := w.root.Holder(id)
	return Session{ID: id, Short: w.root.Short(id), Entries: entries, Minutes: m, Running: held}, nil
}

// IDs lists the ids of all sessions, the newest first.
func (w *Workspace) IDs() ([]council.SessionID, error) { return w.root.IDs() }

// Later returns a sentence for each later session or record that reopens a session or replaces its decision.
func (w *Workspace) Later(id council.SessionID) []string {
	return listing.SuccessorLines(w.own(), w.root, id)
}

// Now returns what a running session is doing; nothing where no process holds it.
func (w *Workspace) Now(id council.SessionID) (live.State, error) { return live.Read(w.root, id) }

// Follow calls tell with what was recorded of a session and with how it stands, again whenever either changes, until
// ctx ends or tell fails, and returns that error.
func (w *Workspace) Follow(ctx context.Context, id council.SessionID, tell func(live.Update) error) error {
	return live.Follow(ctx, w.root, id, tell)
}

// Waiting returns the questions of a suspended session that wait for people.
func (w *Workspace) Waiting(id council.SessionID) (listing.Waiting, error) {
	return listing.ReadWaiting(w.root, id)
}

// File returns a file of a session, such as [render.FileTranscript]. A name that no file has is an [Invalid] error. A
// session that was taken over from roundtable has the files of its folder.
func (w *Workspace) File(name, file string) (text []byte, err error) {
	id, err := w.root.Find(name)
	if errors.Is(err, recorder.ErrUnknownSession) {
		adopted, failed := reading.InAdopted(w.root, name,
			func(s roundtable.Session, folder atomicfile.Files, names []string) (err error) {
				text, err = reading.AdoptedFile(s, folder, names, file)
				return err
			})
		if adopted || failed != nil {
			return text, failed
		}
	}
	if err != nil {
		return nil, err
	}
	entries, err := w.root.Read(id)
	if err != nil {
		return nil, err
	}
	return reading.File(id, entries, file)
}

// Export returns a session in one of [reading.Formats].
func (w *Workspace) Export(id council.SessionID, format string) ([]byte, error) {
	return reading.Export(w.own(), w.root, id, format)
}

// Verify recomputes a session from its log and compares every file, with the anchors that this machine keeps and those
// that are given. It changes nothing.
func (w *Workspace) Verify(id council.SessionID, given recorder.Trust) (verify.Report, error) {
	return site.VerifySession(w.own(), w.root, id, given)
}

// Check looks through the whole record, and changes nothing. Its error is that of the folder; those in it are findings.
func (w *Workspace) Check() (recorder.Findings, error) {
	anchors := w.world.Anchors()
	return w.root.Check(func(id council.SessionID) (recorder.Trust, error) { return anchors.TrustIn(w.root, id) })
}

// Diff returns two drafts of the document of a session, see [reading.Diff].
func (w *Workspace) Diff(id council.SessionID, versions ...int) (reading.Drafts, error) {
	return reading.Diff(w.root, id, versions...)
}

// Conversations lists what members were asked after a close, the last used first. An unreadable one says why.
func (w *Workspace) Conversations() ([]conversation.After, error) {
	return w.root.Conversations.List()
}

// Turns returns what was said in a closed session. Turns that cannot be read are missing, and are the error.
func (w *Workspace) Turns(name string) ([]chronicle.Turn, error) {
	e, err := reading.Episode(w.root, name)
	if err != nil {
		return nil, err
	}
	return episodes.New(w.root.Files()).Turns(e)
}

// Councils lists the councils that can be convened by their names where the record is in dir; "" is the usual place.
// One that cannot be used says why.
func Councils(dir string, o Options) ([]seat.Line, error) {
	places := seat.PlacesOf(o.world(), dir)
	names, err := places.Names()
	return council.Map(names, places.Line), err
}

// Examine names what is wrong with a council before it costs. Its error is that of a check that could not be made.
func Examine(ctx context.Context, o Options, of doctor.Case) (*doctor.Report, error) {
	world := o.world()
	defer world.Close()
	return doctor.For(world, of.Charter.Storage.RootDir).Examine(ctx, of)
}

// Evaluate puts questions with known answers to a council, and returns the data set, see [trial.Run].
func Evaluate(ctx context.Context, o Options, r trial.Request) (*evaluation.Dataset, error) {
	world := o.world()
	defer world.Close()
	return trial.Run(world, ctx, r)
}

// Usage sums up the calls of models by one of [index.Groups], since a day such as 2026-11-01 or a time before now such
// as 7d; "" is the beginning. Sessions that cannot be read are not counted, and are the error.
func (w *Workspace) Usage(ctx context.Context, by, since string) (sums []index.Used, err error) {
	from, err := reading.CheckUsage(by, since, w.world.Now())
	if err != nil {
		return nil, err
	}
	unread, err := reading.WithHistory(ctx, w.root, func(ix *index.Index) (err error) {
		sums, err = ix.Usage(ctx, by, from)
		return err
	})
	return sums, errors.Join(append(unread, err)...)
}

// Runs lists the newest runs, at most so many; 0 is all: which process worked when on which session. Runs of sessions
// that cannot be read may be missing, which are the error.
func (w *Workspace) Runs(ctx context.Context, limit int) (runs []index.Run, err error) {
	unread, err := reading.WithHistory(ctx, w.root, func(ix *index.Index) (err error) {
		runs, _, err = reading.Runs(ctx, w.root, ix, "", limit)
		return err
	})
	return runs, errors.Join(append(unread, err)...)
}

// Retries lists the sessions that are tried again once what stopped them may have passed, the next one first.
func (w *Workspace) Retries() ([]*audit.QueuedSession, error) {
	_, p, err := w.plans()
	if err != nil {
		return nil, err
	}
	return p.Queue.List(), nil
}

// Routines lists the routines. problem returns why one cannot be convened, or nil.
func (w *Workspace) Routines(problem func(*recorder.Root, schedule.Routine) error) ([]schedule.Listed, error) {
	world, p, err := w.plans()
	if err != nil {
		return nil, err
	}
	return p.ListAll(world, problem)
}

// Records lists the records of memory that a filter keeps, those that changed last first. The records of files that
// cannot be read are missing, and these are the error.
func (w *Workspace) Records(ctx context.Context, f memories.Filter) ([]memories.Shown, error) {
	held, err := seat.RecoverMemory(w.own(), ctx, w.root, "")
	if err != nil {
		return nil, err
	}
	all, unread, err := memories.List(held, f)
	return all, errors.Join(append(unread, err)...)
}

// Preview returns the text in which members get memory. Books that cannot be read are missing, and are the error.
func (w *Workspace) Preview(ctx context.Context, p memories.Preview) (string, error) {
	world := w.own()
	held, err := seat.RecoverMemory(world, ctx, w.root, "")
	if err != nil {
		return "", err
	}
	text, unread, err := p.Text(world, held)
	return text, errors.Join(append(unread, err)...)
}

// ExportMemory returns the records of all books, those of the archives included. unread are the errors of records that
// are missing. dir is the folder of memory; "" is that of the configuration.
func (w *Workspace) ExportMemory(ctx context.Context, dir string) (all []memories.ExportedBook, unread []error,
	err error) {
	held, err := seat.RecoverMemory(w.own(), ctx, w.root, dir)
	if err != nil {
		return nil, nil, err
	}
	return memories.Export(held)
}

// Recall searches everything that was said, decided and remembered. It builds the index where there is none.
func (w *Workspace) Recall(ctx context.Context, q index.Query) (index.Found, error) {
	return memories.Recall(w.own(), ctx, w.root, q)
}
