package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewReopen returns the command reopen.
func NewReopen(a *cli.Env) *cobra.Command {
	var o ConveneOptions
	var because string
	cmd := cli.SessionVerb(a, "reopen", func(c *cli.Command, id council.SessionID) error {
		return takeUp(a, c.Ctx, o, c.Root, id, because, false)
	})
	cli.AddFlags(cmd.Flags(), cli.Flags{"because": &because})
	o.again(cmd)
	return cmd
}

// again adds the flags of convene that a session has which takes up another.
func (o *ConveneOptions) again(cmd *cobra.Command) {
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Charter, "model", "pace")
	cli.ContextFlags(f, &o.Context)
	cli.AddFlags(f, cli.Flags{"dry-run": &o.dryRun})
	o.caps.AddFlags(f)
	o.addID(f)
	o.Show.Flags(f)
}

// reopening is a closed session that is taken up again.
type reopening struct {
	charter council.Charter
	topic   council.Topic // with all that members are given of that session
}

// takeUp convenes anew from where a closed session ended; revise sends its document back.
func takeUp(a *cli.Env, ctx context.Context, o ConveneOptions, root *recorder.Root, id council.SessionID,
	because string,
	revise bool) error {
	if strings.TrimSpace(because) == "" {
		return site.Refuse("nothing says why the session is taken up again",
			"Members are told the reason: --because \"why\".")
	}
	reason, _, err := cli.ComposeNote(a, root, "reason", because, council.MaxNote)
	if err != nil {
		return err
	}
	if err := site.CheckIntact(a.World, root, id); err != nil {
		return err
	}
	entries, err := root.Read(id)
	if err != nil {
		return err
	}
	session, err := site.Replay(root, id)
	if err != nil {
		return err
	}
	m := render.Minutes(entries)
	draft := m.FinalDraft()
	topic := m.Started.Topic
	switch {
	case m.Outcome == nil:
		return notClosed(root, id, "take up again")
	case expunge.Lost(topic.Text) || expunge.Lost(*m.Outcome):
		return fmt.Errorf("words of what session %s was asked or decided were forgotten, so it cannot be taken up again", id)
	case revise && (draft == nil || draft.Erased):
		return site.Refuse(fmt.Sprintf("session %s has no document that could be revised", id),
			"To have its decision reconsidered: "+site.CommandLine(root, "council reopen "+root.Short(id)+` --because "why"`))
	}
	r := &reopening{charter: *session.Reached(), topic: council.Topic{Text: topic.Text, Reopens: &council.Reopened{
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
	// As the terminal tells it: without models and costs, which members are not to know of one another.
	c := unnamed(*session.Charter())
	r.topic.Reopens.Record = give("record.txt",
		terminal.Since(council.View{Charter: &c, Events: session.Events()}, 0)+"\n")
	if revise {
		r.topic.Reopens.Draft = give("documentation.md", draft.Markdown)
		for _, b := range m.Unmet().Blockers {
			r.topic.Reopens.Blockers = append(r.topic.Reopens.Blockers, b.Blocker)
		}
	}
	o.reopens = r
	return Convene(a, ctx, o, nil)
}

// notClosed refuses what can only be done to a session that is closed.
func notClosed(root *recorder.Root, id council.SessionID, do string) error {
	return fmt.Errorf("session %s is not closed, so there is nothing to %s; it goes on with: %s", id, do,
		site.CommandLine(root, "council resume "+root.Short(id)))
}

// unnamed returns a charter whose members have no names where they are not told one another's.
func unnamed(c council.Charter) council.Charter {
	if c.Deliberation.AnonymizePeers {
		c.Members = slices.Clone(c.Members)
		for i := range c.Members {
			c.Members[i].Name, c.Members[i].Role = fmt.Sprintf("Member %d", i+1), ""
		}
	}
	return c
}

// reading returns the council of a session that takes up another, at the pace that is asked for.
func (r *reopening) reading(o seat.Choice) (seat.Reading, error) {
	if o.Model == "" && site.HasConfigFor(r.charter.Storage.RootDir) {
		if err := r.reseat(); err != nil {
			return seat.Reading{}, err
		}
	}
	read := seat.Reading{Charter: r.charter, From: "as session " + string(r.topic.Reopens.Session) + " was convened",
		ByFile: seat.NamedIn(&r.charter)}
	return read, seat.SetPace(&read.Charter, o.Pace)
}

// reseat gives the members of a ready-made council, which all had one model, those of the configuration in this
// workspace, if it names any.
func (r *reopening) reseat() error {
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
	if err == nil && !seat.Misses(&c) {
		r.charter = c
	}
	return err
}

// readyMade reports whether a charter has the name and the members of a ready-made council.
func readyMade(c *council.Charter) bool {
	return slices.ContainsFunc(templates.Councils(), func(name string) bool {
		doc, _ := templates.Council(name)
		ready, err := config.Parse(doc)
		n := len(ready.Members)
		return err == nil && ready.CouncilName == c.CouncilName && n <= len(c.Members) &&
			slices.EqualFunc(ready.Members, c.Members[:n], func(a, b council.Member) bool { return a.ID == b.ID })
	})
}

// add gives a topic what members are given of the session that is taken up again. A document of the same name that is
// given anew counts.
func (r *reopening) add(t *council.Topic) {
	t.Reopens = r.topic.Reopens
	t.Skipped = append(t.Skipped, r.topic.Skipped...)
	t.Skipped = t.Skipped[:min(len(t.Skipped), maxLeftOut)]
	for _, d := range r.topic.Documents {
		if !slices.ContainsFunc(t.Documents, func(given council.Document) bool { return given.Name == d.Name }) {
			t.Documents = append(t.Documents, d)
		}
	}
}

type reviewOptions struct {
	reject, revise string
	again          ConveneOptions // of the session that revises
}

// NewReview returns the command review.
func NewReview(a *cli.Env) *cobra.Command {
	var o reviewOptions
	cmd := cli.SessionVerb(a, "review", func(c *cli.Command, id council.SessionID) error {
		return reviewSession(a, c.Ctx, o,
			c.Root, id)
	})
	f := cmd.Flags()
	cli.AddFlags(f, cli.Flags{"reject": &o.reject, "revise": &o.revise})
	o.again.again(cmd)
	cmd.MarkFlagsMutuallyExclusive("reject", "revise")
	return cmd
}

// What a person may answer to what was reviewed.
const (
	reviewApprove = "approve"
	reviewReject  = "reject"
	reviewRevise  = "revise"
	reviewLeave   = "nothing"
)

// reviewSession shows what a session came to and carries out what the person decides. The rulings are those of approve.
func reviewSession(a *cli.Env, ctx context.Context, o reviewOptions, root *recorder.Root, id council.SessionID) error {
	switch {
	case o.revise != "":
		return takeUp(a, ctx, o.again, root, id, o.revise, true)
	case o.reject != "":
		return approveBrief(a, ctx, approveOptions{reject: o.reject}, root, id)
	}
	if err := site.CheckIntact(a.World, root, id); err != nil {
		return err
	}
	entries, err := root.Read(id)
	if err != nil {
		return err
	}
	m := &approval{told: render.Minutes(entries)}
	if m.session, err = site.Replay(root, id); err != nil {
		return err
	}
	if m.session.Ready().Outcome == nil {
		return notClosed(root, id, "review")
	}
	brief, sum := m.session.Brief()
	h := m.session.Handoff()
	if brief != nil {
		m.brief, m.sha, m.rejected = *brief, sum, h.RejectionOf(sum)
	}
	tellApproval(a, m, "head", "drafts", "brief")
	cli.WarnSuccessors(a, root, id)
	var may []terminal.Choice
	if brief != nil && (h.Status == council.ExecutionAwaitingApproval || h.Status == council.ExecutionRefused) {
		may = append(may, terminal.Choice{Word: reviewApprove, Means: "approve exactly this brief"})
		if h.Status == council.ExecutionAwaitingApproval {
			may = append(may, terminal.Choice{Word: reviewReject, Means: "reject the brief, and say why"})
		}
	}
	if draft := m.told.FinalDraft(); draft != nil && !draft.Erased {
		may = append(may, terminal.Choice{Word: reviewRevise, Means: "send the document back: the council convenes anew"})
	}
	fmt.Fprintln(a.Out)
	if !a.Asked() || len(may) == 0 {
		for _, c := range may {
			a.Say("To %s: %s", c.Word, site.CommandLine(root, map[string]string{
				reviewApprove: "council approve " + root.Short(id) + " --yes --sha256 " + sum,
				reviewReject:  "council review " + root.Short(id) + ` --reject "why"`,
				reviewRevise:  "council review " + root.Short(id) + ` --revise "what must change"`,
			}[c.Word]))
		}
		return nil
	}
	word, why, err := askReview(a, ctx, append(may, terminal.Choice{Word: reviewLeave, Means: "leave it as it is"}))
	switch {
	case errors.Is(err, member.ErrLater) || err == nil && word == reviewLeave:
		a.Say("Nothing was changed.")
		return nil
	case err != nil:
		return err
	case word == reviewApprove:
		return approveBrief(a, ctx, approveOptions{yes: true, sha: sum, despite: true, read: true}, root, id)
	case word == reviewReject:
		return approveBrief(a, ctx, approveOptions{sha: sum, reject: why, read: true}, root, id)
	}
	return takeUp(a, ctx, o.again, root, id, why, true)
}

// askReview asks at the terminal what is to be done, and why.
func askReview(a *cli.Env, ctx context.Context, may []terminal.Choice) (word, why string, err error) {
	talk, leave := startDialogue(a)
	defer leave()
	word, err = talk.Choose(ctx, "What do you want?", may...)
	if err != nil || word == reviewApprove || word == reviewLeave {
		return word, "", err
	}
	why, err = talk.Line(ctx, map[string]string{reviewReject: "Why do you reject it?",
		reviewRevise: "What must change? Members are told this:"}[word])
	return word, why, err
}
