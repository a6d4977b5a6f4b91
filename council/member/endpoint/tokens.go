package endpoint

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
)

// mostTokens is more than any reply can cost. Counts are a server's claims: beyond it they would overflow a budget.
const mostTokens = 1 << 40

// Tokens reads a count of tokens, in whatever form a server writes numbers.
func Tokens(v gjson.Result) int64 { return min(max(v.Int(), 0), mostTokens) }

// bills reports whether the server says with each reply what it costs in US dollars: OpenRouter does. Others may mean
// something else by the same name.
func (m *Model) bills() bool {
	return m.model.Kind().Bills || m.base.Hostname() == "openrouter.ai" || strings.HasSuffix(m.base.Hostname(), ".openrouter.ai")
}

// bill notes what the server says that the call cost: a part that is paid to the gateway, and with a key of one's own another
// that is paid to the provider behind it.
func bill(into *council.Usage, usage gjson.Result) {
	all := usage.Get("cost")
	if all.Type != gjson.Number || !(all.Float() >= 0) {
		return
	}
	into.Billed, into.BilledCalls = council.Dollars(all.Float()), 1
	if behind := usage.Get("cost_details.upstream_inference_cost").Float(); usage.Get("is_byok").Bool() && behind > 0 {
		into.Billed = into.Billed.Plus(council.Dollars(behind))
	}
}
