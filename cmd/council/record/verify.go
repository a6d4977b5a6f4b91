// Package record has the verbs that check and look after the record.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/workspace/site"
)

type verifyOptions struct {
	all           bool
	anchors, keys []string
}

// NewVerify returns the command verify.
func NewVerify(a *cli.Env) *cobra.Command {
	var o verifyOptions
	cmd := cli.VerbIn(a, &cobra.Command{Use: "verify [SESSION | FILE.zip]",
		Short:       "Recompute a session from its log and compare every file",
		Annotations: cli.JSON("one JSON object a session, one a line"), Long: `
verify reads the log of a session (the latest, unless one is named), changes nothing, and comes to three verdicts.

Integrity: the chain, the digests and the schema of every event; every consequence and every vote by the rules; every
derived file, byte for byte. Completeness: the end of the log, also by what memory and the episode know of it; the
conversations against the events; drafts and approvals by their digests. Anchored: up to which event an anchor vouches
that the log was not rewritten since. A session that nobody anchored is not wrong, but whoever can write all of it can
then change it unseen.

Anchors are made whenever a session closes or is suspended. Those that this machine keeps outside the record are read
by themselves; --anchor brings one that was kept elsewhere, such as in a commit or with a friend.

A file that ends in .zip is a bundle of council export. It is verified on any machine, and nothing of it is unpacked. On
another machine --key says whose anchors in it count; council record anchor --key prints the key on yours.`,
	}, func(c *cli.Command, folder string, do func(*recorder.Root) error) error {
		if len(c.Args) == 1 && strings.HasSuffix(c.Args[0], ".zip") {
			return verifyBundle(c, o)
		}
		return a.InRecord(folder, do)
	}, func(c *cli.Command) error {
		if o.all && len(c.Args) > 0 {
			return cli.Usage(c.Cmd, errors.New("name a session or say --all, not both"))
		}
		given, err := readAnchors(o)
		if err != nil {
			return err
		}
		one := func(id council.SessionID) (verify.Report, error) { return c.Workspace.Verify(id, given) }
		if o.all {
			return proveAll(c, one)
		}
		id, err := c.Root.Find(cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		return proveSession(c, id, one)
	})
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "verify every session")
	f.StringArrayVar(&o.anchors, "anchor", nil, "file with anchors that were kept elsewhere; may be repeated")
	f.StringArrayVar(&o.keys, "key", nil, "verifier key of whoever signed them; may be repeated")
	cmd.MarkFlagsMutuallyExclusive("all", "anchor")
	return cmd
}

// NewReplay returns the command replay.
func NewReplay(a *cli.Env) *cobra.Command {
	return cli.SessionVerb(a, &cobra.Command{Use: "replay [SESSION]", Annotations: cli.JSON("one JSON object"),
		Short: "Run the rules again from the recorded replies, and compare",
		Long: `
replay writes the log of a session (the latest, unless one is named) again, without a network: it reads the members'
replies in the conversations, lets the rules draw every consequence, and compares the log and every file that is
rendered from it, byte for byte. Nothing is changed.`,
	}, func(c *cli.Command, id council.SessionID) error { return proveSession(c, id, c.Root.Replay) })
}

// verifyBundle verifies a bundle with the anchors that this machine keeps of its session, and those that are given.
func verifyBundle(c *cli.Command, o verifyOptions) error {
	name := c.Args[0]
	given, err := readAnchors(o)
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("the bundle cannot be read: %w", atomicfile.Explain(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return site.Refuse(site.Quote(name)+" is not a file", "Name a bundle: council export --format bundle makes one.")
	}
	return proveSession(c, "", func(council.SessionID) (verify.Report, error) {
		return recorder.VerifyBundle(f, info.Size(), filepath.ToSlash(name),
			func(id council.SessionID) ([]recorder.Trust, error) {
				kept, err := c.Anchors().Trust(id)
				return []recorder.Trust{kept, given}, err
			})
	})
}

func readAnchors(o verifyOptions) (recorder.Trust, error) {
	t := recorder.Trust{Keys: o.keys}
	for _, name := range o.anchors {
		text, err := os.ReadFile(name)
		if err != nil {
			return t, fmt.Errorf("the anchor cannot be read: %w", err)
		}
		if len(text) == 0 {
			return t, fmt.Errorf("%s is empty, so it is not an anchor", hostile.Line(name))
		}
		t.Anchors = append(t.Anchors, anchor.Source{Name: name, Text: text, Outside: true})
	}
	return t, nil
}

// proveSession prints the result of one verification or replay. Findings make it fail as damage.
func proveSession(c *cli.Command, id council.SessionID, how func(council.SessionID) (verify.Report, error)) error {
	report, err := how(id)
	if err != nil && len(report.Checks) == 0 {
		if id == "" { // a bundle, which the error names
			return err
		}
		return fmt.Errorf("session %s: %w", id, err)
	}
	anchored, by := anchor.Reach(report.Anchors)
	c.Show(verdictFile{report.Session, report.Events, report.Writer, report.OK(), report.Checks, anchored, by, ""},
		func() { cli.SayPage(c.Env, "verification", verification{report}) })
	if !report.OK() {
		return cli.ErrDamage
	}
	return nil
}

// proveAll proves every session, whatever the others are like, and returns the worst that was found: damage, else the
// first failure to read a session. One that never began is not a failure.
func proveAll(c *cli.Command, how func(council.SessionID) (verify.Report, error)) error {
	sessions, err := c.Root.List()
	if err != nil {
		return err
	}
	var damaged, failed error
	for _, s := range sessions {
		switch err := proveSession(c, s.ID, how); {
		case err == nil:
		case errors.Is(err, cli.ErrDamage):
			damaged = err
		default:
			c.Show(verdictFile{Session: s.ID, Error: err.Error()},
				func() { c.Say("Session %s: nothing to verify: %v", s.ID, err) })
			if !errors.Is(err, recorder.ErrNotBegun) {
				failed = cmp.Or(failed, err)
			}
		}
	}
	return cmp.Or(damaged, failed)
}

type verdictFile struct {
	Session  council.SessionID `json:"session"`
	Events   int               `json:"events"`
	Writer   string            `json:"writer,omitempty"` // the process that writes the session now
	OK       bool              `json:"ok"`
	Checks   []verify.Check    `json:"checks,omitempty"` // findings are wrong; notes are not
	Anchored int               `json:"anchored"`         // up to which event anchors vouch; 0 is not wrong
	By       []string          `json:"anchoredBy,omitempty"`
	Error    string            `json:"error,omitempty"` // why nothing could be verified
}

type verification struct{ verify.Report }

type provenVerdict struct {
	Words  string
	Checks []verify.Check
}

// Verdicts returns the verdicts that something was looked at for.
func (r verification) Verdicts() (all []provenVerdict) {
	for _, v := range verify.Verdicts() {
		other := func(c verify.Check) bool { return c.Verdict != v }
		if checks := slices.DeleteFunc(slices.Clone(r.Checks), other); len(checks) > 0 {
			title := strings.ToUpper(string(v[:1])) + string(v[1:]) + ":"
			all = append(all, provenVerdict{fmt.Sprintf("%-13s %s", title, r.words(v)), checks})
		}
	}
	return all
}

func (r verification) words(v verify.Verdict) string {
	words, failed := "ok", "NOT OK"
	if v == verify.Anchored {
		words = "not anchored"
		if events, by := anchor.Reach(r.Anchors); events > 0 {
			words = fmt.Sprintf("up to event e%d of %d, by %s", events, r.Events, strings.Join(by, " and "))
		}
		failed += "; " + words
	}
	if r.Holds(v) {
		return words
	}
	return failed
}

// NewAnchor returns the command anchor.
func NewAnchor(a *cli.Env) *cobra.Command {
	var key bool
	cmd := cli.VerbIn(a, &cobra.Command{Use: "anchor [SESSION]",
		Short: "Print a signed note that vouches for a session as it stands",
		Long: `
anchor prints a note that says how many events a session has (the latest, unless one is named) and what they hash
to, signed with this machine's key. Paste it into a commit or send it to a friend: council verify --anchor FILE holds
the record against it later, and finds every change to these events.

The record is tamper-evident with it, not tamper-proof: whoever owns the key and every copy of the anchors can rewrite
all of them, and nothing vouches for what happens after the last anchor. The key and a copy of every anchor are kept
outside the record, in $XDG_STATE_HOME/council (~/.local/state/council).`,
	}, func(c *cli.Command, folder string, do func(*recorder.Root) error) error {
		switch {
		case !key:
			return a.InRecord(folder, do)
		case len(c.Args) > 0:
			return cli.Usage(c.Cmd, errors.New("--key is this machine's and takes no session"))
		}
		own, err := a.Anchors().Key()
		return a.SayUnless(err, "%s", own.Verifier)
	}, cli.With(cli.SessionOf, func(c *cli.Command, id council.SessionID) error {
		entries, err := c.Root.Read(id)
		if err != nil {
			return err
		}
		note, err := a.Anchors().Sign(id, anchor.NewTree(id, entries))
		if err == nil {
			_, err = a.Out.Write(note)
		}
		return err
	}))
	cmd.Flags().BoolVar(&key, "key", false, "print the verifier key, which others need to check the signature")
	return cmd
}
