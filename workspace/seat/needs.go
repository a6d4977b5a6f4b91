package seat

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/workspace/site"
)

// CredentialNeed is one credential that members need at a server.
type CredentialNeed struct {
	ID      string // under which it is or would be stored
	Model   council.Model
	Server  *url.URL
	Members []council.MemberID
	Places  []string // JSON pointers of the models and tool servers that need it
	Missing error    // set by Look; nil: it was found
	Stored  bool     // by Store
}

// CredentialNeeds lists the credentials that the models of a charter and its servers of tools need, in its order.
// Models without an address have credentials of their own, or none.
func CredentialNeeds(c *council.Charter) []*CredentialNeed {
	var all []*CredentialNeed
	known := map[string]*CredentialNeed{}
	add := func(m council.Model, who council.MemberID, place string) {
		server, err := url.Parse(cmp.Or(m.BaseURL, m.Kind().Address))
		if err != nil || server.Host == "" || credential.Name(m) == "variable " && len(m.Headers) == 0 {
			return
		}
		name := credential.Name(m) + " " + credential.Origin(server)
		n := known[name]
		if n == nil {
			n = &CredentialNeed{Model: m, Server: server, ID: credentialID(m, server, all)}
			known[name] = n
			all = append(all, n)
		}
		if len(n.Members) == 0 || n.Members[len(n.Members)-1] != who {
			n.Members = append(n.Members, who)
		}
		n.Places = append(n.Places, place)
	}
	for i, m := range c.Members {
		place := fmt.Sprintf("/members/%d/model", i)
		add(m.Model, m.ID, place)
		for j, f := range m.Model.Fallbacks {
			add(f, m.ID, fmt.Sprintf("%s/fallbacks/%d", place, j))
		}
		if m.Tools == nil {
			continue
		}
		for j := range m.Tools.MCP {
			if s := &m.Tools.MCP[j]; s.URL != "" {
				add(credential.Caller(s), m.ID, fmt.Sprintf("/members/%d/tools/mcp/%d", i, j))
			}
		}
	}
	return all
}

// credentialID returns the id of a stored credential: the configured one, else made of the variable's name, and of
// the server's where one variable is for two servers.
func credentialID(m council.Model, server *url.URL, others []*CredentialNeed) string {
	if m.Auth != nil {
		switch m.Auth.Method {
		case "credential-ref":
			return m.Auth.CredentialID
		case "oauth-device-code":
			return credential.LoginID(*m.Auth)
		}
	}
	id := strings.ReplaceAll(strings.ToLower(credential.Variable(m)), "_", "-")
	for _, n := range others {
		if n.ID == id && id != "" {
			return id + "-" + strings.ToLower(server.Hostname())
		}
	}
	return id
}

func (n *CredentialNeed) method() string {
	if n.Model.Auth == nil {
		return "api-key-env"
	}
	return n.Model.Auth.Method
}

// ByID reports whether the credential is a stored key that the configuration names.
func (n *CredentialNeed) ByID() bool { return n.method() == "credential-ref" }

// ByVariable reports whether the credential is a key in an environment variable.
func (n *CredentialNeed) ByVariable() bool {
	return n.method() == "api-key-env" && credential.Variable(n.Model) != ""
}

// Storable reports whether a key can be stored for the need.
func (n *CredentialNeed) Storable() bool { return n.ByID() || n.ByVariable() }

// Look looks for the credential and for the variables in headers, and sets Missing.
func (n *CredentialNeed) Look(w *credential.Wallet) {
	if _, n.Missing = w.For(n.Model, n.Server); n.Missing == nil {
		_, _, n.Missing = member.Headers(n.Model, w.Getenv)
	}
}

// Store stores a key for the need in a workspace, and returns the place for people.
func (n *CredentialNeed) Store(w *site.World, root, key string) (where string, err error) {
	if err := w.Claim(root); err != nil {
		return "", err
	}
	v, id := Wallet(w, root).Vault, n.ID
	if old, err := v.Get(id); err == nil && old.Server != n.Origin() {
		id = credential.IDAt(id, n.Origin())
	}
	where, err = v.Put(id, credential.Entry{Secret: key, Server: n.Origin()})
	n.Stored = n.Stored || err == nil
	return where, err
}

// State is "missing" or "ok".
func (n *CredentialNeed) State() string {
	if n.Missing != nil {
		return "missing"
	}
	return "ok"
}

// Problem returns the reason for a missing credential, without the parts that the list has already.
func (n *CredentialNeed) Problem() string {
	words := n.Missing.Error()
	if _, rest, ok := strings.Cut(words, "no usable credential: "); ok {
		return rest
	}
	return words
}

// Origin names the server.
func (n *CredentialNeed) Origin() string { return credential.Origin(n.Server) }

// What names the credential.
func (n *CredentialNeed) What() string {
	switch n.method() {
	case "credential-ref":
		return "the stored credential " + n.ID
	case "oauth-device-code":
		return "a login by " + n.Model.Auth.DeviceAuthorizationEndpoint
	case "command":
		return "what a program prints: " + strings.Join(n.Model.Auth.Command.Argv(), " ")
	}
	if v := credential.Variable(n.Model); v != "" {
		return "the variable " + v
	}
	return "variables in headers"
}

// Who lists the members that need it.
func (n *CredentialNeed) Who() string { return site.Join(n.Members) }

// KeyPage returns the address of the provider's page that gives out keys, or "".
func (n *CredentialNeed) KeyPage() string {
	if n.Model.BaseURL != "" {
		return ""
	}
	return n.Model.Kind().KeyPage
}

// Hint returns where to get a key, or how to log in.
func (n *CredentialNeed) Hint() string {
	if errors.Is(n.Missing, credential.ErrLoginNeeded) {
		return "Run council login on a terminal."
	}
	if !n.Storable() {
		return ""
	}
	hint := "Without a terminal"
	if n.ByVariable() {
		hint = "Or store it, as " + n.ID
	}
	hint += fmt.Sprintf(": council login --credential %s=VARIABLE, or --stdin %s.", n.ID, n.ID)
	if page := n.KeyPage(); page != "" {
		hint = "Get one at " + page + ". " + hint
	}
	return hint
}
