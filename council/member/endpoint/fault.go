package endpoint

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// Errors of replies that cannot be used.
var (
	errCut     = errors.New("the reply was cut off before its end")
	errNothing = errors.New("the server sent no reply")
	// errStopped: the server gave a reason for the end by which the reply is not whole. It is wrapped with that.
	errStopped = errors.New("the server stopped the reply before its end")
	errGarbled = errors.New("the server's reply is not in the form of its protocol")
	errPage    = errors.New("a web page came back")
	errTooLong = errors.New("the reply is longer than its limit") // and is not read further
	errRunaway = errors.New("the reply runs on without end")      // and is not read further
	errIdle    = errors.New("the server fell silent in the midst of its reply")
)

// fault turns the error of a call into one that [member.Model] promises: a [member.Interrupted] when ctx ended, else a
// [member.CallError] without secrets, with the usage that was spent.
func (m *Model) fault(ctx context.Context, err error, spent council.Usage) error {
	if ctx.Err() != nil {
		return &member.Interrupted{Err: ctx.Err(), Usage: spent}
	}
	call := m.connectionError(err)
	if ready, is := errors.AsType[*member.CallError](err); is {
		call = *ready
	} else if r, is := errors.AsType[*rejection](err); is {
		call = m.rejectionError(r)
	}
	call.Usage = call.Usage.Add(spent)
	return &call
}

func (m *Model) connectionError(err error) member.CallError {
	host := m.base.Scheme + "://" + m.base.Host
	kind, words, retryable := council.FaultTransport, fmt.Sprintf("%s: %v", host, err), true
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		words, retryable = fmt.Sprintf("the proxy %s, through which %s is called, cannot be reached: %v: is HTTPS_PROXY or "+
			"HTTP_PROXY right?", m.proxy(), host, op.Err), false
	case errors.Is(err, errIdle):
		kind, words = council.FaultTimeout, fmt.Sprintf("%s: %v (%s)", host, errIdle, idleTimeout)
	case errors.Is(err, errPage):
		kind, words, retryable = council.FaultRejected, fmt.Sprintf("%s: %v, not a reply: is the baseUrl right? It may also "+
			"be the page of a proxy or of a login in between", host, errPage), false
	case errors.Is(err, errGarbled):
		kind, words = council.FaultFailed, fmt.Sprintf("%s: %v: is the baseUrl right?", host, errGarbled)
	case errors.Is(err, errStopped):
		kind = council.FaultFailed
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF):
		words = fmt.Sprintf("%s: %v", host, errCut)
	case errors.Is(err, syscall.ECONNREFUSED):
		words = fmt.Sprintf("nothing answers at %s (connection refused): is the server running?", host)
		retryable = !member.Loopback(host) // here nothing will start by itself; elsewhere a server may be restarting
	case errors.As(err, &dns) && dns.IsNotFound:
		words, retryable = fmt.Sprintf("there is no host %s: is the baseUrl right?", m.base.Hostname()), false
	case errors.As(err, &cert), errors.As(err, &plain):
		words, retryable = fmt.Sprintf("%s: no secure connection: %v", host, err), false
	}
	return m.callError(kind, words, retryable)
}

func (m *Model) proxy() string {
	u, err := http.ProxyFromEnvironment(&http.Request{URL: m.base})
	if err != nil || u == nil {
		return ""
	}
	return u.Host
}

// proxyError returns the error of a call that a proxy refused, which is permanent.
func (m *Model) proxyError(r *rejection) member.CallError {
	words := fmt.Sprintf("the proxy %s does not let calls to %s://%s through: %d %s", r.Proxy, m.base.Scheme, m.base.Host,
		r.Status, http.StatusText(r.Status))
	if r.Status >= 500 {
		return m.callError(council.FaultTransport, words, true)
	}
	if r.Status == http.StatusProxyAuthRequired {
		words += ": give its user and password in HTTPS_PROXY or HTTP_PROXY"
	}
	return m.callError(council.FaultRejected, words, false)
}

func (m *Model) callError(kind council.FaultKind, words string, retryable bool) member.CallError {
	fault := council.Fault{Kind: kind, Message: member.Redact(words, m.wallet.Secrets()...)}
	return member.CallError{Fault: fault, Retryable: retryable}
}

func (m *Model) rejectionError(r *rejection) member.CallError {
	if r.Status == http.StatusProxyAuthRequired {
		r.Proxy = cmp.Or(r.Proxy, m.proxy(), "on the way")
	}
	if r.Proxy != "" {
		return m.proxyError(r)
	}
	r.limits(m.now())
	kind := r.fault()
	retryable, words := kind.Passing(), cmp.Or(r.Message, r.Kind)
	after, held := r.RetryAfter, ""
	if kind == council.FaultRate {
		after, retryable, held = r.rateWait(m.now())
	}
	if kind == council.FaultRate && r.Limit == longer && after <= longWait {
		kind, after, retryable, held = council.FaultBilling, 0, false, " (a limit of the account, of unknown end)"
	}
	if r.Status < 300 {
		words = cmp.Or(words, "an error without words")
	} else {
		words = strings.TrimSuffix(fmt.Sprintf("%d %s%s: %s", r.Status, http.StatusText(r.Status), held, words), ": ")
	}
	switch {
	case r.Location != "":
		words = fmt.Sprintf("%s redirects to %s, which is not followed: set baseUrl to the right address", m.base, r.Location)
	case kind == council.FaultModelMissing && r.Message == "":
		words = fmt.Sprintf("%s (from %s: is the baseUrl right?)", words, m.base)
	case kind == council.FaultModelMissing:
		words = fmt.Sprintf("%s (model %q at %s)", words, m.model.Model, m.base)
	case kind == council.FaultAuth && m.caller.Unneeded():
		words += " (no key was sent: name its variable in apiKeyEnv)"
	case r.Status == http.StatusForbidden && m.proxy() != "":
		words += " (through the proxy " + m.proxy() + ")"
	}
	call := m.callError(kind, words, retryable)
	call.RetryAfter = after
	return call
}

// statusFaults are faults by their status alone; likelyFaults apply where the words identify none.
var (
	statusFaults = map[int]council.FaultKind{http.StatusPaymentRequired: council.FaultBilling,
		http.StatusUnauthorized: council.FaultAuth, http.StatusRequestEntityTooLarge: council.FaultContextTooLong}
	likelyFaults = map[int]council.FaultKind{http.StatusForbidden: council.FaultAuth,
		http.StatusNotFound:       council.FaultModelMissing,
		http.StatusRequestTimeout: council.FaultTimeout, http.StatusGatewayTimeout: council.FaultTimeout,
		http.StatusConflict: council.FaultFailed, http.StatusTooEarly: council.FaultFailed}
)

type phrase struct {
	kind  council.FaultKind
	words []string
}

// phrases identify faults by a server's codes and message, in this order.
var phrases = []phrase{
	{council.FaultBilling, []string{"insufficient_quota", "billing_error", "billing_hard_limit", "billing_not_active",
		"credit balance", "insufficient credits", "insufficient balance", "requires more credits"}},
	{council.FaultFailed, []string{"overloaded"}},
	{council.FaultRate, []string{"throttl", "too many requests", "rate limit", "rate_limit", "ratelimit", "please wait",
		"wait before trying", "slow down"}},
	{council.FaultContextTooLong, []string{"context_length", "context length", "context window", "context size",
		"context_size", "prompt is too long", "prompt too long", "input is too long", "request_too_large", "too many tokens",
		"maximum prompt length", "input token count", "maximum number of tokens", "tokens_limit_reached"}},
	{council.FaultAuth, []string{"api key not valid", "invalid api key", "incorrect api key"}},
	{council.FaultRefusal, []string{"content_filter", "content_policy", "content management policy"}},
	{council.FaultModelMissing, []string{"model_not_found", "not_found_error", "not a valid model", "model not found",
		"model does not exist", "unknown model", "no such model"}},
	{council.FaultRejected, []string{"unexpected endpoint or method"}}, // LM Studio, with status 200
}

// codes identify faults by the server's code alone, for errors within a reply.
var codes = []phrase{
	{council.FaultAuth, []string{"authentication", "permission", "invalid_api_key"}},
	{council.FaultTimeout, []string{"timeout"}},
}

// FaultOf identifies a fault by a provider's words alone, or returns "".
func FaultOf(words string) council.FaultKind { return findPhrase(phrases, words) }

func findPhrase(phrases []phrase, words string) council.FaultKind {
	words = strings.ToLower(words)
	for _, p := range phrases {
		if slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(words, w) }) {
			return p.kind
		}
	}
	return ""
}

// fault returns the fault of a rejection. An error within a reply is the server's; a rejected request stays rejected.
// A 429 is a rate limit unless its words are about credit, and a 503 never concerns the length of a prompt.
func (r *rejection) fault() council.FaultKind {
	last := council.FaultRejected
	if r.Status >= 500 || r.Status < 300 {
		last = council.FaultFailed
	}
	found := FaultOf(r.Kind + " " + r.Message)
	switch {
	case r.Status == http.StatusTooManyRequests && found != council.FaultBilling,
		r.Status == http.StatusServiceUnavailable && found == council.FaultContextTooLong,
		r.Status < 500 && found == "" && r.Limit != "":
		found = council.FaultRate
	}
	return cmp.Or(statusFaults[r.Status], found, likelyFaults[r.Status], findPhrase(codes, r.Kind), last)
}
