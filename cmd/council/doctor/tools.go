package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/tools"
)

// checkTools looks whether members can be given their tools and, unless offline, whether the servers have those that they
// may call. Members with the same tools are looked at once. No tool is called.
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
			f := Finding{Code: "tools", Severity: Stops, Members: []council.MemberID{m.ID}, Where: at, Problem: sentence(err.Error()),
				Why: "The member cannot be given its tools, so the council cannot convene.", Do: "Mend its tools in the configuration, or leave them out."}
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
	if u, err := url.Parse(s.URL); err == nil && u.Scheme == "http" && !member.Loopback(s.URL) && keyed(credential.Caller(s)) {
		found.add(Finding{Code: "key-in-the-clear", Severity: Costs, Members: []council.MemberID{m.ID}, Where: at,
			Problem: fmt.Sprintf("A token is sent to %s over http, which everybody on the way can read.", u.Host),
			Why:     "Whoever reads it can do what it allows.", Do: "Use https, or a tunnel to a port of this machine."})
	}
}

// unusable is the finding of a trouble with the tools of a member.
func unusable(m *council.Member, at string, t tools.Trouble) Finding {
	f := Finding{Code: "tool-server", Severity: Costs, Members: []council.MemberID{m.ID}, Where: fmt.Sprintf("%s/mcp/%d", at, t.Server),
		Problem: sentence(t.Words), Why: "Every call of its tools would fail, and each failure is one more question to the model.",
		Do: "See that the program starts, or that the address answers, and that it is let in; or leave the server out."}
	if t.Tool >= 0 {
		f.Code, f.Where = "tool", fmt.Sprintf("%s/allow/%d", f.Where, t.Tool)
		f.Why = "The member is told that it may call it, and a call that fails is one more question to the model."
		f.Do = "Name a tool that the server has and that it marks as reading, or leave it out; allowWrites lets others be called."
	}
	return f
}
