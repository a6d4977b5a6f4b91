package onboarding

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
)

// rewrite changes the configuration so that keys which are stored are taken from there, after it has shown what it will
// change. Nothing else in the file changes.
func (l *list) rewrite(ctx context.Context, o options) error {
	v := l.Wallet(l.root).Vault
	ids := map[string]string{}
	var moved []*need
	for _, n := range l.needs {
		if !n.byVariable() {
			continue
		}
		if e, err := v.Get(n.id); err != nil || e.Server != n.origin() || !o.rewrite && !n.stored {
			continue
		}
		moved = append(moved, n)
		for _, place := range n.places {
			ids[place] = n.id
		}
	}
	if len(moved) == 0 || !o.rewrite && l.Asker == nil {
		for _, n := range moved {
			l.say("The configuration still asks for %s. To take %s from where it is stored: council onboard --rewrite", credential.Variable(n.model), n.id)
		}
		return nil
	}
	old, err := os.ReadFile(l.file)
	if err != nil {
		return err
	}
	changed, err := config.Refer(old, ids)
	if err != nil {
		return fmt.Errorf("%s would not be right any more, and was left as it is: %w", l.file, err)
	}
	l.say("In %s:", filepath.ToSlash(l.file))
	for _, n := range moved {
		l.say("  - the variable %s (%s)\n  + \"auth\": { \"method\": \"credential-ref\", \"credentialId\": %q }", credential.Variable(n.model), n.who(), n.id)
	}
	switch {
	case o.yes:
	case l.Asker == nil:
		return desk.Refuse("nobody is there to be asked whether "+l.file+" may be changed", "Add --yes. The keys are stored; the configuration was left as it is.")
	default:
		yes, err := l.Asker.Yes(ctx, terminal.Sprintf("Change %s so? [y/N] ", l.file))
		if err != nil || !yes {
			return err
		}
	}
	if err := replace(l.file, changed); err != nil {
		return err
	}
	if now, err := config.Parse(changed); err == nil && l.Knows(l.charter) {
		l.Keep(&now)
	}
	l.say("Changed %s.", filepath.ToSlash(l.file))
	for _, n := range moved {
		n.model.APIKeyEnv = ""
		n.model.Auth = &council.Auth{Method: "credential-ref", CredentialID: n.id}
	}
	return nil
}

// replace writes a file of the user's in the place of the old one, whole, with the mode that it had.
func replace(path string, text []byte) error {
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
	return errors.Join(atomicfile.Write(folder, filepath.Base(path), text), folder.Close(), os.Chmod(path, info.Mode().Perm()))
}
