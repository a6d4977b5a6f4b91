package kit

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/council-engine/council/council/member/tools"
)

// describing tells of a server's tool what the server says of it. That comes as a result, when a member asks: so nothing
// that a server says stands in what members are told, and no server is started that nobody calls.
type describing struct{ kit *Kit }

func (d describing) Call(ctx context.Context, _ string, arguments []byte, most int) tools.Answer {
	var a struct{ Tool string }
	if err := json.Unmarshal(arguments, &a); err != nil || a.Tool == "" {
		return tools.Failure(`It takes tool, a name: {"tool": "<name>"}.`)
	}
	name, own, _ := strings.Cut(a.Tool, ".")
	server := d.kit.servers[name]
	if server == nil || !d.kit.box.Settings.Offers(a.Tool) {
		return tools.Failure("There is no tool %q of a server. You may call %s.", a.Tool, strings.Join(d.kit.box.Settings.Offered(), ", "))
	}
	return server.Describe(ctx, own)
}

var _ tools.Source = describing{}
