// Package access has the words for how the caller of a server shows who it is. It is pure: package member/credential finds
// what is named here.
package access

// Auth says where a credential comes from. Method decides which of the other fields matter.
type Auth struct {
	Method                      string   `json:"method"` // api-key-env, credential-ref, oauth-device-code, command
	APIKeyEnv                   string   `json:"apiKeyEnv,omitempty"`
	CredentialID                string   `json:"credentialId,omitempty"`
	ClientID                    string   `json:"clientId,omitempty"`
	DeviceAuthorizationEndpoint string   `json:"deviceAuthorizationEndpoint,omitempty"`
	TokenEndpoint               string   `json:"tokenEndpoint,omitempty"`
	Scopes                      []string `json:"scopes,omitempty"`
	Audience                    string   `json:"audience,omitempty"`
	Command                     string   `json:"command,omitempty"`
	Env                         []string `json:"env,omitempty"` // the variables that Command is given besides the few it needs
	CacheKey                    string   `json:"cacheKey,omitempty"`
	CacheTTLSeconds             float64  `json:"cacheTtlSeconds,omitempty"`
	TokenStorePath              string   `json:"tokenStorePath,omitempty"`
}
