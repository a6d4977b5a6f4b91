package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/wire"
)

// PolicyFile is the name of a policy file, in the user's configuration and in a workspace.
const PolicyFile = "policy.toml"

// Policy returns the policy in force in a workspace: the user's own, narrowed by the workspace's. The error is a
// [policy.ErrBad] or a read error; on either, nothing may be started.
func (w *World) Policy(root string) (*policy.Policy, error) {
	own, shared := w.User().Places(root, PolicyFile)
	return readPolicy(own, shared)
}

// OwnPolicy is [World.Policy] without the workspace's, which may come from others.
func (w *World) OwnPolicy() (*policy.Policy, error) {
	own, _ := w.User().Places("", PolicyFile)
	return readPolicy(own)
}

func readPolicy(places ...string) (*policy.Policy, error) {
	var sources []policy.Source
	for _, place := range places {
		doc, err := os.ReadFile(place)
		if NoSuchPath(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s cannot be read: %w", policy.ErrBad, place, atomicfile.Explain(err))
		}
		sources = append(sources, policy.Source{Origin: filepath.ToSlash(place), Text: string(doc)})
	}
	return policy.Parse(sources...)
}

// Gate returns the gate for all calls and programs of a workspace. It is closed under an unusable policy. The ledger
// is opened on first use; the workspace is created for effects that cost or act.
func (w *World) Gate(root string) *gate.Gate { return w.GateOver(root, root) }

// GateOver is [World.Gate] for effects that are recorded in the ledger of another folder.
func (w *World) GateOver(workspace, root string) *gate.Gate {
	p, err := w.Policy(workspace)
	if err != nil {
		return gate.NewClosed(err)
	}
	return gate.New(p, func(write bool) (gate.Ledger, error) {
		if !write && w.InRecord(root, func(*recorder.Root) error { return nil }) != nil {
			return nil, nil // there is no workspace yet, or it will be refused when there is something to write
		}
		var l *ledger.Ledger
		err := w.InNewRecord(root, func(root *recorder.Root) (err error) {
			l, err = w.announce(root, p)
			return err
		})
		return l, err
	})
}

// AnnouncePolicy returns the policy, after announcing it in the workspace's ledger unless that was done before.
func (w *World) AnnouncePolicy(root *recorder.Root) (*policy.Policy, error) {
	p, err := w.Policy(root.Path())
	if err != nil {
		return nil, err
	}
	if _, err := w.announce(root, p); err != nil {
		return nil, fmt.Errorf("%w: %w", gate.ErrLedger, atomicfile.Explain(err))
	}
	return p, nil
}

// currentPolicy is the file with the digest of the last policy, beside all policies that came into force, by digest. It
// is derived and may be deleted.
const currentPolicy = "current"

// announce stores the policy of a workspace and enters in its ledger that it is in force, unless that was done before.
// It returns the ledger.
func (w *World) announce(root *recorder.Root, p *policy.Policy) (*ledger.Ledger, error) {
	doc, err := p.Encode()
	if err != nil {
		return nil, err
	}
	l, err := w.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	digest := council.Digest(string(doc))
	return l, inPolicies(root, func(kept atomicfile.Files) error {
		if last, err := atomicfile.Read(kept, currentPolicy); err == nil && string(last) == digest {
			return nil
		}
		err := atomicfile.Write(kept, digest+".toml", doc)
		if err == nil {
			_, err = l.Append(audit.Entry{Type: audit.TypePolicy, Digest: digest})
		}
		if err == nil {
			err = atomicfile.Write(kept, currentPolicy, []byte(digest)) // others may come here too
		}
		return err
	})
}

func inPolicies(root *recorder.Root, do func(atomicfile.Files) error) error {
	return atomicfile.WithinMade(root.Files(), ledger.Folder+"/policies", do)
}

// MayRead returns a [*policy.RefusedError] for the first document that the policy withholds from members, by its name
// or the target of its links. Names are relative to folder.
func MayRead(p *policy.Policy, folder string, t *council.Topic) error {
	for _, d := range t.Documents {
		shown := council.Map(d.Shows, func(l council.FileLines) string { return l.File })
		for _, name := range append([]string{d.Name}, shown...) {
			if !filepath.IsAbs(name) {
				name = filepath.Join(folder, name)
			}
			if err := p.Check("", policy.Context, fromHere(name)); err != nil {
				return err
			}
			if err := p.Check("", policy.Context, leadsTo(name)...); err != nil {
				return fmt.Errorf("%s leads to another file: %w", name, err)
			}
		}
	}
	return nil
}

// fromHere returns a path as policies name it: relative if it is below the working folder.
func fromHere(name string) string {
	here, err := filepath.Abs(".")
	if rel, ok := below(here, name); ok && err == nil && filepath.IsAbs(name) {
		return rel
	}
	return name
}

// Resolved returns a path from the root of the disk, with links followed.
func Resolved(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(full)
}

// leadsTo returns the names under which policies know the target of a path's links: relative to the working folder,
// and absolute too if it is outside. A path to no file is returned unchanged.
func leadsTo(name string) []string {
	here, failed := Resolved(".")
	path, err := Resolved(name)
	if errors.Join(failed, err) != nil {
		return []string{fromHere(name)}
	}
	rel, ok := below(here, path)
	switch {
	case ok:
		return []string{rel}
	case rel == "": // on another drive
		return []string{filepath.ToSlash(path)}
	}
	return []string{filepath.ToSlash(path), rel}
}

// below returns a path relative to a folder, or "" if there is none, and whether it is inside the folder.
func below(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// DecidedAt returns an entry of the ledger, and the digest of the policy in force then; "" if none was announced.
func DecidedAt(root *recorder.Root, at int64) (decided audit.Entry, digest string, err error) {
	for e, err := range ledger.Read(root.Files(), 1) {
		if err != nil {
			return decided, "", err
		}
		if e.Seq > at {
			break
		}
		if decided = e; e.Type == audit.TypePolicy {
			digest = e.Digest
		}
	}
	if decided.Seq != at {
		err = Refuse(fmt.Sprintf("the ledger has no entry %d", at), "council record audit lists its entries.")
	}
	return decided, digest, err
}

// KeptPolicy reads the copy of an announced policy. One that was changed is a [recorder.ErrDamaged].
func KeptPolicy(root *recorder.Root, digest string) (*policy.Policy, error) {
	var doc []byte
	err := inPolicies(root, func(kept atomicfile.Files) (err error) {
		doc, err = atomicfile.Read(kept, digest+".toml")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the policy %.12s, which was in force then, cannot be read: %w", digest, err)
	}
	if council.Digest(string(doc)) != digest {
		return nil, fmt.Errorf("%w: the policy %.12s, which was in force then, is not what was kept", recorder.ErrDamaged,
			digest)
	}
	return policy.Decode(doc)
}

// OpenLedger returns the ledger of a workspace. All roots of one path share a ledger until the world is closed, so
// that concurrent entries are written together.
func (w *World) OpenLedger(root *recorder.Root) (*ledger.Ledger, error) {
	w.opened.mu.Lock()
	defer w.opened.mu.Unlock()
	if kept, ok := w.opened.ledgers[root.Path()]; ok {
		return kept, nil
	}
	files, err := atomicfile.OpenDir(root.Path())
	if err != nil {
		return nil, err
	}
	l := ledger.Open(w.Through(files), w.Now)
	w.opened.ledgers[root.Path()] = l
	return l, nil
}

// Enter records entries in the ledger of a workspace, before the acts that they announce.
func (w *World) Enter(root *recorder.Root, entries ...audit.Entry) error {
	l, err := w.OpenLedger(root)
	for _, e := range entries {
		if err == nil {
			_, err = l.Append(e)
		}
	}
	return err
}

// Clock returns the clock and the salts of records, for changes that the ledger does not list.
func (w *World) Clock() recorder.Inputs { return recorder.Inputs{Now: w.Now, Random: w.Random} }

// Inputs returns the clock and the salts of the records in a workspace, with a hook that enters ends of sessions and
// people's rulings in its ledger before they are recorded.
func (w *World) Inputs(root *recorder.Root) recorder.Inputs {
	in := w.Clock()
	in.Announce = func(entry wire.Entry) error {
		e, ok := announcement(entry)
		if !ok {
			return nil
		}
		return w.Enter(root, e)
	}
	return in
}

// announcement returns the ledger entry for an event; ok is false for most events.
func announcement(w wire.Entry) (e audit.Entry, ok bool) {
	e = audit.Entry{Type: audit.TypeApproval, Session: w.Session, Events: int(w.Seq)}
	switch p := w.Payload.(type) {
	case council.SessionClosed:
		e.Type, e.Action, e.Digest = audit.TypeSession, audit.ActionClosed, w.Sum
	case council.SessionSuspended:
		e.Type, e.Action, e.Digest, e.Why = audit.TypeSession, audit.ActionSuspended, w.Sum, string(p.Fault.Kind)
	case council.DraftDecided:
		e.Action, e.Digest = "document not approved", p.SHA256
		if p.Result == quorum.Carried {
			e.Action = "document approved"
		}
	case council.BriefAmended:
		e.By, e.Action, e.Digest = p.By, "brief amended", p.BriefSHA256
	case council.ExecutionApproved:
		e.By, e.Action, e.Digest = p.By, "execution approved", p.BriefSHA256
		if p.InAdvance {
			e.Action += " in advance"
		}
	case council.ExecutionRejected:
		e.By, e.Action, e.Digest = p.By, "execution rejected", p.BriefSHA256
	case council.ExecutionStarted:
		e.By, e.Action, e.Digest = p.By, "execution started", p.BriefSHA256
	case council.ExecutionFinished:
		e.By, e.Action = p.By, fmt.Sprintf("execution finished, succeeded: %t", p.Succeeded)
	default:
		return e, false
	}
	return e, true
}

// EnterForgetting enters the sessions and records from which a plan will erase words.
func EnterForgetting(w *World, root *recorder.Root, o curator.ForgetPlan) error {
	var entries []audit.Entry
	for _, r := range o.Records {
		entries = append(entries, audit.Entry{Type: audit.TypeMemory, By: w.User().Name(), What: r.ID, Action: "forget"})
	}
	for _, id := range o.Sessions() {
		log, err := root.Read(id)
		if err != nil {
			return err
		}
		entries = append(entries, audit.Entry{Type: audit.TypeSession, Session: id, By: w.User().Name(),
			Action: audit.ActionForgotten, Digest: log[len(log)-1].Sum, Events: len(log)})
	}
	return w.Enter(root, entries...)
}

// BeginRun enters in the ledger that a command begins to work on a session, before any member is asked. The returned
// function enters how the run ended: suspended by a fault, with an error, or closed.
func BeginRun(w *World, root *recorder.Root, id council.SessionID, verb string) (func(*council.Fault, error), error) {
	l, err := w.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	n, err := l.Append(audit.Entry{Type: audit.TypeRun, Action: audit.RunBegun, Session: id, What: verb,
		By: w.User().Name()})
	if err != nil {
		return nil, err
	}
	return func(suspended *council.Fault, err error) {
		e := audit.Entry{Type: audit.TypeRun, Action: audit.RunClosed, Session: id, Of: n}
		switch {
		case errors.Is(err, context.Canceled):
			e.Action, e.Why = audit.RunFailed, "stopped at once"
		case err != nil:
			e.Action, e.Why = audit.RunFailed, hostile.Shorten(CutSecrets(hostile.Line(err.Error())), 200)
		case suspended != nil:
			e.Action, e.Why = audit.RunSuspended, string(suspended.Kind)
		}
		if _, err := l.Append(e); err != nil { // what the session holds is recorded all the same
			w.Warn("council: the end of this run is not in the ledger: %v", err)
		}
	}, nil
}
