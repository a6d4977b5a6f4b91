package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"

	"github.com/council-engine/council/council/member"
)

// Trouble names what lies between us and a server.
type Trouble string

// The troubles.
const (
	TroubleName        Trouble = "dns"         // its name is not known
	TroubleRefused     Trouble = "refused"     // nothing listens there
	TroubleUnreachable Trouble = "unreachable" // there is no route to it, or it does not answer in time
	TroubleCertificate Trouble = "certificate" // it does not show that it is who we asked for
	TroublePlain       Trouble = "plain"       // it speaks HTTP where HTTPS was asked for
	TroubleEncrypted   Trouble = "encrypted"   // it speaks HTTPS where HTTP was asked for
	TroubleProxy       Trouble = "proxy"       // the proxy before it
)

// diagnose tells a failure of the connection to a server, or to the proxy before it.
func diagnose(err error, server *url.URL, proxy string) (Trouble, string) {
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var record tls.RecordHeaderError
	var timeout net.Error
	named := errors.As(err, &dns)
	dialled := named || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
	words := member.Redact(err.Error())
	switch {
	case proxy != "" && (dialled || strings.Contains(err.Error(), "Proxy Authentication Required")):
		return TroubleProxy, fmt.Sprintf("the proxy %s does not let calls through to %s: %s", proxy, server.Hostname(), words)
	case named && dns.IsNotFound:
		return TroubleName, fmt.Sprintf("there is no host %s", server.Hostname())
	case named:
		return TroubleName, fmt.Sprintf("the name %s cannot be looked up: %s", server.Hostname(), words)
	case errors.Is(err, syscall.ECONNREFUSED):
		return TroubleRefused, fmt.Sprintf("nothing listens at %s", server.Host)
	case errors.As(err, &name):
		return TroubleCertificate, fmt.Sprintf("the certificate that %s shows is for another name", server.Host)
	case errors.As(err, &cert), errors.As(err, &authority):
		return TroubleCertificate, fmt.Sprintf("the certificate that %s shows is not trusted here: %s", server.Host, words)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return TroublePlain, fmt.Sprintf("%s speaks HTTP and not HTTPS", server.Host)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return TroubleUnreachable, fmt.Sprintf("%s does not answer in time", server.Host)
	}
	return TroubleUnreachable, fmt.Sprintf("%s cannot be reached: %s", server.Host, words)
}
