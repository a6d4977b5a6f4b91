package setup

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

// credentialNeed is one credential that members need at a server.
type credentialNeed struct {
	id      string // under which it is stored, or would be
	model   council.Model
	server  *url.URL
	members []council.MemberID
	places  []string // of the models and servers of tools, by JSON pointer
	missing error
	stored  bool // just now
}

// credentialNeeds lists the credentials that the models of a charter and its servers of tools need, in its order.
// Models without an address have credentials of their own, or none.
func credentialNeeds(c *council.Charter) []*credentialNeed {
	var all []*credentialNeed
	known := map[string]*credentialNeed{}
	add := func(m council.Model, who council.MemberID, place string) {
		p := m.Kind()
		server, err := url.Parse(cmp.Or(m.BaseURL, p.Address))
		if err != nil || server.Host == "" || credential.Name(m) == "variable " && len(m.Headers) == 0 {
			return
		}
		name := credential.Name(m) + " " + credential.Origin(server)
		n := known[name]
		if n == nil {
			n = &credentialNeed{model: m, server: server, id: credentialID(m, server, all)}
			known[name] = n
			all = append(all, n)
		}
		if len(n.members) == 0 || n.members[len(n.members)-1] != who {
			n.members = append(n.members, who)
		}
		n.places = append(n.places, place)
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
func credentialID(m council.Model, server *url.URL, others []*credentialNeed) string {
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
		if n.id == id && id != "" {
			return id + "-" + strings.ToLower(server.Hostname())
		}
	}
	return id
}

func (n *credentialNeed) method() string {
	if n.model.Auth == nil {
		return "api-key-env"
	}
	return n.model.Auth.Method
}

// storable reports whether a key can be stored for the need.
func (n *credentialNeed) storable() bool {
	return n.method() == "credential-ref" || n.byVariable()
}

func (n *credentialNeed) byVariable() bool {
	return n.method() == "api-key-env" && credential.Variable(n.model) != ""
}

// State describes whether the credential was found.
func (n *credentialNeed) State() string {
	if n.missing != nil {
		return "missing"
	}
	return "ok"
}

// Problem returns the reason for a missing credential, without the parts that the list has already.
func (n *credentialNeed) Problem() string {
	words := n.missing.Error()
	if _, rest, ok := strings.Cut(words, "no usable credential: "); ok {
		return rest
	}
	return words
}

// Origin names the server.
func (n *credentialNeed) Origin() string { return credential.Origin(n.server) }

// find looks for the credential and for the variables in headers.
func (n *credentialNeed) find(w *credential.Wallet) error {
	if _, err := w.For(n.model, n.server); err != nil {
		return err
	}
	_, _, err := member.Headers(n.model, w.Getenv)
	return err
}

// What names the credential.
func (n *credentialNeed) What() string {
	switch n.method() {
	case "credential-ref":
		return "the stored credential " + n.id
	case "oauth-device-code":
		return "a login by " + n.model.Auth.DeviceAuthorizationEndpoint
	case "command":
		return "what a program prints: " + strings.Join(n.model.Auth.Command.Argv(), " ")
	}
	if v := credential.Variable(n.model); v != "" {
		return "the variable " + v
	}
	return "variables in headers"
}

// Who lists the members that need it.
func (n *credentialNeed) Who() string {
	return site.Join(n.members)
}

// Hint returns where to get a key, or how to log in.
func (n *credentialNeed) Hint() string {
	if errors.Is(n.missing, credential.ErrLoginNeeded) {
		return "Run council onboard on a terminal."
	}
	if !n.storable() {
		return ""
	}
	hint := "Without a terminal"
	if n.byVariable() {
		hint = "Or store it, as " + n.id
	}
	hint += fmt.Sprintf(": council onboard --credential %s=VARIABLE, or --stdin %s.", n.id, n.id)
	if page := n.model.Kind().KeyPage; page != "" && n.model.BaseURL == "" {
		hint = "Get one at " + page + ". " + hint
	}
	return hint
}
