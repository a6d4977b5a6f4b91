package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Verdict is a person's ruling on the execution brief of a closed session. The zero value approves it.
type Verdict struct {
	SHA256   string         // that the brief must have; "": any
	Despite  bool           // approves also a brief that was rejected
	Note     string         // is kept with an approval, or with how the execution ended
	Amend    *council.Brief // takes the place of the brief, and is approved
	Reject   string         // rejects the brief, for this reason
	Started  bool           // the brief is being carried out
	Finished string         // how that ended, ok or failed
}

// Approves reports whether the verdict approves a brief.
func (v Verdict) Approves() bool { return v.Reject == "" && !v.Started && v.Finished == "" }

// Review is a closed session with the facts that a person needs before ruling on its execution brief.
type Review struct {
	Root     *recorder.Root
	Session  *rules.Session
	Minutes  *minutes.Minutes
	Brief    *council.Brief // the one that takes its place, where it is amended; nil: there is none
	SHA256   string         // of the brief
	Rejected *council.ExecutionRuling
}

// ReadReview reads a closed session whose record is intact. The error of one that is not wraps [recorder.ErrDamaged];
// that of one that is not closed names what was to be done.
func ReadReview(w *site.World, root *recorder.Root, id council.SessionID, do string) (*Review, error) {
	if err := site.CheckIntact(w, root, id); err != nil {
		return nil, err
	}
	r, err := readReview(root, id, nil)
	if err == nil && r.Session.Ready().Outcome == nil {
		err = fmt.Errorf("session %s is not closed, so there is nothing to %s; it goes on with: %s", id, do,
			site.CommandLine(root, "council resume "+root.Short(id)))
	}
	return r, err
}

// readReview reads a session; amended takes the place of its brief unless it is nil.
func readReview(root *recorder.Root, id council.SessionID, amended *council.Brief) (*Review, error) {
	entries, err := root.Read(id)
	if err != nil {
		return nil, err
	}
	session, err := rules.Replay(site.Events(entries))
	if err != nil {
		return nil, err
	}
	r := &Review{Root: root, Session: session, Minutes: render.MinutesOf(entries)}
	r.Minutes.Evaluated = site.Evaluated(root, r.Minutes)
	h := session.Handoff()
	if r.Brief, r.SHA256 = h.Brief, h.BriefSHA256; r.Brief != nil && amended != nil {
		r.Brief, r.SHA256 = amended, amended.SHA256()
	}
	if r.Brief != nil {
		r.Rejected = h.RejectionOf(r.SHA256)
	}
	return r, nil
}

// ReadBrief reads the brief of a session on which a verdict is to be given, or the one that is to take its place.
func ReadBrief(w *site.World, root *recorder.Root, id council.SessionID, v Verdict) (*Review, error) {
	if err := site.CheckIntact(w, root, id); err != nil {
		if v.Finished == "" {
			return nil, err
		}
		w.Warn("council: %v. How the execution ended is recorded all the same.", err)
	}
	r, err := readReview(root, id, v.Amend)
	switch {
	case err != nil:
		return nil, err
	case r.Brief == nil:
		return nil, errors.New("this session has no execution brief, so there is nothing to approve")
	case v.SHA256 != "" && v.SHA256 != r.SHA256:
		return nil, fmt.Errorf("the brief is %s, not %s; read it again before you approve it", r.SHA256, site.Quote(v.SHA256))
	}
	return r, nil
}

// Check refuses a verdict that cannot be recorded: it does not apply to the session as it was read, or the policy
// forbids it, which the ledger then says. Nothing else is written.
func (r *Review) Check(w *site.World, v Verdict) error {
	rulings, err := r.rulings(w, v)
	if err != nil {
		return err
	}
	if v.Amend == nil && expunge.LostWords(*r.Brief) && v.Finished == "" {
		return errors.New("words of this session's execution brief were forgotten, so nobody can read what would be " +
			"ruled on; give it another with --amend")
	}
	if _, err := r.Session.Rule(rulings[0]); err != nil {
		return fmt.Errorf("session %s: %w", r.Session.ID(), err)
	}
	if !v.Approves() {
		return nil
	}
	return checkApproval(w, r.Root, r.Session.ID(), *r.Brief)
}

// CheckRejection refuses to approve a brief that was rejected, unless the verdict does so despite it.
func (r *Review) CheckRejection(v Verdict) error {
	if r.Rejected == nil || v.Despite || !v.Approves() {
		return nil
	}
	why := ""
	if r.Rejected.Note != "" {
		why = ": " + hostile.Words(r.Rejected.Note)
	}
	return &site.Error{Code: site.Conflict, Problem: hostile.Label(r.Rejected.By) + " rejected this brief" + why,
		Hint: "To approve it all the same, add --despite-rejection."}
}

func (r *Review) rulings(w *site.World, v Verdict) ([]council.Ruling, error) {
	by, note := w.User().Name(), site.CutSecrets(v.Note)
	switch {
	case v.Reject != "":
		return []council.Ruling{council.ExecutionRejected{By: by, BriefSHA256: r.SHA256,
			Reason: site.CutSecrets(v.Reject)}}, nil
	case v.Started:
		return []council.Ruling{council.ExecutionStarted{By: by, BriefSHA256: r.SHA256}}, nil
	case v.Finished == "ok", v.Finished == "failed":
		return []council.Ruling{council.ExecutionFinished{By: by, Succeeded: v.Finished == "ok", Note: note}}, nil
	case v.Finished != "":
		return nil, site.Refuse("there is no end "+site.Quote(v.Finished), "Use --finished ok or --finished failed.")
	}
	approve := council.ExecutionApproved{By: by, BriefSHA256: r.SHA256, Note: note}
	if v.Amend != nil {
		return []council.Ruling{council.BriefAmended{By: by, Brief: *v.Amend}, approve}, nil
	}
	return []council.Ruling{approve}, nil
}

// Rule records a verdict on the brief that was read, unless the record has changed since, and returns the state of the
// execution. A brief that was rejected is a [site.Conflict], unless the verdict approves it all the same.
func (r *Review) Rule(ctx context.Context, w *site.World, v Verdict) (council.ExecutionStatus, error) {
	root, id := r.Root, r.Session.ID()
	rulings, err := r.rulings(w, v)
	if err == nil {
		err = r.CheckRejection(v)
	}
	if err != nil {
		return "", err
	}
	changed, err := root.Rebuild(id, w.Now())
	for _, c := range changed { // people edit a draft before they approve its execution
		if c.Kept != "" {
			w.Warn("%s was not what the log renders. It is written again; what it held is kept as %s.", c.Name, c.Kept)
		}
	}
	if err != nil {
		return "", err
	}
	folder, session, err := site.OpenUnfinished(w, root, id)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if err := site.CheckIntact(w, root, id); err != nil && v.Finished == "" { // a person may have read for an hour
		return "", err
	}
	if len(session.Events()) != len(r.Session.Events()) {
		return "", fmt.Errorf("somebody else ruled on session %s meanwhile; look again: %s", id,
			site.CommandLine(root, "council approve "+root.Short(id)+" --show"))
	}
	if err := root.Unsettled.Mark(id); err != nil {
		return "", err
	}
	if err := site.Rule(session, folder, rulings...); err != nil {
		return "", fmt.Errorf("session %s: %w", id, err)
	}
	w.AnchorSession(folder)
	_, err = (&Session{Root: root, Folder: folder, Session: session}).Remember(ctx, w)
	return session.Handoff().Status, err
}

// checkApproval returns a [*policy.RefusedError], which it enters in the ledger, if the policy forbids the approval.
func checkApproval(w *site.World, root *recorder.Root, id council.SessionID, brief council.Brief) error {
	lawful, err := w.AnnouncePolicy(root)
	if err != nil {
		return err
	}
	err = lawful.Approval(w.User().Name(), brief.RecommendedExecutorProfile)
	if refused, ok := errors.AsType[*policy.RefusedError](err); ok {
		err = errors.Join(err, w.Enter(root, audit.Entry{Type: audit.TypeDenied, Session: id, By: w.User().Name(),
			What: refused.What, Rule: refused.Rule}))
	}
	return err
}

// ParseBrief reads a brief in the form that executionBrief of execution-handoff.json has. name is that of its file.
func ParseBrief(doc []byte, name string) (*council.Brief, error) {
	var fields map[string]any
	err := json.Unmarshal([]byte(site.CutSecrets(string(doc))), &fields)
	for list, of := range map[string]string{"steps": "step", "risks": "risk"} {
		entries, _ := fields[list].([]any)
		for i, entry := range entries {
			if text, ok := entry.(string); ok {
				entries[i] = map[string]any{of: text}
			}
		}
	}
	var b council.Brief
	if err == nil {
		err = council.ReadJSON([]byte(council.CompactJSON(fields)), &b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a brief: %w; the field executionBrief of execution-handoff.json shows the form",
			name, atomicfile.Explain(err))
	}
	if strings.TrimSpace(b.Objective) == "" {
		return nil, fmt.Errorf("%s is not a brief: it has no objective", name)
	}
	return &b, nil
}

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
	draft, topic := m.FinalDraft(), m.Started.Topic
	switch {
	case expunge.LostWords(topic.Text) || expunge.LostWords(*m.Outcome):
		return nil, fmt.Errorf("words of what session %s was asked or decided were forgotten, so it cannot be taken up again",
			id)
	case revise && (draft == nil || draft.Erased):
		return nil, site.Refuse(fmt.Sprintf("session %s has no document that could be revised", id),
			"To have its decision reconsidered: "+site.CommandLine(root, "council reopen "+root.Short(id)+` --because "why"`))
	}
	r := &Reopening{charter: *session.Reached(), topic: council.Topic{Text: topic.Text,
		Reopens: &council.Reopened{Session: id, Closed: m.Closed.Format(time.DateOnly), Because: reason}}}
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
		r.topic.Reopens.Blockers = council.Map(m.Unmet().Blockers,
			func(b minutes.RaisedBlocker) council.Blocker { return b.Blocker })
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
