package endpoint

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/council-engine/council/council"
)

// sure are faults that a status alone tells; those of likely hold where the words tell no other.
var (
	sure = map[int]council.FaultKind{http.StatusPaymentRequired: council.FaultBilling,
		http.StatusUnauthorized: council.FaultAuth, http.StatusRequestEntityTooLarge: council.FaultContextTooLong}
	likely = map[int]council.FaultKind{http.StatusForbidden: council.FaultAuth,
		http.StatusNotFound: council.FaultModelMissing, http.StatusTooManyRequests: council.FaultRate,
		http.StatusRequestTimeout: council.FaultTimeout, http.StatusGatewayTimeout: council.FaultTimeout,
		http.StatusConflict: council.FaultFailed, http.StatusTooEarly: council.FaultFailed}
)

// phrase tells a fault by any of some words.
type phrase struct {
	kind  council.FaultKind
	words []string
}

// phrases identify faults that providers send with the status of another fault. They are looked for in the
// server's codes and message, in this order.
var phrases = []phrase{
	{council.FaultBilling, []string{"insufficient_quota", "billing_error", "billing_hard_limit", "billing_not_active",
		"credit balance", "insufficient credits", "insufficient balance", "requires more credits"}},
	{council.FaultFailed, []string{"overloaded"}},
	{council.FaultContextTooLong, []string{"context_length", "context length", "context window", "context size",
		"prompt is too long", "input is too long", "request_too_large", "too many tokens"}},
	{council.FaultAuth, []string{"api key not valid", "invalid api key", "incorrect api key"}},
	{council.FaultRefusal, []string{"content_filter", "content_policy", "content management policy"}},
	{council.FaultModelMissing, []string{"model_not_found", "not_found_error", "not a valid model", "model not found",
		"model does not exist", "unknown model", "no such model"}},
}

// codes tell faults by the server's own code alone, for errors that come in the midst of a reply.
var codes = []phrase{
	{council.FaultRate, []string{"rate_limit"}},
	{council.FaultAuth, []string{"authentication", "permission", "invalid_api_key"}},
	{council.FaultTimeout, []string{"timeout"}},
}

// FaultOf identifies a fault by a provider's words alone, as a gateway or an agent passes them on. It is empty when
// they show none.
func FaultOf(words string) council.FaultKind { return find(phrases, words) }

func find(phrases []phrase, words string) council.FaultKind {
	words = strings.ToLower(words)
	for _, p := range phrases {
		for _, w := range p.words {
			if strings.Contains(words, w) {
				return p.kind
			}
		}
	}
	return ""
}

// fault returns which fault a rejection is. An error in the midst of a reply is the server's; a request that it rejects
// stays rejected.
func (r *rejection) fault() council.FaultKind {
	last := council.FaultRejected
	if r.Status >= 500 || r.Status < 300 {
		last = council.FaultFailed
	}
	return cmp.Or(sure[r.Status], FaultOf(r.Kind+" "+r.Message), likely[r.Status], find(codes, r.Kind), last)
}
