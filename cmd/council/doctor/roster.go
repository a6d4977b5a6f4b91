package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/internal/plural"
)

// Bounds of a reply, in tokens: what a leader's summary or assessment, and a draft, hardly ever keep within.
const (
	shortReply = 1000
	shortDraft = 2000
)

// place is one model of a member: its own or a fallback.
type place struct {
	council.Model
	member council.MemberID
	field  string // the model, as a JSON pointer
	backed bool   // another may answer while it is missing or down
	spare  bool   // it only stands in for another
}

// places lists the models of a charter, in seat order.
func places(c *council.Charter) []place {
	var all []place
	for _, id := range c.Seats() {
		i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.ID == id })
		m := c.Members[i].Model
		at := fmt.Sprintf("/members/%d/model", i)
		all = append(all, place{m, id, at, len(m.Fallbacks) > 0, false})
		for j, f := range m.Fallbacks {
			all = append(all, place{f, id, fmt.Sprintf("%s/fallbacks/%d", at, j), true, true})
		}
	}
	return all
}

// finding returns one about a field of the place's model.
func (p place) finding(code string, s Severity, field string) Finding {
	where := p.field
	if field != "" {
		where += "/" + field
	}
	return Finding{Code: code, Severity: s, Members: []council.MemberID{p.member}, Where: where}
}

// stops returns the severity of a model that can be seated and brings no answer when it is asked.
func (p place) stops() Severity {
	if p.spare {
		return Costs
	}
	return Stops
}

// down returns the severity of a model that is missing or cannot be reached: another may be asked then.
func (p place) down() Severity {
	if p.backed {
		return Costs
	}
	return Stops
}

// checkRoster looks at the members as they are configured. It returns those with a variable that is set and holds
// nothing.
func (d Doctor) checkRoster(c *council.Charter, found *findings) (empty []council.MemberID) {
	for _, p := range places(c) {
		if d.checkVariables(p, found) {
			empty = append(empty, p.member)
		}
		checkAddress(p, found)
		checkReplies(c, p, found)
	}
	checkFamily(c, found)
	return empty
}

// checkSeats seats every member and lets it go again, without a call. What is known of the empty ones is not said
// twice.
func (d Doctor) checkSeats(c *council.Charter, empty []council.MemberID, found *findings) {
	for _, p := range places(c) {
		_, leave, err := d.Seat(c, p.Model, nil)
		if err == nil {
			leave()
			continue
		}
		f := p.finding("seat", Stops, "")
		f.Problem, f.Why, f.Do = sentence(err.Error()), "The member cannot be seated, so the council cannot convene.",
			"Correct its model in the configuration."
		if errors.Is(err, member.ErrNoKey) {
			if slices.Contains(empty, p.member) {
				continue
			}
			f.Code, f.Do = "credential", "Provide the credential; council onboard walks through what is missing."
		}
		found.add(f)
	}
}

// variable is an environment variable of a member, and the field that names it: "" where its provider does.
type variable struct{ name, field string }

// variables returns the variables that a model names, or that its provider reads by itself.
func variables(m council.Model) []variable {
	var all []variable
	add := func(name, field string) {
		if name != "" && !slices.ContainsFunc(all, func(v variable) bool { return v.name == name }) {
			all = append(all, variable{name, field})
		}
	}
	if m.Auth != nil {
		add(m.Auth.APIKeyEnv, "auth/apiKeyEnv")
	}
	add(m.APIKeyEnv, "apiKeyEnv")
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		for _, variable := range member.Variables(m.Headers[name]) {
			add(variable, "headers/"+name)
		}
	}
	for i, name := range m.Env {
		add(name, fmt.Sprintf("env/%d", i))
	}
	if known := m.Kind(); known.Server() && m.APIKeyEnv == "" && m.Auth == nil && m.BaseURL == "" {
		add(known.Key, "")
	}
	return all
}

// checkVariables looks at what stands in the environment variables of a member, and reports whether one of them holds
// nothing although it is set. No value is ever quoted.
func (d Doctor) checkVariables(p place, found *findings) (empty bool) {
	for _, v := range variables(p.Model) {
		value, set := d.lookup(v.name)
		if !set {
			continue // whether it is needed is found by seating the member
		}
		trimmed := strings.TrimSpace(value)
		f := p.finding("", p.stops(), v.field)
		secret := !strings.HasPrefix(v.field, "env/") // what a program is given may be any text
		switch {
		case trimmed == "" && (secret || value == ""):
			empty = true
			f.Code, f.Severity = "variable-empty", Stops
			f.Problem = fmt.Sprintf("The environment variable %s is set, and holds nothing.", v.name)
			f.Why = "No key can be sent, so the member cannot be seated."
			f.Do = fmt.Sprintf("Export %s with the key, or unset it and name another.", v.name)
		case !secret:
			continue
		case strings.ContainsFunc(trimmed, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
			f.Code = "variable-broken"
			f.Problem = fmt.Sprintf("The environment variable %s has a blank or a line end within it.", v.name)
			f.Why = "No key has one: two lines may have been pasted, and the server will refuse it."
			f.Do = fmt.Sprintf("Export %s again with the key alone.", v.name)
		case strings.ContainsFunc(trimmed, func(r rune) bool { return r > unicode.MaxASCII }):
			f.Code = "variable-broken"
			f.Problem = fmt.Sprintf("The environment variable %s holds a character that no key has, perhaps one that cannot "+
				"be seen.", v.name)
			f.Why = "The server will refuse it."
			f.Do = fmt.Sprintf("Export %s again, with the key typed or copied as plain text.", v.name)
		case strings.Trim(trimmed, `"'`) != trimmed:
			f.Code = "variable-quoted"
			f.Problem = fmt.Sprintf("The environment variable %s holds quotation marks around the key.", v.name)
			f.Why = "They would be sent as a part of it, and the server will refuse it."
			f.Do = fmt.Sprintf("Export %s without them; some tools that read .env files keep them.", v.name)
		case trimmed != value:
			f.Code, f.Severity = "variable-blanks", Remark
			f.Problem = fmt.Sprintf("The environment variable %s has a blank or a line end before or after the key.", v.name)
			f.Why = "council takes it off; other programs send it and are refused."
			f.Do = fmt.Sprintf("Export %s without it.", v.name)
		default:
			continue
		}
		found.add(f)
	}
	return empty
}

// lookup reads the environment and tells what is empty from what is not set.
func (d Doctor) lookup(name string) (value string, set bool) {
	if value = d.Getenv(name); value != "" {
		return value, true
	}
	_, set = os.LookupEnv(name)
	return "", set
}

// version matches a part of a path that says which version of a protocol it is.
var version = regexp.MustCompile(`^v\d+[a-z0-9]*$`)

func checkAddress(p place, found *findings) {
	u, err := url.Parse(p.BaseURL)
	if p.BaseURL == "" || err != nil {
		return
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" && parts[i] == parts[i-1] || version.MatchString(parts[i]) && version.MatchString(parts[i-1]) {
			f := p.finding("address-doubled", p.down(), "baseUrl")
			f.Problem = fmt.Sprintf("The path of the baseUrl looks doubled: %s", u.Path)
			f.Why = "The server knows no such path, and would answer 404."
			f.Do = fmt.Sprintf("Take one of /%s/%s away.", parts[i-1], parts[i])
			found.add(f)
			break
		}
	}
	if u.Scheme == "http" && !member.Loopback(p.BaseURL) && keyed(p.Model) {
		f := p.finding("key-in-the-clear", Costs, "baseUrl")
		f.Problem = fmt.Sprintf("A key is sent to %s over http, which everybody on the way can read.", u.Host)
		f.Why = "Whoever reads it can spend your money."
		f.Do = "Use https, or a tunnel to a port of this machine."
		found.add(f)
	}
}

// keyed reports whether calls to a model carry a secret.
func keyed(m council.Model) bool {
	if m.APIKeyEnv != "" || m.Auth != nil {
		return true
	}
	for _, value := range m.Headers {
		if len(member.Variables(value)) > 0 {
			return true
		}
	}
	return false
}

// checkReplies holds that a member could write what a leader has to write: any member may be elected.
func checkReplies(c *council.Charter, p place, found *findings) {
	limit := p.MaxTokens
	f := p.finding("replies-short", Costs, "maxTokens")
	switch {
	case limit == 0:
		return
	case limit < shortReply:
		f.Problem = fmt.Sprintf("Its replies are cut after %s.", plural.Things(limit, "token"))
		f.Why = "Any member may lead, and a summary or an assessment is longer; a reply that is cut counts as none."
		f.Do = fmt.Sprintf("Set maxTokens to %d or more, or leave it out.", 2*shortReply)
	case limit < shortDraft && c.Output.Type == council.OutputDocumentation:
		f.Problem = fmt.Sprintf("Its replies are cut after %s.", plural.Things(limit, "token"))
		f.Why = "Any member may lead, and a leader drafts the document; a draft that is cut counts as none."
		f.Do = fmt.Sprintf("Set maxTokens to %d or more, or leave it out.", 2*shortDraft)
	default:
		return
	}
	found.add(f)
}

// checkFamily finds councils whose seats are all of one model family, or would be if their models were down.
func checkFamily(c *council.Charter, found *findings) {
	if k := c.Families(); k.Alike() {
		found.add(Finding{Code: "one-family", Severity: Remark, Where: "/members",
			Problem: fmt.Sprintf("All %d models are of one family: %s.", k.Seats, k.Families[0]),
			Why:     "They make the same mistakes, so their agreement says less.",
			Do:      "Seat models of different families, if you have them."})
	} else if spare := c.FallbackFamilies(); spare.Alike() {
		found.add(Finding{Code: "one-family-fallbacks", Severity: Remark, Where: "/members",
			Problem: fmt.Sprintf("If their models are down, all %d seats fall back to one family: %s.", spare.Seats,
				spare.Families[0]),
			Why: "They make the same mistakes, so their agreement says less then.",
			Do:  "Give seats fallbacks of different families, if you have them."})
	}
}

// asksAModel reports whether the answers of a member cost something.
func asksAModel(m council.Model) bool {
	k := m.Kind()
	return k.Server() || k.Program
}

// checkTools looks whether members can be given their tools and, unless offline, whether the servers have those that
// they may call. Members with the same tools are looked at once. No tool is called.
func (d Doctor) checkTools(ctx context.Context, c *council.Charter, offline bool, found *findings) {
	looked := map[string][]tools.Trouble{}
	for i := range c.Members {
		m := &c.Members[i]
		if m.Tools == nil {
			continue
		}
		at := fmt.Sprintf("/members/%d/tools", i)
		for j := range m.Tools.MCP {
			checkClear(m, fmt.Sprintf("%s/mcp/%d/url", at, j), &m.Tools.MCP[j], found)
		}
		k, err := d.Tools(c, m)
		if err != nil {
			f := Finding{Code: "tools", Severity: Stops, Members: []council.MemberID{m.ID}, Where: at,
				Problem: sentence(err.Error()),
				Why:     "The member cannot be given its tools, so the council cannot convene.",
				Do:      "Correct its tools in the configuration, or leave them out."}
			if errors.Is(err, member.ErrNoKey) {
				f.Code, f.Do = "credential", "Provide the credential, or leave the server out."
			}
			found.add(f)
			continue
		}
		if k == nil || offline || ctx.Err() != nil {
			continue
		}
		same := council.CompactJSON(m.Tools)
		troubles, known := looked[same]
		if !known {
			troubles = k.Look(ctx)
			looked[same] = troubles
		}
		k.Close()
		for _, t := range troubles {
			found.add(unusable(m, at, t))
		}
	}
}

// checkClear finds tokens that everybody on the way to a server could read.
func checkClear(m *council.Member, at string, s *council.ToolServer, found *findings) {
	if u, err := url.Parse(s.URL); err == nil && u.Scheme == "http" && !member.Loopback(s.URL) &&
		keyed(credential.Caller(s)) {
		found.add(Finding{Code: "key-in-the-clear", Severity: Costs, Members: []council.MemberID{m.ID}, Where: at,
			Problem: fmt.Sprintf("A token is sent to %s over http, which everybody on the way can read.", u.Host),
			Why:     "Whoever reads it can do what it allows.", Do: "Use https, or a tunnel to a port of this machine."})
	}
}

// unusable returns the finding of a trouble with the tools of a member.
func unusable(m *council.Member, at string, t tools.Trouble) Finding {
	f := Finding{Code: "tool-server", Severity: Costs, Members: []council.MemberID{m.ID},
		Where:   fmt.Sprintf("%s/mcp/%d", at, t.Server),
		Problem: sentence(t.Words), Why: "Every call of its tools would fail, and each failure is one more question to the " +
			"model.",
		Do: "See that the program starts, or that the address answers, and that it is let in; or leave the server out."}
	if t.Tool >= 0 {
		f.Code, f.Where = "tool", fmt.Sprintf("%s/allow/%d", f.Where, t.Tool)
		f.Why = "The member is told that it may call it, and a call that fails is one more question to the model."
		f.Do = "Name a tool that the server has and that it marks as reading, or leave it out; allowWrites lets others be " +
			"called."
	}
	return f
}
