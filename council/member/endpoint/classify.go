package endpoint

import (
	"net/http"
	"strings"

	"github.com/council-engine/council/council"
)

// statusOverloaded is the status of some providers in place of 503.
const statusOverloaded = 529

// phrases identify faults that providers send with the status of another fault. They are looked for in the
// server's codes and message, in this order.
var phrases = []struct {
	kind      council.FaultKind
	retryable bool
	words     []string
}{
	{council.FaultBilling, false,
		[]string{"insufficient_quota", "billing_error", "billing_hard_limit", "billing_not_active",
			"credit balance", "insufficient credits", "insufficient balance", "requires more credits"}},
	{council.FaultFailed, true, []string{"overloaded"}},
	{council.FaultContextTooLong, false, []string{"context_length", "context length", "context window", "context size",
		"prompt is too long", "input is too long", "request_too_large", "too many tokens"}},
	{council.FaultAuth, false, []string{"api key not valid", "invalid api key", "incorrect api key"}},
	{council.FaultRefusal, false, []string{"content_filter", "content_policy", "content management policy"}},
	{council.FaultModelMissing, false,
		[]string{"model_not_found", "not_found_error", "not a valid model", "model not found",
			"model does not exist", "unknown model", "no such model"}},
}

// kinds tell faults by the server's own code alone, for errors that come in the midst of a reply.
var kinds = []struct {
	kind      council.FaultKind
	retryable bool
	words     []string
}{
	{council.FaultRate, true, []string{"rate_limit"}},
	{council.FaultAuth, false, []string{"authentication", "permission", "invalid_api_key"}},
	{council.FaultTimeout, true, []string{"timeout"}},
}

// classify returns which fault a rejection is, and whether the same call may succeed in a moment.
func classify(r *rejection) (council.FaultKind, bool) {
	words := strings.ToLower(r.Kind + " " + r.Message)
	switch r.Status {
	case http.StatusPaymentRequired:
		return council.FaultBilling, false
	case http.StatusUnauthorized:
		return council.FaultAuth, false
	case http.StatusRequestEntityTooLarge:
		return council.FaultContextTooLong, false
	}
	if kind, retryable, ok := FaultOf(words); ok {
		return kind, retryable
	}
	switch r.Status {
	case http.StatusForbidden:
		return council.FaultAuth, false
	case http.StatusNotFound:
		return council.FaultModelMissing, false
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return council.FaultTimeout, true
	case http.StatusTooManyRequests:
		return council.FaultRate, true
	case http.StatusConflict, http.StatusTooEarly, statusOverloaded:
		return council.FaultFailed, true
	}
	for _, k := range kinds {
		if containsAny(strings.ToLower(r.Kind), k.words) {
			return k.kind, k.retryable
		}
	}
	// An error in the midst of a reply is the server's; a request that it rejects stays rejected.
	if r.Status >= 500 || r.Status < 300 {
		return council.FaultFailed, true
	}
	return council.FaultRejected, false
}

// FaultOf identifies a fault by a provider's words alone, as a gateway or an agent passes them on. It is not ok when
// they show none.
func FaultOf(words string) (kind council.FaultKind, retryable, ok bool) {
	words = strings.ToLower(words)
	for _, p := range phrases {
		if containsAny(words, p.words) {
			return p.kind, p.retryable, true
		}
	}
	return "", false, false
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
