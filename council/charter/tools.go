package charter

import (
	"fmt"

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
		if s.Command != nil {
			checkCommand(p, fmt.Sprintf("%s/mcp/%d/command", at, i), s.Command)
		}
		checkAddress(p, fmt.Sprintf("%s/mcp/%d/url", at, i), s.URL)
	}
}
