// Package listing lists sessions, and the questions that wait for people.
package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Filter says which sessions a list holds. The zero value keeps all.
type Filter struct {
	Session council.SessionID // only this one
	Since   string            // none older: a day such as 2026-11-01, or a time before now such as 7d or 12h
	Status  []string          // only those with one of these [minutes.Words] as their state or approval
	Limit   int               // at most so many, the newest; 0: all
}

// Keeps returns the test that a session must pass; nil: all do. A word without meaning is an [site.Invalid] error.
func (f Filter) Keeps(now time.Time) (func(recorder.Summary) bool, error) {
	since, err := site.Since("since", f.Since, now)
	if err != nil || f.Since == "" && f.Status == nil && f.Session == "" {
		return nil, err
	}
	for _, word := range f.Status {
		if err := site.KnownWord("status", word, minutes.Words()); err != nil {
			return nil, err
		}
	}
	return func(s recorder.Summary) bool {
		return (f.Session == "" || s.ID == f.Session) && !s.Started.Before(since) && (f.Status == nil ||
			slices.Contains(f.Status, string(s.State)) || slices.Contains(f.Status, s.Approval))
	}, nil
}

// List returns the newest sessions of a workspace that a filter keeps, and how many it would keep without a limit.
func List(world *site.World, ctx context.Context, r *recorder.Root, f Filter) ([]Listed, int, error) {
	keeps, err := f.Keeps(world.Now())
	if err != nil {
		return nil, 0, err
	}
	most, read := f.Limit, f.Limit
	if keeps != nil {
		read = 0
	}
	sessions, all, err := history.List(ctx, r, read)
	if err == nil {
		sessions, all, err = withAdopted(r, sessions, all, read)
	}
	successorsOf := successorsAmong(world, r, sessions)
	if err == nil && keeps != nil {
		sessions = slices.DeleteFunc(sessions, func(s recorder.Summary) bool { return !keeps(s) })
		if all = len(sessions); most > 0 {
			sessions = sessions[:min(all, most)]
		}
	}
	ids, failed := r.IDs()
	short := recorder.Short(ids)
	var found []Listed
	for _, s := range sessions {
		l := listed(s, short(s.ID))
		l.successors = successorsOf(s.ID)
		found = append(found, l)
	}
	return found, all, errors.Join(err, failed)
}

// Listed is a session in a list, as --json prints it.
type Listed struct {
	Workspace string            `json:"workspace,omitempty"` // its name, where those of several are listed
	ID        council.SessionID `json:"id"`
	Short     string            `json:"short"`             // the shortest name that is its own there
	Started   string            `json:"started,omitempty"` // RFC 3339, UTC
	Topic     string            `json:"topic,omitempty"`
	Council   string            `json:"council,omitempty"`
	minutes.Gist
	successors
	Reason  string           `json:"reason,omitempty"` // why it is suspended or cannot be read, or who runs it
	Events  int              `json:"events"`
	Outcome *council.Outcome `json:"outcome,omitempty"`
}

func listed(s recorder.Summary, short string) Listed {
	l := Listed{ID: s.ID, Short: short, Topic: s.Topic, Council: s.Council, Gist: s.Gist, Events: s.Events,
		Outcome: s.Outcome}
	if !s.Started.IsZero() {
		l.Started = s.Started.Format("2006-01-02T15:04:05.000Z")
	}
	switch {
	case s.Err != nil:
		l.Reason = s.Err.Error()
	case s.Suspended != nil:
		l.Reason = s.Suspended.Error()
	case s.State == minutes.StateRunning:
		l.Reason = s.Holder.String()
	}
	return l
}

// Status describes in a few words how a session stands.
func Status(s recorder.Summary) string {
	if l := listed(s, ""); l.Reason != "" {
		return fmt.Sprintf("%s (%s)", s.State, l.Reason)
	}
	return site.Joined(", ", string(s.State), s.Approval)
}

// withAdopted adds the sessions that were taken over to a list of at most so many; 0 is all.
func withAdopted(root *recorder.Root, sessions []recorder.Summary, all, most int) ([]recorder.Summary, int, error) {
	err := roundtable.In(root.Files(), func(r *roundtable.Record) error {
		old, _ := r.Sessions() // what cannot be read was told when it was taken over
		for _, s := range old {
			m := render.MinutesOf(s.Log)
			gist := m.Gist()
			gist.State = m.Standing(false) // no process of ours works on it
			sessions = append(sessions, recorder.Summary{Gist: gist, ID: s.ID, Started: s.Log[0].Time,
				Topic: m.Started.Topic.Text, Council: m.Started.Charter.CouncilName, Outcome: m.Outcome, Events: len(s.Log)})
		}
		slices.SortStableFunc(sessions, func(a, b recorder.Summary) int { return cmp.Compare(b.ID, a.ID) })
		if all += len(old); most > 0 {
			sessions = sessions[:min(len(sessions), most)]
		}
		return nil
	})
	return sessions, all, err
}

// successors names the sessions and records that reopen a closed session or replace its decision. Its log lacks them.
type successors struct {
	ReopenedBy   []council.SessionID `json:"reopenedBy,omitempty"`   // sessions that take it up again, oldest first
	SupersededBy []string            `json:"supersededBy,omitempty"` // sessions or a person's records that replace it
}

// Words returns "reopened", "superseded", both, or nothing.
func (s successors) Words() string {
	reopened, superseded := "", ""
	if s.ReopenedBy != nil {
		reopened = "reopened"
	}
	if s.SupersededBy != nil {
		superseded = "superseded"
	}
	return site.Joined(", ", reopened, superseded)
}

// successorsAmong returns the successors of the sessions of a list. The list holds all newer sessions too.
func successorsAmong(w *site.World, root *recorder.Root,
	list []recorder.Summary) func(council.SessionID) successors {
	reopened, superseded := map[council.SessionID][]council.SessionID{}, map[council.SessionID][]string{}
	for _, s := range slices.Backward(list) {
		if s.Reopens != "" {
			reopened[s.Reopens] = append(reopened[s.Reopens], s.ID)
		}
	}
	var all []memory.Record
	if dir, err := seat.MemoryDir(w, root.Path(), ""); err == nil {
		if held, err := store.Open(dir, store.Options{}); err == nil {
			all, _ = held.All("") // the verbs of memory report an unreadable file
		}
	}
	records := map[string]memory.Record{}
	for _, r := range all {
		records[r.ID] = r
	}
	for _, heir := range all {
		by := heir.ID
		for _, e := range heir.Evidence {
			if e.EventID != "" {
				by = string(e.SessionID) // the last that bore it out
			}
		}
		for _, id := range heir.Supersedes {
			old := records[id]
			if old.Kind != memory.KindDecision || old.Status != memory.StatusSuperseded {
				continue
			}
			for _, e := range old.Evidence {
				in := e.SessionID
				if e.EventID != "" && string(in) != by && !slices.Contains(superseded[in], by) {
					superseded[in] = append(superseded[in], by)
				}
			}
		}
	}
	return func(id council.SessionID) successors { return successors{reopened[id], superseded[id]} }
}

// SuccessorLines returns a sentence for each successor of a session.
func SuccessorLines(world *site.World, root *recorder.Root, id council.SessionID) (lines []string) {
	ids, err := root.IDs()
	if err != nil {
		return nil
	}
	began := string(id)[:min(len(id), len("20060102-150405"))]
	later := sort.Search(len(ids), func(i int) bool { return string(ids[i]) < began })
	list, _, err := root.Newest(later, nil)
	if err != nil {
		return nil
	}
	s := successorsAmong(world, root, list)(id)
	for _, by := range s.ReopenedBy {
		lines = append(lines, "This session was taken up again: "+site.CommandLine(root, "council show "+root.Short(by)))
	}
	for _, by := range s.SupersededBy {
		show := "council memory show " + by
		if !strings.HasPrefix(by, "r-") {
			show = "council show " + root.Short(council.SessionID(by))
		}
		lines = append(lines, "A decision of this session was superseded: "+site.CommandLine(root, show))
	}
	return lines
}

// Waiting is a session with the questions that it has put to people.
type Waiting struct {
	root    *recorder.Root
	ID      council.SessionID
	Session *rules.Session
	Open    []council.Ask // without an answer
	Replied []council.Ask // answered; the answers go on the log when the session goes on
}

// In returns the questions of a session that wait for people.
func In(root *recorder.Root, s *rules.Session) (w Waiting, err error) {
	w = Waiting{root: root, ID: s.ID(), Session: s}
	asks := member.AskedOfPeople(s.Charter(), s.Ready().Asks)
	kept, err := root.Unrecorded(w.ID, nil)
	if err != nil {
		return Waiting{}, err
	}
	w.Replied = kept.Replied(asks)
	w.Open = slices.DeleteFunc(asks, func(q council.Ask) bool { return slices.Contains(w.Replied, q) })
	return w, nil
}

// ReadWaiting is waitingIn for a session that has not been read yet.
func ReadWaiting(root *recorder.Root, id council.SessionID) (Waiting, error) {
	session, err := site.Replay(root, id)
	if err != nil {
		return Waiting{}, err
	}
	return In(root, session)
}

// Line returns the command line of a verb on the session.
func (w Waiting) Line(verb string) string {
	return site.CommandLine(w.root, "council "+verb+" "+w.root.Short(w.ID))
}

// Name returns the name of the person to whom a question was put.
func (w Waiting) Name(q council.Ask) string {
	return hostile.Label(w.Session.Charter().Asked(q.Member).Name)
}

// Names lists the people to whom questions were put: "Kim", "Kim and Ann".
func (w Waiting) Names(asks []council.Ask) string { return site.And(council.Map(asks, w.Name)) }

// meant returns the index of the question with an id, or with a member of this id or name, see [names.Meant].
func (w Waiting) meant(asks []council.Ask, name string) int {
	return names.Meant(name, asks, func(q council.Ask) []string {
		return []string{string(q.ID), string(q.Member), w.Name(q)}
	})
}

// Choose finds the question that is meant, see meant: an open one, or one whose answer nobody has used yet. Without a
// name it is the only open one there is.
func (w Waiting) Choose(name string) (council.Ask, error) {
	none := council.Ask{}
	switch {
	case name == "" && len(w.Open) == 1:
		return w.Open[0], nil
	case name == "" && len(w.Open) > 1:
		members := council.Map(w.Open, func(q council.Ask) string { return string(q.Member) })
		return none, site.Refuse(fmt.Sprintf("session %s waits for %s", w.ID, w.Names(w.Open)),
			"Say who answers: --ask "+strings.Join(members, " or --ask ")+".")
	case name == "":
		return none, w.noQuestion()
	}
	if i := w.meant(w.Open, name); i >= 0 {
		return w.Open[i], nil
	}
	if i := w.meant(w.Replied, name); i >= 0 {
		return w.Replied[i], nil // whose answer can be changed until the session goes on
	}
	if m := w.Session.Charter().Asked(council.MemberID(name)); m != nil && !m.Model.Kind().Person {
		return none, fmt.Errorf("%s is not a person: %s asks it", hostile.Label(m.Name), w.Line("resume"))
	}
	for _, e := range w.Session.Events() {
		if r, ok := e.Answered(); ok && string(r.Ask) == name {
			return none, fmt.Errorf("the question %s was settled by event e%d, and an answer changes nothing any more",
				site.Quote(name), e.Seq)
		}
	}
	if len(w.Open) == 0 {
		return none, w.noQuestion()
	}
	ids := council.Map(w.Open, func(q council.Ask) council.AskID { return q.ID })
	return none, site.Refuse(fmt.Sprintf("session %s waits for no answer to %s", w.ID, site.Quote(name)),
		"It waits for: "+site.Join(ids)+".")
}

func (w Waiting) noQuestion() error {
	switch {
	case w.Session.Ready().Outcome != nil:
		return fmt.Errorf("session %s is closed: nobody is asked any more", w.ID)
	case len(w.Replied) > 0:
		return fmt.Errorf("session %s waits for nobody: %s answered already; it goes on with: %s", w.ID, w.Names(w.Replied),
			w.Line("resume"))
	}
	return fmt.Errorf("session %s waits for no person; it goes on with: %s", w.ID, w.Line("resume"))
}
