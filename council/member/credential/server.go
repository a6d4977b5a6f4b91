package credential

import (
	"github.com/council-engine/council/council"
)

// Caller is who calls a server of tools at an address, in the words that models have for it: so [Wallet.For],
// [github.com/council-engine/council/council/member.Headers] and whoever asks people for keys serve both.
func Caller(s *council.ToolServer) council.Model {
	return council.Model{
		Provider: "the server " + s.Name + " of tools", BaseURL: s.URL, APIKeyEnv: s.APIKeyEnv, Auth: s.Auth, Headers: s.Headers,
	}
}
