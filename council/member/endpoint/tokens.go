package endpoint

import "github.com/tidwall/gjson"

// mostTokens is more than any reply can cost. Counts are a server's claims: beyond it they would overflow a budget.
const mostTokens = 1 << 40

// Tokens reads a count of tokens, in whatever form a server writes numbers.
func Tokens(v gjson.Result) int64 { return min(max(v.Int(), 0), mostTokens) }
