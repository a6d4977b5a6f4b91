package site

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// PolicyFile is the name of a policy file, in the user's configuration and in a workspace.
const PolicyFile = "policy.toml"

// Policy returns the policy in force in a workspace: the user's own, narrowed by the workspace's. The error is a
// [policy.ErrBad] or a read error; on either, nothing may be started.
func (w *World) Policy(root string) (*policy.Policy, error) {
	var sources []policy.Source
	own, shared := w.Places(root, PolicyFile)
	for _, place := range []string{own, shared} {
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
		if !write {
			r, err := recorder.FindRoot(root, w.Layer)
			if err != nil {
				return nil, nil // there is no workspace yet, or it will be refused when there is something to write
			}
			_ = r.Close()
		}
		return w.book(root, p)
	})
}

// book returns the ledger of a workspace, after announcing the policy in it.
func (w *World) book(folder string, p *policy.Policy) (l gate.Ledger, err error) {
	err = w.InNewRecord(folder, func(root *recorder.Root) error {
		l, err = w.announcedLedger(root, p)
		return err
	})
	return l, err
}

// AnnouncePolicy returns the policy, after announcing it in the workspace's ledger unless that was done before.
func (w *World) AnnouncePolicy(root *recorder.Root) (*policy.Policy, error) {
	p, err := w.Policy(root.Path())
	if err != nil {
		return nil, err
	}
	if _, err := w.announcedLedger(root, p); err != nil {
		return nil, fmt.Errorf("%w: %w", gate.ErrLedger, atomicfile.Explain(err))
	}
	return p, nil
}

// policiesFolder holds the policies that came into force, in the ledger's folder, by digest. currentPolicy holds the
// digest of the last one; it is derived and may be deleted.
const (
	policiesFolder = "policies"
	currentPolicy  = "current"
)

// announcedLedger returns the ledger of a workspace, after storing the policy and entering that it is in force,
// unless that was done before.
func (w *World) announcedLedger(root *recorder.Root, p *policy.Policy) (*ledger.Ledger, error) {
	l, err := w.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	doc, err := p.Encode()
	if err != nil {
		return nil, err
	}
	digest := council.Digest(string(doc))
	return l, InPolicies(root, func(kept atomicfile.Files) error {
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

// InPolicies calls do with the folder of stored policies, which it creates if needed.
func InPolicies(root *recorder.Root, do func(atomicfile.Files) error) error {
	const folder = ledger.Folder + "/" + policiesFolder
	return atomicfile.WithinMade(root.Files(), folder, do)
}

// CheckCharter returns a [*policy.RefusedError] for the first requirement of a charter that the policy forbids.
func (w *World) CheckCharter(c *council.Charter) error {
	p, err := w.Policy(c.Storage.RootDir)
	if err != nil {
		return err
	}
	return p.Charter(c, gate.Find)
}

// MayRead returns a [*policy.RefusedError] for the first document that the policy withholds from members, by its name
// or the target of its links. Names are relative to folder.
func MayRead(p *policy.Policy, folder string, t *council.Topic) error {
	for _, d := range t.Documents {
		names := []string{d.Name}
		for _, shown := range d.Shows {
			names = append(names, shown.File)
		}
		for _, name := range names {
			if !filepath.IsAbs(name) {
				name = filepath.Join(folder, name)
			}
			if err := p.Check("", policy.Context, FromHere(name)); err != nil {
				return err
			}
			if err := p.Check("", policy.Context, LeadsTo(name)...); err != nil {
				return fmt.Errorf("%s leads to another file: %w", name, err)
			}
		}
	}
	return nil
}

// FromHere returns a path as policies name it: relative if it is below the working folder.
func FromHere(name string) string {
	here, err := filepath.Abs(".")
	if rel, ok := below(here, name); ok && err == nil && filepath.IsAbs(name) {
		return rel
	}
	return name
}

// LeadsTo returns the names under which policies know the target of a path's links: relative to the working folder,
// and absolute too if it is outside. A path to no file is returned unchanged.
func LeadsTo(name string) []string {
	real := func(path string) (string, error) {
		full, err := filepath.Abs(path)
		if err == nil {
			full, err = filepath.EvalSymlinks(full)
		}
		return full, err
	}
	here, err := real(".")
	if err != nil {
		return []string{name}
	}
	path, err := real(name)
	if err != nil {
		return []string{FromHere(name)}
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

// Places returns the paths of a file that the user may have, and a workspace too. The former is "" where the
// environment names no folder for it: one that is relative would lie in the repository.
func (w *World) Places(root, name string) (own, shared string) {
	if folder := w.ConfigFolder(); filepath.IsAbs(folder) {
		own = filepath.Join(folder, name)
	}
	return own, filepath.Join(root, name)
}
