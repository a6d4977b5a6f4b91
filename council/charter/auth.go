package charter

import (
	"strings"

	"github.com/council-engine/council/council"
)

// checkAuth holds that the method is known, that what it needs is there.
func checkAuth(p *problems, at string, a council.Auth) {
	p.oneOf(at+"/method", a.Method, "api-key-env", "credential-ref", "oauth-device-code", "command")
	needs := func(name, value string) {
		if strings.TrimSpace(value) == "" {
			p.add(at+"/"+name, "the method %s needs it", a.Method)
		}
	}
	switch a.Method {
	case "api-key-env":
		needs("apiKeyEnv", a.APIKeyEnv)
	case "credential-ref":
		needs("credentialId", a.CredentialID)
	case "oauth-device-code":
		needs("clientId", a.ClientID)
		needs("deviceAuthorizationEndpoint", a.DeviceAuthorizationEndpoint)
		needs("tokenEndpoint", a.TokenEndpoint)
	case "command":
		needs("command", a.Command)
	}
	checkTokenCommand(p, at+"/command", a.Command)
	checkEnvs(p, at+"/env", a.Env)
	checkEnv(p, at+"/apiKeyEnv", a.APIKeyEnv)
	checkAddress(p, at+"/deviceAuthorizationEndpoint", a.DeviceAuthorizationEndpoint)
	checkAddress(p, at+"/tokenEndpoint", a.TokenEndpoint)
	p.notNegative(at+"/cacheTtlSeconds", a.CacheTTLSeconds)
}

// checkTokenCommand refuses secrets in the command that prints a token: the charter is kept in the record, and every user
// of a machine can read the arguments of a program that runs. It does not quote them.
func checkTokenCommand(p *problems, at, command string) {
	for word := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"=", r) }) {
		if secretValue(word) {
			p.add(at, "it looks as if it held a secret; let the program find its own, for instance in the environment")
			return
		}
	}
}
