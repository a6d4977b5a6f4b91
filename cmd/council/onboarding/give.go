package onboarding

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council/member/credential"
)

// maxSecret bounds what is read as a secret, in bytes.
const maxSecret = 64 << 10

// takeGiven stores what flags name. Everything is looked at before anything is stored.
func (l *list) takeGiven(o options) error {
	type gift struct {
		need   *need
		secret string
	}
	var gifts []gift
	for _, pair := range o.given {
		id, variable, ok := strings.Cut(pair, "=")
		if !ok || id == "" || variable == "" {
			return desk.Refuse("--credential is ID=VARIABLE", "VARIABLE is the name of an environment variable that holds the key; a key never stands on the command line.")
		}
		n, err := l.named(id)
		if err != nil {
			return err
		}
		secret := l.Getenv(variable)
		if secret == "" { // what stands there may be the key itself
			return desk.Refuse("the environment variable that --credential "+desk.Quote(id)+" names is not set", "Name a variable that holds the key, never the key: --credential "+id+"=MY_KEY. Nothing was stored.")
		}
		gifts = append(gifts, gift{n, secret})
	}
	if o.stdin != "" {
		n, err := l.named(o.stdin)
		if err != nil {
			return err
		}
		line, err := bufio.NewReader(io.LimitReader(l.In, maxSecret)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("standard input cannot be read: %w", err)
		}
		gifts = append(gifts, gift{n, line})
	}
	if o.fromEnv {
		for _, n := range l.needs {
			if secret := l.Getenv(credential.Variable(n.model)); n.byVariable() && secret != "" {
				gifts = append(gifts, gift{n, secret})
			}
		}
	}
	for _, g := range gifts {
		if err := l.store(g.need, g.secret); err != nil {
			return err
		}
	}
	return nil
}

// named is the need with an id.
func (l *list) named(id string) (*need, error) {
	var ids []string
	for _, n := range l.needs {
		if n.storable() && n.id == id {
			return n, nil
		}
		if n.storable() {
			ids = append(ids, n.id)
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return nil, desk.Refuse("no member of "+l.file+" needs a key that could be stored", "council onboard --check lists what they need.")
	}
	return nil, desk.Refuse("no member of "+l.file+" needs a credential "+desk.Quote(id), desk.DidYouMean(id, ids, "They need: "+strings.Join(ids, ", ")+"."))
}

// askAll asks for what is missing, one after the other.
func (l *list) askAll(ctx context.Context) error {
	for _, n := range l.needs {
		if n.missing == nil {
			continue
		}
		if errors.Is(n.missing, credential.ErrNobody) {
			if err := l.signIn(ctx, n); err != nil {
				return err
			}
			continue
		}
		if !n.storable() {
			continue
		}
		question := fmt.Sprintf("Key of %s for %s", n.origin(), n.who())
		if page := n.model.Kind().KeyPage; page != "" && n.model.BaseURL == "" {
			question += " (get one at " + page + ")"
		}
		secret, err := l.Asker.Secret(ctx, question+". It is not shown; press Enter to go on without: ")
		if err != nil {
			return err
		}
		if strings.TrimSpace(secret) == "" {
			continue
		}
		if err := l.store(n, secret); err != nil {
			return err
		}
	}
	return nil
}

// signIn lets a person log in with a browser.
func (l *list) signIn(ctx context.Context, n *need) error {
	if err := l.Trust(ctx, l.charter); err != nil {
		return err
	}
	w := l.Wallet(l.root)
	if _, err := w.For(n.model, n.server); err != nil {
		return err
	}
	if err := w.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	l.say("Logged in for %s.", n.who())
	return nil
}
