package charter

import (
	"fmt"
	"maps"
	"slices"

	"github.com/council-engine/council/council"
)

// checkTools holds that what a member may look up can be looked up.
func checkTools(p *problems, at string, m council.Member) {
	if m.Tools == nil {
		return
	}
	if m.Model.Provider == "human" {
		p.add(at, "people look things up themselves")
	}
	for _, found := range m.Tools.Problems() {
		p.add(at+found.Field, "%s", found.Text)
	}
	for i, s := range m.Tools.MCP {
		at := fmt.Sprintf("%s/mcp/%d", at, i)
		if s.Command != nil {
			checkCommand(p, at+"/command", s.Command)
		}
		checkAddress(p, at+"/url", s.URL)
		checkEnv(p, at+"/apiKeyEnv", s.APIKeyEnv)
		if s.Auth != nil {
			checkAuth(p, at+"/auth", *s.Auth)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
			checkHeader(p, at+"/headers/"+pointerPart(name), name, s.Headers[name])
		}
	}
}
