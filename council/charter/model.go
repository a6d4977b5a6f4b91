package charter

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

const maxContext = 100_000_000 // bounds contextWindow, in tokens

// The bounds of maxReplyBytes, and its default. No question can be answered in less than the least.
const (
	minReply   = 4 << 10
	usualReply = 256 << 10
	maxReply   = 1 << 20
)

// reference is a header's value that names an environment variable, after a scheme such as "Bearer" or alone.
var reference = regexp.MustCompile(`^([A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)
var timeLimit = regexp.MustCompile(`^[1-9][0-9]{0,3}[smh]$`) // a time limit: a number above 0 and its unit
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
		"it must be 0 (for a limit by the kind of question) or more, not %d", m.MaxTokens)
	p.refuse(m.ReasoningEffort != "" && !slices.Contains(council.Efforts, m.ReasoningEffort), at+"/reasoningEffort",
		"it must be one of %s, not %q", strings.Join(council.Efforts, ", "), m.ReasoningEffort)
	n, window := m.MaxReplyBytes, m.ContextWindow
	p.refuse(n != 0 && (n < minReply || n > maxReply), at+"/maxReplyBytes",
		"it must lie between %d and %d, or be left out for %d, not %d", minReply, maxReply, usualReply, n)
	p.refuse(window < 0 || window > maxContext, at+"/contextWindow",
		"it must lie between 0 (for what the server says) and %d tokens, not %d", maxContext, window)
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
	p.refuse(limit != "" && !timeLimit.MatchString(limit), at,
		"it must be a number of seconds, minutes or hours, such as 90s, 10m or 2h, not %q", limit)
}

// checkFallback checks that a fallback is a model and has no fallback of its own.
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

// checkAddress holds a URL, if one is given, to http or https without a password or key in it. The core parses no URLs;
// the member that uses the address parses the rest.
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
		if name, value, _ := strings.Cut(part, "="); secretName.MatchString(name) || secretValue.MatchString(value) ||
			slices.Contains(signatures, strings.ToLower(name)) {
			p.add(at, "it must not contain a key or token; name a variable in apiKeyEnv instead")
			return
		}
	}
}

var signatures = []string{"sig", "signature", "code"} // names of query parameters that give access

// checkHeader refuses a secret that is written out: the charter is kept in the record of every session.
func checkHeader(p *problems, at, name, value string) {
	p.refuse(!headerName.MatchString(name), at, "%q is not a name for a header", name)
	p.refuse(strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }), at,
		"a header must not contain control characters")
	if reference.MatchString(value) {
		return
	}
	p.refuse(secretName.MatchString(name) || secretValue.MatchString(value), at,
		"it looks like a secret; write the name of an environment variable, such as ${MY_KEY}, instead of its value")
}

// secretName matches the usual names of secrets: Authorization, X-Api-Key, Cookie, ..., and not Auth-Type.
var (
	secretName = regexp.MustCompile(`(?i)authorization|(api|access)[-_.]*key|cookie|secret|password|credential|` +
		`(token|key)([-_.]|$)|(^|[-_.])auth[-_.]*$`)
	secretValue = regexp.MustCompile(`(?i)^\s*(bearer |basic |sk-)`)
)

// AuthField is a setting of an auth, by its JSON name, and the methods that need it or may use it.
type AuthField struct {
	Name         string
	Given        bool
	Needed, Used []string
}

// AuthFields returns all settings of an auth but its method.
func AuthFields(a council.Auth) []AuthField {
	key, stored, login, program := []string{"api-key-env"}, []string{"credential-ref"}, []string{"oauth-device-code"},
		[]string{"command"}
	said := func(text string) bool { return strings.TrimSpace(text) != "" }
	return []AuthField{
		{"apiKeyEnv", said(a.APIKeyEnv), key, nil},
		{"credentialId", said(a.CredentialID), stored, login},
		{"clientId", said(a.ClientID), login, nil},
		{"deviceAuthorizationEndpoint", said(a.DeviceAuthorizationEndpoint), login, nil},
		{"tokenEndpoint", said(a.TokenEndpoint), login, nil},
		{"scopes", a.Scopes != nil, nil, login},
		{"audience", said(a.Audience), nil, login},
		{"tokenStorePath", said(a.TokenStorePath), nil, []string{"command", "oauth-device-code"}},
		{"command", said(a.Command.Shell) || len(a.Command.Args) > 0, program, nil},
		{"env", a.Env != nil, nil, program},
		{"cacheKey", said(a.CacheKey), nil, []string{"command", "oauth-device-code"}},
		{"cacheTtlSeconds", a.CacheTTLSeconds != 0, nil, program},
	}
}

func checkAuth(p *problems, at string, a council.Auth) {
	oneOf(p, at+"/method", a.Method, "api-key-env", "credential-ref", "oauth-device-code", "command")
	for _, f := range AuthFields(a) {
		p.refuse(!f.Given && slices.Contains(f.Needed, a.Method), at+"/"+f.Name, "the method %s needs it", a.Method)
	}
	if a.Command.Args != nil {
		checkCommand(p, at+"/command", a.Command.Args)
	}
	checkShell(p, at+"/command", a.Command.Shell)
	checkEnvs(p, at+"/env", a.Env)
	checkEnv(p, at+"/apiKeyEnv", a.APIKeyEnv)
	checkAddress(p, at+"/deviceAuthorizationEndpoint", a.DeviceAuthorizationEndpoint)
	checkAddress(p, at+"/tokenEndpoint", a.TokenEndpoint)
	p.notNegative(at+"/cacheTtlSeconds", a.CacheTTLSeconds)
}

// checkShell refuses secrets in the line that prints a token: the charter is kept in the record, and every user of a
// machine can read the arguments of a program that runs. It does not quote them.
func checkShell(p *problems, at, line string) {
	p.refuse(strings.ContainsRune(line, 0), at, "it must not hold a NUL character")
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\n'\"=", r) }) {
		if secretValue.MatchString(word) {
			p.add(at, "it looks as if it held a secret; let the program find its own, for instance in the environment")
			return
		}
	}
}

// checkProgram checks the settings of a member that is a program, and that no other member has them.
func checkProgram(p *problems, at string, m council.Model) {
	if !m.Kind().Program {
		const only = "only members of the provider command have it"
		p.refuse(m.Command != nil, at+"/command", only)
		p.refuse(m.Program != "", at+"/program", only)
		p.refuse(m.OutputFormat != "", at+"/outputFormat", only)
		p.refuse(m.Env != nil, at+"/env", only)
		p.refuse(m.Tools, at+"/tools", only)
		return
	}
	p.refuse(strings.TrimSpace(m.Model) == "" && m.Command == nil, at+"/model",
		"it must name an agent, such as claude, unless command names a program")
	if m.Command != nil {
		checkCommand(p, at+"/command", m.Command)
		p.refuse(m.Tools, at+"/tools",
			"it has no effect with command: what a program of your own may do is up to its arguments")
		p.refuse(m.Program != "", at+"/program",
			"it has no effect with command, which begins with a program; it is the path of the agent that model names")
	} else if m.OutputFormat != "" {
		p.add(at+"/outputFormat", "it has no effect without command: what an agent prints is known")
	}
	if m.OutputFormat != "" {
		oneOf(p, at+"/outputFormat", m.OutputFormat, "text", "json")
	}
	p.refuse(strings.ContainsFunc(m.Program, func(r rune) bool { return r < ' ' || r == 0x7f }), at+"/program",
		"it must not contain control characters")
	checkEnvs(p, at+"/env", m.Env)
}

// checkEnvs holds a list of environment variables to names, each given once.
func checkEnvs(p *problems, at string, names []string) {
	for i, name := range names {
		where := at + "/" + strconv.Itoa(i)
		if name == "" {
			p.text(where, name)
		}
		checkEnv(p, where, name)
		p.refuse(slices.Contains(names[:i], name), where, "%q is named twice", name)
	}
}

// checkCommand refuses arguments that cannot be passed, and secrets: the charter is kept in the record, and every
// user of a machine can read the arguments of a program that runs. It does not quote them.
func checkCommand(p *problems, at string, argv []string) {
	p.refuse(len(argv) == 0 || strings.TrimSpace(argv[0]) == "", at, "it must begin with a program")
	secret := false // the argument before this one was the name of a secret
	for i, arg := range argv {
		where := at + "/" + strconv.Itoa(i)
		if strings.ContainsFunc(arg, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == 0x7f }) {
			p.add(where, "it must not contain control characters")
		}
		name, value, assigned := strings.Cut(arg, "=")
		flag, named := strings.HasPrefix(arg, "-"), secretName.MatchString(strings.TrimLeft(name, "-"))
		p.refuse(secretValue.MatchString(arg) || assigned && (secretValue.MatchString(value) || named && value != "") ||
			secret && !flag,
			where, "it looks like a secret; name an environment variable in env, and let the program read that")
		secret = flag && !assigned && named
	}
}
