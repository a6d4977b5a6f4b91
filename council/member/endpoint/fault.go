package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// Errors of replies that cannot be used.
var (
	// errCut: a reply ended before the server said that it was whole.
	errCut = errors.New("the reply was cut off before its end")
	// errGarbled: what came back is not in the form of the protocol.
	errGarbled = errors.New("the server's reply is not in the form of its protocol")
	// errTooLong: a reply has more text than its limit. It was not read further, and a completion is made of it.
	errTooLong = errors.New("the reply is longer than its limit")
	// errIdle: a server fell silent in the midst of a reply.
	errIdle = errors.New("the server fell silent in the midst of its reply")
)

// fault turns whatever a call ended with into the error that [member.Model] promises: ctx's own error when ctx ended,
// else a [member.CallError] without secrets, with the usage that was spent.
func (m *Model) fault(ctx context.Context, err error, spent council.Usage) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var call member.CallError
	var r *rejection
	var ready *member.CallError
	switch {
	case errors.As(err, &ready):
		call = *ready
	case errors.As(err, &r):
		call = m.call(r)
	default:
		call = m.broken(err)
	}
	call.Usage = call.Usage.Add(spent)
	return &call
}

// broken puts a failure of the connection, or in the form of a reply, into words.
func (m *Model) broken(err error) member.CallError {
	host := m.base.Scheme + "://" + m.base.Host
	kind, words, retryable := council.FaultTransport, fmt.Sprintf("%s: %v", host, err), true
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(err, errIdle):
		kind, words = council.FaultTimeout, fmt.Sprintf("%s: %v (%s)", host, errIdle, idle)
	case errors.Is(err, errGarbled):
		kind, words = council.FaultFailed, fmt.Sprintf("%s: %v: is the baseUrl right?", host, errGarbled)
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
	return m.failed(kind, words, retryable)
}

// failed returns the error of a call, without secrets.
func (m *Model) failed(kind council.FaultKind, words string, retryable bool) member.CallError {
	fault := council.Fault{Kind: kind, Message: member.Redact(words, m.wallet.Secrets()...)}
	return member.CallError{Fault: fault, Retryable: retryable}
}
