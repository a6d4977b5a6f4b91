package endpoint

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	case errors.Is(err, errIdle):
		call.Fault = council.Fault{Kind: council.FaultTimeout,
			Message: fmt.Sprintf("%s: %v (%s)", m.base.Host, errIdle, idle)}
		call.Retryable = true
	default:
		words, retryable := m.transport(err)
		call.Fault = council.Fault{Kind: council.FaultTransport, Message: m.redact(words)}
		call.Retryable = retryable
		if errors.Is(err, errGarbled) {
			call.Fault.Kind = council.FaultFailed
		}
	}
	call.Usage = call.Usage.Add(spent)
	return &call
}

// transport puts a failure of the connection into words.
func (m *Model) transport(err error) (words string, retryable bool) {
	host := m.base.Scheme + "://" + m.base.Host
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.Is(err, errGarbled):
		return fmt.Sprintf("%s: %v: is the baseUrl right?", host, errGarbled), true
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("%s: %v", host, errCut), true
	case errors.Is(err, syscall.ECONNREFUSED):
		// On this machine nothing will start by itself; elsewhere a server may be restarting.
		return fmt.Sprintf("nothing answers at %s (connection refused): is the server running?", host), !member.Loopback(host)
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("there is no host %s: is the baseUrl right?", m.base.Hostname()), false
	case errors.As(err, &cert), errors.As(err, &authority), errors.As(err, &plain):
		return fmt.Sprintf("%s: no secure connection: %v", host, err), false
	}
	return fmt.Sprintf("%s: %v", host, err), true
}
