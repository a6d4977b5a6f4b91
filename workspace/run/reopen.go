package run

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Reopening is a closed session that is taken up again.
type Reopening struct {
	charter council.Charter
	topic   council.Topic // with all that members are given of that session
}

// Reopen takes up a closed session again, from where it ended; revise sends its document back. Members are told the
// reason. record writes what they may read of the session: without models and costs.
func Reopen(w *site.World, root *recorder.Root, id council.SessionID, because string, revise bool,
	record func(council.View, council.Seq) string) (*Reopening, error) {
	if strings.TrimSpace(because) == "" {
		return nil, site.Refuse("nothing says why the session is taken up again",
			"Members are told the reason: --because \"why\".")
	}
	reason, _, err := site.ComposeNote(w, root, "reason", because, council.MaxNote)
	if err != nil {
		return nil, err
	}
	closed, err := ReadReview(w, root, id, "take up again")
	if err != nil {
		return nil, err
	}
	session, m := closed.Session, closed.Minutes
	draft := m.FinalDraft()
	topic := m.Started.Topic
	switch {
	case expunge.LostWords(topic.Text) || expunge.LostWords(*m.Outcome):
		return nil, fmt.Errorf("words of what session %s was asked or decided were forgotten, so it cannot be taken up again",
			id)
	case revise && (draft == nil || draft.Erased):
		return nil, site.Refuse(fmt.Sprintf("session %s has no document that could be revised", id),
			"To have its decision reconsidered: "+site.CommandLine(root, "council reopen "+root.Short(id)+` --because "why"`))
	}
	r := &Reopening{charter: *session.Reached(), topic: council.Topic{Text: topic.Text, Reopens: &council.Reopened{
		Session: id, Closed: m.Closed.Format(time.DateOnly), Because: reason,
	}}}
	if !m.Outcome.Rehearsed {
		r.topic.Reopens.Resolutions = m.Outcome.Resolutions
	}
	r.charter.Storage.MemoryDir = curator.MemoryDir(r.charter.Storage, root.Path())
	r.charter.Storage.RootDir, r.charter.Budget, r.charter.Deliberation.Convener = root.Path(), session.Budget(), false
	for _, d := range topic.Documents {
		if d.Note == nil { // of the notes, those count that are kept now
			r.topic.Documents = append(r.topic.Documents, council.Document{Name: d.Name, Text: d.Text, Shows: d.Shows})
		}
	}
	r.topic.Skipped = slices.DeleteFunc(slices.Clone(topic.Skipped), func(s council.Skipped) bool { return s.Notes })
	give := func(file, text string) string {
		name := root.Short(id) + "/" + file
		r.topic.Documents = append(r.topic.Documents, council.NewDocument(name, text))
		return name
	}
	c := unnamed(*session.Charter())
	r.topic.Reopens.Record = give("record.txt", record(council.View{Charter: &c, Events: session.Events()}, 0)+"\n")
	if revise {
		r.topic.Reopens.Draft = give("documentation.md", draft.Markdown)
		for _, b := range m.Unmet().Blockers {
			r.topic.Reopens.Blockers = append(r.topic.Reopens.Blockers, b.Blocker)
		}
	}
	return r, nil
}

// unnamed returns a charter without the members' names, if members do not learn them.
func unnamed(c council.Charter) council.Charter {
	if c.HidesPeers() {
		c.Members = slices.Clone(c.Members)
		for i := range c.Members {
			c.Members[i].Name, c.Members[i].Role = fmt.Sprintf("Member %d", i+1), ""
		}
	}
	return c
}

// reading returns the council of a session that takes up another, at the pace that is asked for.
func (r *Reopening) reading(o seat.Choice) (seat.Reading, error) {
	if len(o.Models) == 0 && site.HasConfigFor(r.charter.Storage.RootDir) {
		if err := r.reseat(); err != nil {
			return seat.Reading{}, err
		}
	}
	read := seat.Reading{Charter: r.charter, From: "as session " + string(r.topic.Reopens.Session) + " was convened",
		ByFile: seat.NamedIn(&r.charter)}
	return read, seat.SetPace(&read.Charter, o.Pace)
}

// reseat gives the members of a ready-made council with one model those that the configuration here names, if any.
func (r *Reopening) reseat() error {
	c := r.charter
	c.Members = slices.Clone(c.Members)
	var had []council.Model
	for i := range c.Members {
		if m := &c.Members[i].Model; !m.Kind().Person {
			had, *m = append(had, *m), council.Model{Provider: council.ProviderUnchosen}
		}
	}
	if !readyMade(&c) || slices.ContainsFunc(had, func(m council.Model) bool { return !reflect.DeepEqual(m, had[0]) }) {
		return nil
	}
	err := seat.SeatConfigured(&c)
	if err == nil && !seat.MissesModel(&c) {
		r.charter = c
	}
	return err
}

func readyMade(c *council.Charter) bool {
	return slices.ContainsFunc(templates.Councils(), func(name string) bool {
		doc, _ := templates.Council(name)
		ready, err := config.Parse(doc)
		n := len(ready.Members)
		return err == nil && ready.CouncilName == c.CouncilName && n <= len(c.Members) &&
			slices.EqualFunc(ready.Members, c.Members[:n], func(a, b council.Member) bool { return a.ID == b.ID })
	})
}

// add gives a topic what members are given of the session that is taken up again, except documents that are given anew.
func (r *Reopening) add(t *council.Topic) {
	t.Reopens = r.topic.Reopens
	t.Skipped = append(t.Skipped, r.topic.Skipped...)
	t.Skipped = t.Skipped[:min(len(t.Skipped), maxLeftOut)]
	for _, d := range r.topic.Documents {
		if !slices.ContainsFunc(t.Documents, func(given council.Document) bool { return given.Name == d.Name }) {
			t.Documents = append(t.Documents, d)
		}
	}
}
