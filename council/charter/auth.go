package charter

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
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

// checkAuth holds that the method is known, that what it needs is there.
func checkAuth(p *problems, at string, a council.Auth) {
	p.oneOf(at+"/method", a.Method, "api-key-env", "credential-ref", "oauth-device-code", "command")
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
		if secretValue(word) {
			p.add(at, "it looks as if it held a secret; let the program find its own, for instance in the environment")
			return
		}
	}
}
