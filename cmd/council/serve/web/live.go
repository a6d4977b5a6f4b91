package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/safehtml"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/live"
)

// feed follows one session for all its watchers. Its parts are the changing elements of the page, as HTML: a late or
// slow watcher gets the last of each.
type feed struct {
	s        *server
	at       *sitting
	told     *render.Transcript
	blocks   []string // the newest of the minutes, as HTML
	watchers int
	stop     context.CancelFunc

	parts   map[string]string
	changed chan struct{} // closed with the next change
}

// newest is how many of the latest events a live page shows.
const newest = 12

// watch returns the feed of a session, and how to leave it. It is followed from the first watcher to the last.
func (s *server) watch(id council.SessionID, short string) (*feed, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[id]
	if f == nil {
		ctx, stop := context.WithCancel(context.Background())
		f = &feed{s: s, stop: stop, parts: map[string]string{}, changed: make(chan struct{}),
			at: &sitting{Session: workspace.Session{ID: id, Short: short, Minutes: &minutes.Minutes{}}, ReadOnly: s.ReadOnly}}
		s.feeds[id] = f
		go f.follow(ctx)
	}
	f.watchers++
	return f, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.watchers--; f.watchers == 0 {
			f.stop()
			if s.feeds[id] == f {
				delete(s.feeds, id)
			}
		}
	}
}

// follow ends with the last watcher, or when the session cannot be read, which reloading the page explains.
func (f *feed) follow(ctx context.Context) {
	err := f.s.inWorkspace(func(w *workspace.Workspace) error {
		return w.Follow(ctx, f.at.ID, func(u live.Update) error { f.take(w, u); return nil })
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		f.put(map[string]string{"standing": "The page does not follow the session any more. Load it again."})
		f.s.mu.Lock()
		if f.s.feeds[f.at.ID] == f {
			delete(f.s.feeds, f.at.ID)
		}
		f.s.mu.Unlock()
	}
}

func (f *feed) take(w *workspace.Workspace, u live.Update) {
	t := f.at
	first := len(t.Entries) == 0
	for _, e := range u.Entries {
		t.Minutes.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
	}
	t.Entries, t.Now, t.Running, t.Questions = append(t.Entries, u.Entries...), u.State, u.Running, nil
	if !u.Running && t.Open() {
		t.Questions = questions(w, t.ID)
	}
	if first && len(u.Entries) > 0 {
		n := max(1, len(u.Entries)-newest)
		f.told, _ = render.NewTranscript(u.Entries[:n])
		f.tell(u.Entries[n:])
	} else if f.told != nil {
		f.tell(u.Entries)
	}
	parts := map[string]string{"standing": f.s.fragment("standing", t), "now": f.s.fragment("now", t),
		"acts": f.s.fragment("acts", t)}
	if len(u.Entries) > 0 || first {
		if first || !t.Open() { // only a closed session gets successors
			t.Later = w.Later(t.ID)
		}
		parts["body"], parts["told"] = f.s.fragment("body", t), f.s.fragment("told", f.blocks)
	}
	f.put(parts)
}

func (f *feed) tell(entries []wire.Entry) {
	for _, e := range entries {
		if more, grows := f.told.Add(e); grows && more != "" {
			f.blocks = append(f.blocks, safehtml.Of(more))
		}
	}
	f.blocks = f.blocks[max(0, len(f.blocks)-newest):]
}

// put notes parts as they are now.
func (f *feed) put(parts map[string]string) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	maps.Copy(f.parts, parts)
	close(f.changed)
	f.changed = make(chan struct{})
}

// unlike returns the parts that differ from those sent, and a channel that the next change closes.
func (f *feed) unlike(sent map[string]string) (parts map[string]string, next <-chan struct{}) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	parts = maps.Clone(f.parts)
	maps.DeleteFunc(parts, func(id, html string) bool { return sent[id] == html })
	return parts, f.changed
}

// live sends the parts of a session's page whenever they change, by server-sent events.
func (s *server) live(w http.ResponseWriter, r *http.Request) {
	var f *feed
	var leave func()
	err := s.read(r, func(_ *workspace.Workspace, t *sitting) error {
		f, leave = s.watch(t.ID, t.Short)
		return nil
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	beat := time.NewTicker(15 * time.Second) // so that a browser that went away is noticed
	defer beat.Stop()
	for sent := map[string]string{}; ; {
		parts, next := f.unlike(sent)
		if maps.Copy(sent, parts); len(parts) > 0 {
			text, _ := json.Marshal(parts) // of strings, always
			_, err = fmt.Fprintf(w, "data: %s\n\n", text)
		}
		if err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-beat.C:
			_, err = fmt.Fprint(w, ":\n\n")
		case <-r.Context().Done():
			return
		}
	}
}
