package charter

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// mostContext bounds contextWindow, in tokens.
const mostContext = 100_000_000

// The bounds of maxReplyBytes, and what holds without it. No question can be answered in less than the least.
const (
	leastReply = 4 << 10
	usualReply = 256 << 10
	mostReply  = 1 << 20
)

// reference is a header's value that names an environment variable, after a scheme such as "Bearer" or alone.
var reference = regexp.MustCompile(`^([A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// lasting is a time limit: a number above 0 and its unit.
var lasting = regexp.MustCompile(`^[1-9][0-9]{0,3}[smh]$`)

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func checkModel(p *problems, at string, m council.Model) {
	p.text(at+"/provider", m.Provider)
	if !m.Kind().NeedsNoName {
		p.text(at+"/model", m.Model)
	}
	checkAddress(p, at+"/baseUrl", m.BaseURL)
	checkEnv(p, at+"/apiKeyEnv", m.APIKeyEnv)
	if t := m.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		p.add(at+"/temperature", "it must be between 0 and 2, not %v", *t)
	}
	p.refuse(!(m.CallsPerMinute >= 0 && m.CallsPerMinute <= 1e6), at+"/callsPerMinute",
		"it must lie between 0 (for no limit) and a million, not %v", m.CallsPerMinute)
	p.refuse(!(m.TokensPerMinute >= 0 && m.TokensPerMinute <= 1e9), at+"/tokensPerMinute",
		"it must lie between 0 (for no limit) and a billion, not %v", m.TokensPerMinute)
	p.refuse(m.Parallel < 0 || m.Parallel > 10_000, at+"/parallel",
		"it must lie between 0 (for one call at a time on this machine, else any number) and 10,000, not %d", m.Parallel)
	checkTime(p, at+"/timeout", m.Timeout)
	checkTime(p, at+"/firstByteTimeout", m.FirstByteTimeout)
	p.refuse(m.MaxTokens < 0, at+"/maxTokens",
		"it must be 0 (for the provider's own limit) or more, not %d", m.MaxTokens)
	n, window := m.MaxReplyBytes, m.ContextWindow
	p.refuse(n != 0 && (n < leastReply || n > mostReply), at+"/maxReplyBytes",
		"it must lie between %d and %d, or be left out for %d, not %d", leastReply, mostReply, usualReply, n)
	p.refuse(window < 0 || window > mostContext, at+"/contextWindow",
		"it must lie between 0 (for what the server says) and %d tokens, not %d", mostContext, window)
	p.refuse(window > 0 && m.MaxTokens >= window, at+"/contextWindow",
		"it holds the prompt and the reply, so it must be larger than maxTokens, which is %d", m.MaxTokens)
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		checkHeader(p, at+"/headers/"+council.PointerPart(name), name, m.Headers[name])
	}
	if m.Auth != nil {
		checkAuth(p, at+"/auth", *m.Auth)
	}
	checkProgram(p, at, m)
	for i, f := range m.Fallbacks {
		checkFallback(p, fmt.Sprintf("%s/fallbacks/%d", at, i), f)
	}
}

func checkTime(p *problems, at, limit string) {
	p.refuse(limit != "" && !lasting.MatchString(limit), at,
		"it must be a number of seconds, minutes or hours, such as 90s, 10m or 2h, not %q", limit)
}

// checkFallback holds that what stands in for a model is one, and that nothing stands in for it in turn.
func checkFallback(p *problems, at string, m council.Model) {
	if m.Kind().NoFallback {
		p.add(at+"/provider", "%s cannot stand in for a model", m.Provider)
		return
	}
	if len(m.Fallbacks) > 0 {
		p.add(at+"/fallbacks", "a fallback has none of its own; list them all under the member's model")
		m.Fallbacks = nil
	}
	checkModel(p, at, m)
}

// checkEnv catches a key that was written where its variable should be named. It does not quote it.
func checkEnv(p *problems, at, name string) {
	p.refuse(name != "" && !envName.MatchString(name), at,
		"it must be the name of an environment variable, such as OPENAI_API_KEY, never a key")
}

// checkAddress holds a URL, if one is given, to http or https without a password or key in it. The core parses no
// URLs, so this reads only what it must; the member that uses the address parses the rest.
func checkAddress(p *problems, at, address string) {
	if address == "" {
		return
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		p.add(at, "it must begin with http:// or https://")
		return
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		p.add(at, "it must not contain spaces, backslashes or control characters")
		return
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	switch {
	case strings.Contains(host, "@"):
		p.add(at, "it must not contain a user or password; name a variable in apiKeyEnv instead")
	case host == "" || strings.HasPrefix(host, ":"):
		p.add(at, "it names no host")
	}
	_, query, _ := strings.Cut(rest, "?")
	for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' || r == '#' }) {
		if name, value, _ := strings.Cut(part, "="); secretName(name) || secretValue(value) ||
			slices.Contains(signatures, strings.ToLower(name)) {
			p.add(at, "it must not contain a key or token; name a variable in apiKeyEnv instead")
			return
		}
	}
}

// signatures are names of query parameters that give access.
var signatures = []string{"sig", "signature", "code"}

// checkHeader refuses a secret that is written out: the charter is kept in the record of every session.
func checkHeader(p *problems, at, name, value string) {
	p.refuse(!headerName.MatchString(name), at, "%q is not a name for a header", name)
	p.refuse(strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }), at,
		"a header must not contain control characters")
	if reference.MatchString(value) {
		return
	}
	p.refuse(secretName(name) || secretValue(value), at,
		"it looks like a secret; write the name of an environment variable, such as ${MY_KEY}, instead of its value")
}

// secretName reports whether what goes by this name is usually a secret: Authorization, X-Api-Key, Cookie, ..., and not
// Auth-Type.
func secretName(name string) bool { return secretNames.MatchString(name) }

func secretValue(value string) bool { return secretValues.MatchString(value) }

var (
	secretNames = regexp.MustCompile(`(?i)authorization|(api|access)[-_.]*key|cookie|secret|password|credential|` +
		`(token|key)([-_.]|$)|(^|[-_.])auth[-_.]*$`)
	secretValues = regexp.MustCompile(`(?i)^\s*(bearer |basic |sk-)`)
)
