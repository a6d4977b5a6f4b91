package main

import (
	"fmt"
	"os"
	"time"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/credential/vault"
)

// wallet finds the credentials of members, with those that are stored in a workspace.
func (a *app) wallet(root string) *credential.Wallet {
	w := &credential.Wallet{Getenv: a.getenv, Vault: vault.Open(root, vault.System(a.getenv)), Now: a.now, Environ: os.Environ}
	if a.terminal {
		w.Invite = a.invite
	}
	return w
}

// invite asks whoever sits at the terminal to log in with a browser.
func (a *app) invite(i credential.Invitation) {
	fmt.Fprintln(a.stderr, terminal.Sprintf("To log in for %s, open %s\nand enter the code %s within %s. Waiting for you there.",
		i.For, i.Address, i.Code, i.Within.Round(time.Minute)))
}
