package main

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
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/workspace/site"
)

type verifyOptions struct {
	all     bool
	anchors []string
	keys    []string
}

func newVerify(a *cli.Env) *cobra.Command {
	var o verifyOptions
	cmd := verb(a, "verify", func(c *command) error {
		if o.all && len(c.args) > 0 {
			return cli.Usage(c.cmd, errors.New("name a session or say --all, not both"))
		}
		return verifyFrom(a, c, o)
	})
	ofSession := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if asJSON, _ := cmd.Flags().GetBool("json"); len(args) == 1 && strings.HasSuffix(args[0], ".zip") {
			return verifyBundle(a, args[0], o, asJSON)
		}
		return ofSession(cmd, args)
	}
	f := cmd.Flags()
	flags(f, vars{"all": &o.all, "anchor": &o.anchors, "key": &o.keys})
	cmd.MarkFlagsMutuallyExclusive("all", "anchor")
	return cmd
}

func newReplay(a *cli.Env) *cobra.Command {
	return sessionVerb(a, "replay", func(c *command, id council.SessionID) error {
		return proveSession(a, id, c.json, c.root.Replay)
	})
}

func verifyFrom(a *cli.Env, c *command, o verifyOptions) error {
	given, err := readAnchors(o)
	if err != nil {
		return err
	}
	one := func(id council.SessionID) (verify.Report, error) { return verifySession(a, c.root, id, given) }
	if o.all {
		return proveAll(a, c, one)
	}
	id, err := c.root.Find(cli.NameOf(c.args))
	if err != nil {
		return err
	}
	return proveSession(a, id, c.json, one)
}

// verifyBundle verifies a bundle with the anchors that this machine keeps of its session, and those that are given.
func verifyBundle(a *cli.Env, name string, o verifyOptions, asJSON bool) error {
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
	return proveSession(a, "", asJSON, func(council.SessionID) (verify.Report, error) {
		return recorder.VerifyBundle(f, info.Size(), filepath.ToSlash(name),
			func(id council.SessionID) ([]recorder.Trust, error) {
				kept, err := a.Trust(id)
				return []recorder.Trust{kept, given}, err
			})
	})
}

// verifySession verifies a session with the anchors that this machine keeps, and those that are given.
func verifySession(a *cli.Env, root *recorder.Root, id council.SessionID, given recorder.Trust) (verify.Report, error) {
	trust, err := a.TrustIn(root, id)
	if err != nil {
		return verify.Report{}, err
	}
	return root.Verify(id, trust, given)
}

// intact verifies a session as the command verify does, but for files that can be rendered again: what people edited
// there does not change what was decided. The error wraps [recorder.ErrDamaged] and names what does not hold.
func checkIntact(a *cli.Env, root *recorder.Root, id council.SessionID) error {
	report, err := verifySession(a, root, id, recorder.Trust{})
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

// prove prints what one verification or replay looked at and found. What is wrong makes it fail as damage.
func proveSession(a *cli.Env, id council.SessionID, asJSON bool, how func(council.SessionID) (verify.Report,
	error)) error {
	report, err := how(id)
	if err != nil && len(report.Checks) == 0 {
		if id == "" { // a bundle, which the error names
			return err
		}
		return fmt.Errorf("session %s: %w", id, err)
	}
	if !asJSON {
		sayPage(a, "verification", verification{report})
	} else {
		anchored, by := report.VouchedFor()
		a.JSON(verdictFile{report.Session, report.Events, report.Writer, report.OK(), report.Checks, anchored, by, ""})
	}
	if !report.OK() {
		return &cli.Told{Err: recorder.ErrDamaged}
	}
	return nil
}

// proveAll proves every session, whatever the others are like, and returns the worst that was found: damage, else the
// first failure to read a session. One that never began is not a failure.
func proveAll(a *cli.Env, c *command, how func(council.SessionID) (verify.Report, error)) error {
	sessions, err := c.root.List()
	if err != nil {
		return err
	}
	var damaged, failed error
	for _, s := range sessions {
		err := proveSession(a, s.ID, c.json, how)
		switch {
		case err == nil:
			continue
		case errors.As(err, new(*cli.Told)):
			damaged = err
			continue
		case !c.json:
			a.Say("Session %s: nothing to verify: %v", s.ID, err)
		default:
			a.JSON(verdictFile{Session: s.ID, Error: err.Error()})
		}
		if failed == nil && !errors.Is(err, recorder.ErrNotBegun) {
			failed = err
		}
	}
	return cmp.Or(damaged, failed)
}

// verdictFile is a report for programs.
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

// verification is a report as the template "verification" shows it.
type verification struct{ verify.Report }

// provenVerdict is one of the verdicts of a verification, with what it rests on.
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
	words := "ok"
	if v == verify.Anchored {
		words = "not anchored"
		if events, by := r.VouchedFor(); events > 0 {
			words = fmt.Sprintf("up to event e%d of %d, by %s", events, r.Events, strings.Join(by, " and "))
		}
	}
	switch {
	case r.Holds(v):
		return words
	case v == verify.Anchored:
		return "NOT OK; " + words
	}
	return "NOT OK"
}
