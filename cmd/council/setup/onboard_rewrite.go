package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// rewrite makes the configuration use the stored keys, after showing the changes. Nothing else in the file changes.
func (l *onboarding) rewrite(ctx context.Context, o onboardOptions) error {
	if l.file == "" { // stored keys are found without
		return nil
	}
	v := seat.Wallet(l.World, l.root).Vault
	ids := map[string]string{}
	var moved []*credentialNeed
	for _, n := range l.needs {
		if !n.byVariable() {
			continue
		}
		if e, err := v.Get(n.id); err != nil || e.Server != n.Origin() || !o.rewrite && !n.stored {
			continue
		}
		moved = append(moved, n)
		for _, place := range n.places {
			ids[place] = n.id
		}
	}
	if len(moved) == 0 || !o.rewrite && l.Asker == nil {
		for _, n := range moved {
			l.Say("The configuration still asks for %s. To take %s from where it is stored: council onboard --rewrite",
				credential.Variable(n.model), n.id)
		}
		return nil
	}
	old, err := os.ReadFile(l.file)
	if err != nil {
		return err
	}
	changed, err := config.SetCredentials(old, ids)
	if err != nil {
		return fmt.Errorf("%s would not be right any more, and was left as it is: %w", l.file, err)
	}
	l.Say("In %s:", filepath.ToSlash(l.file))
	for _, n := range moved {
		l.Say("  - the variable %s (%s)\n  + \"auth\": { \"method\": \"credential-ref\", \"credentialId\": %q }",
			credential.Variable(n.model), n.Who(), n.id)
	}
	switch {
	case o.yes:
	case l.Asker == nil:
		return site.Refuse("nobody is there to be asked whether "+l.file+" may be changed",
			"Add --yes. The keys are stored; the configuration was left as it is.")
	default:
		yes, err := l.agrees(ctx, "Change %s so?", l.file)
		if err != nil || !yes {
			return err
		}
	}
	if err := replaceFile(l.file, changed); err != nil {
		return err
	}
	if now, err := config.Parse(changed); err == nil && cli.TrustGate(l.Env).Knows(l.charter) {
		cli.TrustGate(l.Env).Keep(&now)
	}
	l.Say("Changed %s.", filepath.ToSlash(l.file))
	for _, n := range moved {
		n.model.APIKeyEnv = ""
		n.model.Auth = &council.Auth{Method: "credential-ref", CredentialID: n.id}
	}
	return nil
}

// replaceFile writes a file of the user's in the place of the old one, whole, with the mode that it had.
func replaceFile(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	folder, err := atomicfile.OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.Write(folder, filepath.Base(path), text), folder.Close(),
		os.Chmod(path, info.Mode().Perm()))
}

// askerAt returns an asker at a terminal, or nil if in is not one. Its context ends the waiting: reading from a
// terminal cannot be interrupted.
func askerAt(in io.Reader, out io.Writer) cli.Asker {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func(ctx context.Context, question string, secret bool) (string, error) {
		before, err := term.GetState(int(f.Fd()))
		if err != nil {
			return "", err
		}
		fmt.Fprint(out, question)
		type answer struct {
			text string
			err  error
		}
		answered := make(chan answer, 1)
		go func() {
			if secret {
				text, err := term.ReadPassword(int(f.Fd()))
				answered <- answer{string(text), err}
				return
			}
			text, err := bufio.NewReader(f).ReadString('\n')
			if errors.Is(err, io.EOF) {
				err = nil
			}
			answered <- answer{text, err}
		}()
		if secret {
			defer fmt.Fprintln(out)
		}
		select {
		case a := <-answered:
			return a.text, a.err
		case <-ctx.Done(): // the reading goes on, perhaps with the echo off
			return "", errors.Join(context.Cause(ctx), term.Restore(int(f.Fd()), before))
		}
	}
}

// agrees asks for consent.
func (l *onboarding) agrees(ctx context.Context, question string, args ...any) (bool, error) {
	answer, err := l.Asker(ctx, terminal.Sprintf(question, args...)+" [y/N] ", false)
	return cli.Yes(answer), err
}

// oldEnd is added to the name of a roundtable file that one of ours replaces.
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
			all, err := credential.ReadInherited(path)
			e, ok := all[name]
			if err != nil || !ok || e.Secret == "" {
				continue
			}
			if !e.Expires.IsZero() && e.Refresh == "" && e.Expires.Before(l.Now()) {
				l.Say("What roundtable keeps as %s has ended; it is not taken.", hostile.Words(name))
				done(path, name)
				continue
			}
			yes := o.fromRoundtable
			if !yes && l.Asker != nil {
				yes, err = l.agrees(ctx, "roundtable keeps %s in %s. Store it for %s, for %s?", name, path, n.Origin(), n.Who())
			}
			if err != nil {
				return err
			}
			if !yes {
				l.Say("roundtable keeps %s in %s: council onboard --from-roundtable stores it for %s.", hostile.Words(name),
					hostile.Words(path), n.Origin())
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

// take stores a roundtable credential, after renaming a roundtable file that is in the place of ours.
func (l *onboarding) take(n *credentialNeed, e credential.Entry, path string) error {
	a := n.model.Auth
	if n.method() == "credential-ref" || a.TokenStorePath == "" {
		return l.keep(seat.Wallet(l.World, l.root).Vault, n, e)
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
	all, err := credential.ReadInherited(path)
	if err != nil { // one of ours stands there now
		path += oldEnd
		all, err = credential.ReadInherited(path)
	}
	if err == nil && len(all) == n && l.Asker != nil {
		yes, err := l.agrees(ctx, "Remove %s, which council does not need any more?", path)
		if err != nil {
			return err
		}
		if yes {
			return os.Remove(path)
		}
	}
	l.Say("%s is left as it is. It holds secrets: remove it once roundtable does not need it.", hostile.Words(path))
	return nil
}

// keep stores an entry for a need and prints where.
func (l *onboarding) keep(v *credential.Vault, n *credentialNeed, e credential.Entry) error {
	if !l.claimed {
		if err := l.Env.Claim(l.root); err != nil {
			return err
		}
		l.claimed = true
	}
	e.Server = n.Origin()
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
	l.Say("Stored %s for %s in %s.", hostile.Words(n.id), e.Server, where)
	if !e.Expires.IsZero() && e.Refresh == "" {
		l.Say("It ends on %s, and cannot be renewed here.", e.Expires.Format("2006-01-02 15:04 UTC"))
	}
	return nil
}
