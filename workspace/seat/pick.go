// Package seat makes answering members from a charter: it chooses models for members without one, asks whether to
// trust the programs and servers of a configuration, sets prices, and wraps models in queue, limits, tools and tape.
package seat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/command"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/workspace/site"
)

// ModelChoice says which models members get.
type ModelChoice struct {
	Models  []string // PROVIDER[/MODEL], for all seats in turn; nil: those available, for members without a model
	Because string   // the setting that names the models; "": --model
	// Rehearse allows the rehearsal where there is no model, because a person reads the line that says so.
	Rehearse bool
	// Confirm asks a person a yes-or-no question; nil means that prompting is impossible.
	Confirm func(ctx context.Context, question string) (bool, error)
}

// picker chooses models for members without one in a workspace.
type picker struct {
	*site.World
	choice ModelChoice
	root   string
	policy *policy.Policy
}

// PickModels gives the members the named models in turn, or those without one the first available model, or if the user
// agrees those of all available vendors in turn. It returns a line for the user with the reason, or "" when the charter
// names all models. Without a model it is a usage error.
func PickModels(w *site.World, ctx context.Context, c *council.Charter, choice ModelChoice) (string, error) {
	lawful, err := w.Policy(c.Storage.RootDir) // before a server is asked which models it has
	if err != nil || len(choice.Models) == 0 && !MissesModel(c) {
		return "", err
	}
	chosen, why, err := picker{w, choice, c.Storage.RootDir, lawful}.choose(ctx)
	if err != nil {
		return "", err
	}
	seatInTurn(c, chosen, len(choice.Models) > 0)
	var names []string
	inTurn, rehearsal := "", ""
	for _, m := range chosen {
		name := m.Name()
		if m.Kind().Rehearse {
			name = m.Provider
			rehearsal = " No model is asked, and nothing is decided; members speak from the topic and the documents."
		}
		names = append(names, name)
	}
	if len(chosen) > 1 {
		inTurn = " in turn"
		if rehearsal != "" {
			rehearsal = " Where the rehearsal has a seat, nothing is decided."
		}
	}
	return fmt.Sprintf("Members: %s%s, %s.%s", site.Join(names), inTurn, why, rehearsal), nil
}

// seatInTurn gives the models in turn to all members, or to those without one.
func seatInTurn(c *council.Charter, models []council.Model, all bool) {
	next := 0
	for i := range c.Members {
		if m := &c.Members[i].Model; all || m.Kind().Unchosen {
			*m = models[next%len(models)]
			next++
		}
	}
}

// MissesModel reports whether a member has no model.
func MissesModel(c *council.Charter) bool {
	return slices.ContainsFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Unchosen })
}

// parseNamed parses --model PROVIDER/MODEL. Without a model it asks a server on this machine for its first.
func (p picker) parseNamed(ctx context.Context, provider, model string) (council.Model, error) {
	known, ok := council.KindOf(provider)
	chosen := council.Model{Provider: provider, Model: cmp.Or(model, known.DefaultModel)}
	nameable := Providers(func(k council.MemberKind) bool { return k.Address != "" || !k.Server() && !k.Person })
	switch {
	case known.Rehearse:
		chosen.Model = known.DefaultModel
		return chosen, nil
	case !ok, known.Person, known.Unchosen:
		return chosen, site.Refuse(fmt.Sprintf("there is no provider %s for --model", site.Quote(provider)),
			site.DidYouMean(provider, nameable, "Use one of "+site.Join(nameable)+", with a model after a slash: "+
				"--model openai/gpt-5.4. For other servers write a council.config.json (council init)."))
	case !known.Server():
		if model == "" {
			return chosen, site.Refuse("--model "+provider+" names nothing",
				"Say which after a slash: --model script/replies.jsonl takes the replies of a file, --model command/claude an "+
					"agent ("+site.Join(command.Agents())+").")
		}
		return chosen, nil
	case known.Address == "":
		return chosen, site.Refuse("--model "+provider+" does not say where its server is",
			"Write a council.config.json (council init) with its address in baseUrl.")
	}
	if chosen.APIKeyEnv = known.Key; p.Getenv(known.Key) == "" && p.stores(known) {
		chosen.APIKeyEnv, chosen.Auth = "", Stored(known).Auth
	}
	listing, field := known.Address+"/models", "data.0.id"
	if provider == "ollama" {
		address, err := ollamaHost(p.Getenv("OLLAMA_HOST"))
		if err != nil {
			return chosen, err
		}
		chosen.BaseURL = address + "/v1"
		listing, field = address+"/api/tags", "models.0.name"
	}
	if chosen.Model != "" {
		return chosen, nil
	}
	if !member.Loopback(known.Address) {
		return chosen, site.Refuse("--model "+provider+" names no model",
			"Say which after a slash: --model "+provider+"/MODEL.")
	}
	local, err := p.firstModel(ctx, listing, field)
	if err != nil {
		return chosen, fmt.Errorf("--model %s names no model, and none could be listed: %w; start the server, or name the "+
			"model after a slash: --model %s/MODEL", provider, err, provider)
	}
	chosen.Model = local
	return chosen, nil
}

// choose returns the named models, else those of the vendors with a key, else that of an Ollama server, else the
// rehearsal if allowed, with the reason.
func (p picker) choose(ctx context.Context) (chosen []council.Model, why string, err error) {
	for _, named := range p.choice.Models {
		provider, model, _ := strings.Cut(strings.TrimSpace(named), "/")
		m, err := p.parseNamed(ctx, provider, model)
		if err != nil {
			return nil, "", err
		}
		chosen = append(chosen, m)
	}
	if chosen != nil {
		return chosen, "because " + cmp.Or(p.choice.Because, "--model") + " says so", nil
	}
	if found := p.vendors(); len(found) > 0 {
		return p.ofVendors(ctx, found)
	}
	address, err := ollamaHost(p.Getenv("OLLAMA_HOST"))
	if err != nil {
		return nil, "", err
	}
	if model, err := p.firstModel(ctx, address+"/api/tags", "models.0.name"); err == nil {
		m, err := p.parseNamed(ctx, "ollama", model)
		return []council.Model{m}, "an Ollama server answers at " + address, err
	}
	const missing = "there is no ANTHROPIC_API_KEY, no OPENAI_API_KEY and no Ollama server on this machine"
	if !p.choice.Rehearse {
		return nil, "", site.Refuse("no model can be asked: "+missing,
			"Set a key (council login stores one), start a server, name models in a council.config.json (council init), or "+
				"rehearse, which decides nothing: --model rehearsal")
	}
	m, err := p.parseNamed(ctx, "rehearsal", "")
	return []council.Model{m}, "because " + missing, err
}

// vendor is a model whose key is at hand, and where the key is, in words.
type vendor struct {
	model council.Model
	key   string
}

// vendors lists the default models whose key is at hand, those with a variable first. Those that the policy forbids are
// left out, unless it forbids all.
func (p picker) vendors() (all []vendor) {
	var kept []vendor
	for _, k := range council.MemberKinds() {
		switch {
		case k.DefaultModel == "" || k.Key == "":
		case p.Getenv(k.Key) != "":
			all = append(all, vendor{council.Model{Provider: k.Provider, Model: k.DefaultModel, APIKeyEnv: k.Key},
				k.Key + " is set"})
		case p.stores(k):
			kept = append(kept, vendor{Stored(k), "the key " + Stored(k).Auth.CredentialID + " is stored"})
		}
	}
	all = append(all, kept...)
	barred := func(v vendor) bool { return !p.policy.Allows(v.model) }
	if may := slices.DeleteFunc(slices.Clone(all), barred); len(may) > 0 {
		return may
	}
	return all
}

// ofVendors returns the models of all vendors where seats may be spread across them, else that of the first.
func (p picker) ofVendors(ctx context.Context, found []vendor) ([]council.Model, string, error) {
	var all []council.Model
	flags := ""
	for _, v := range found {
		all, flags = append(all, v.model), flags+" --model "+v.model.Provider
	}
	if len(all) == 1 {
		return all, found[0].key, nil
	}
	why, unasked, err := p.askSpread(ctx, all)
	switch {
	case err != nil:
		return nil, "", err
	case why != "":
		hosts := site.Join(council.Map(all, Server))
		return all, fmt.Sprintf("%s. Topic and documents are sent to %s", why, hosts), nil
	case unasked:
		return all[:1], found[0].key + ". Seats of several families:" + flags, nil
	}
	return all[:1], found[0].key, nil
}

// stores reports whether the workspace has a key for a kind.
func (p picker) stores(k council.MemberKind) bool {
	server, err := url.Parse(k.Address)
	if err != nil || k.Key == "" {
		return false
	}
	_, err = Wallet(p.World, p.root).For(Stored(k), server)
	return err == nil
}

// Stored returns the default model of a kind, with the key that council login stores.
func Stored(k council.MemberKind) council.Model {
	id := strings.ReplaceAll(strings.ToLower(k.Key), "_", "-")
	return council.Model{Provider: k.Provider, Model: k.DefaultModel,
		Auth: &council.Auth{Method: "credential-ref", CredentialID: id}}
}

// firstModel asks a server on this machine for its first model. It waits at most half a second.
func (p picker) firstModel(ctx context.Context, listing, field string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, listing, nil)
	if err != nil {
		return "", err
	}
	t := p.Gate(p.root).Transport()
	t.Proxy, t.DisableKeepAlives = nil, true // the server is on this machine, and is asked once
	res, err := gate.Client(t).Do(req)
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("nothing answers at %s://%s", req.URL.Scheme, req.URL.Host)
	}
	defer res.Body.Close()
	doc, err := io.ReadAll(http.MaxBytesReader(nil, res.Body, 1<<20))
	if err != nil {
		return "", err
	}
	if name := gjson.GetBytes(doc, field); gjson.ValidBytes(doc) && name.Type == gjson.String && name.String() != "" {
		return name.String(), nil
	}
	return "", fmt.Errorf("the server at %s has no model; load one first (ollama pull llama3.2)", req.URL.Host)
}

// OneFamilyWarning returns a warning if all members are of one model family, else "".
func OneFamilyWarning(c *council.Charter) string {
	k := c.Families(false)
	if !k.Alike() {
		return ""
	}
	return fmt.Sprintf("Note: all %d models are of one family (%s). They make the same mistakes, so their agreement says "+
		"less. Give seats models of other providers: --model several times, or in council.config.json.", k.Seats,
		k.Families[0])
}

// UnknownProgramsWarning returns a warning if council cannot know the tools and cost of some members, else "".
func UnknownProgramsWarning(c *council.Charter) string {
	var who []string
	for _, m := range c.Members {
		for _, one := range m.Model.PossibleModels() {
			if one.Command != nil {
				who = append(who, fmt.Sprintf("%s (%s)", m.ID, one.Command[0]))
			}
		}
	}
	if who == nil {
		return ""
	}
	return "Note: a program of your own answers for " + strings.Join(who, ", ") +
		". Council does not know which tools it uses, what it costs beyond what it reports, and whether it remembers."
}

// ollamaHost returns the address in OLLAMA_HOST without a trailing slash, parsed as by Ollama's own client (Host and
// ConnectableHost in its package envconfig): scheme, port and path are optional. A listening address, such as 0.0.0.0
// or :11434, becomes one of this machine. Addresses that Ollama would only guess at are refused.
func ollamaHost(value string) (string, error) {
	value = strings.TrimSpace(strings.Trim(strings.TrimSpace(value), `"'`))
	refuse := func(why string) (string, error) {
		return "", site.Refuse("OLLAMA_HOST is "+site.Quote(value)+", "+why,
			"Set it to a host, with a port or without, such as 127.0.0.1:11434 or https://ollama.example.com, or unset it.")
	}
	if strings.Contains(value, "@") { // it is not quoted, because it may hold a password
		return "", site.Refuse("OLLAMA_HOST names a user",
			"Set it to a host alone, with a port or without; a server that wants a key is configured by baseUrl and apiKeyEnv.")
	}
	scheme, rest, schemed := strings.Cut(value, "://")
	usual := "11434"
	switch {
	case value == "ollama.com":
		scheme, rest, usual = "https", value, "443"
	case !schemed:
		scheme, rest = "http", value
	case scheme == "http":
		usual = "80"
	case scheme == "https":
		usual = "443"
	default:
		return refuse("which is not an http or https address.")
	}
	place, path, _ := strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(place)
	if err != nil { // there is no port
		host, port = strings.Trim(place, "[]"), usual
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return refuse("and " + site.Quote(port) + " is not a port from 1 to 65535.")
	}
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	case ip == nil && strings.ContainsAny(host, ":[]?# "):
		return refuse("which is not a host.")
	}
	u, err := url.Parse(scheme + "://" + net.JoinHostPort(host, port) + "/" + strings.Trim(path, "/"))
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return refuse("which is not an address.")
	}
	return strings.TrimRight(u.String(), "/"), nil
}
