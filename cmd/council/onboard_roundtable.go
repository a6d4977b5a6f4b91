package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/roundtable"
)

// oldEnd ends the name of a file of roundtable's in whose place one of ours stands now.
const oldEnd = ".roundtable"

// inherit moves credentials that roundtable kept to where ours are: those that are missing here, and that the person
// agrees to, or all with --from-roundtable. Nothing is printed of them. The old files stay, unless the person agrees.
func (l *onboarding) inherit(ctx context.Context, o onboardOptions) error {
	used := map[string]int{} // how much of a file is not needed any more
	seen := map[string]bool{}
	done := func(path, name string) {
		if at := path + "\n" + name; !seen[at] {
			seen[at] = true
			used[path]++
		}
	}
	for _, n := range l.needs {
		if n.missing == nil {
			continue
		}
		path, name := l.inheritedAt(n)
		for _, path := range []string{path, path + oldEnd} {
			all, err := credential.Inherited(path)
			e, ok := all[name]
			if err != nil || !ok || e.Secret == "" {
				continue
			}
			if !e.Expires.IsZero() && e.Refresh == "" && e.Expires.Before(l.Now()) {
				l.Say("What roundtable keeps as %s has ended; it is not taken.", terminal.Words(name))
				done(path, name)
				continue
			}
			yes := o.fromRoundtable
			if !yes && l.asker != nil {
				yes, err = l.asker.Yes(ctx, terminal.Sprintf("roundtable keeps %s in %s. Store it for %s, for %s? [y/N] ", name,
					path, n.origin(), n.who()))
			}
			if err != nil {
				return err
			}
			if !yes {
				l.Say("roundtable keeps %s in %s: council onboard --from-roundtable stores it for %s.", terminal.Words(name),
					terminal.Words(path), n.origin())
				continue
			}
			if err := l.take(n, e, path); err != nil {
				return err
			}
			done(path, name)
			break
		}
	}
	for path, n := range used {
		if err := l.discard(ctx, path, n); err != nil {
			return err
		}
	}
	return nil
}

// inheritedAt returns in which file of roundtable's a credential would be, and under which name.
func (l *onboarding) inheritedAt(n *credentialNeed) (path, name string) {
	if n.method() == "credential-ref" {
		return filepath.Join(l.root, roundtable.Folder, roundtable.Credentials), n.id
	}
	if n.model.Auth == nil {
		return "", ""
	}
	a := *n.model.Auth
	return cmp.Or(a.TokenStorePath, filepath.Join(l.Getenv("HOME"), ".roundtable", "tokens.json")),
		cmp.Or(a.CacheKey, n.model.Provider+":"+n.model.Model)
}

// take stores what roundtable kept. A file of its own that stands where ours belongs is called differently first.
func (l *onboarding) take(n *credentialNeed, e credential.Entry, path string) error {
	a := n.model.Auth
	if n.method() == "credential-ref" || a.TokenStorePath == "" {
		return l.keep(l.wallet(l.root).Vault, n, e)
	}
	if path == a.TokenStorePath {
		if err := aside(path); err != nil {
			return err
		}
	}
	return l.keep(credential.OpenVaultFile(a.TokenStorePath), n, e)
}

// aside gives a file of roundtable's the name that ends with oldEnd.
func aside(path string) error {
	folder, err := atomicfile.OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Rename(filepath.Base(path), filepath.Base(path)+oldEnd), folder.Sync(), folder.Close())
}

// discard removes a file of roundtable's in which nothing else is than so many credentials that were stored or have
// ended, if the person agrees. Without one it stays.
func (l *onboarding) discard(ctx context.Context, path string, n int) error {
	all, err := credential.Inherited(path)
	if err != nil { // one of ours stands there now
		path += oldEnd
		all, err = credential.Inherited(path)
	}
	if err == nil && len(all) == n && l.asker != nil {
		yes, err := l.asker.Yes(ctx, terminal.Sprintf("Remove %s, which council does not need any more? [y/N] ", path))
		if err != nil {
			return err
		}
		if yes {
			return os.Remove(path)
		}
	}
	l.Say("%s is left as it is. It holds secrets: remove it once roundtable does not need it.", terminal.Words(path))
	return nil
}

// keep stores an entry for a need and prints where.
func (l *onboarding) keep(v *credential.Vault, n *credentialNeed, e credential.Entry) error {
	if !l.claimed {
		if err := l.claim(l.root); err != nil {
			return err
		}
		l.claimed = true
	}
	e.Server = n.origin()
	id := n.id
	switch n.method() {
	case "oauth-device-code":
		e.Issuer, e.Client = n.model.Auth.TokenEndpoint, n.model.Auth.ClientID
	case "command":
		id = credential.Name(n.model)
	}
	if old, err := v.Get(id); err == nil && old.Server != e.Server {
		id = credential.IDAt(id, e.Server)
	}
	where, err := v.Put(id, e)
	if err != nil {
		return err
	}
	n.stored = true
	l.Say("Stored %s for %s in %s.", terminal.Words(n.id), e.Server, where)
	if !e.Expires.IsZero() && e.Refresh == "" {
		l.Say("It ends on %s, and cannot be renewed here.", e.Expires.Format("2006-01-02 15:04 UTC"))
	}
	return nil
}
