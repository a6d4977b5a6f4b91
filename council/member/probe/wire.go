package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/gate"
)

const (
	maxList   = 8 << 20 // bytes of a list; that of a large gateway has one
	listLimit = 20 * time.Second
)

// wire is the transport of one probe. It reads the server's list before the first call, and watches every call.
type wire struct {
	*Prober
	looks bool // no call is let through

	mu    sync.Mutex
	found Report
	last  *http.Request // the last call, and the model that it was for
	model string
}

// RoundTrip sends a call once its server was found to be reachable.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	copied, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(copied)
	if err != nil {
		return nil, err
	}
	if err := w.begin(req, body); err != nil {
		return nil, err
	}
	res, err := w.Transport.RoundTrip(req)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if req.Context().Err() == nil { // else it was reached, and took its time
			w.found.Trouble, err = diagnose(err, w.found.Proxy)
		}
		return nil, err
	}
	w.found.Trouble = ""
	w.found.Streams = strings.Contains(res.Header.Get("Content-Type"), "text/event-stream")
	res.Body = &watchedBody{res.Body, sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.found.FirstByte = w.Now().Sub(w.found.began)
	})}
	return res, nil
}

// begin reads the server's list and notes the call. Its error is why the call cannot be sent.
func (w *wire) begin(req *http.Request, body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var unreachable error
	if at := listAddress(req.URL); w.last == nil && at != nil {
		key := fmt.Sprint(at, req.Header["Authorization"], req.Header["X-Api-Key"], req.Header["Api-Key"])
		asks := 0
		read, _ := w.lists.LoadOrStore(key, sync.OnceValues(func() (Report, error) { asks = 1; return w.list(req, at) }))
		w.found, unreachable = read.(func() (Report, error))()
		w.found.Lists = asks
	}
	if w.found.Address = req.URL.Scheme + "://" + req.URL.Host; unreachable != nil {
		return unreachable
	}
	w.last, w.model = req, gjson.GetBytes(body, "model").String()
	if w.looks {
		return errors.New("the server was only looked at")
	}
	switch {
	case bytes.Contains(body, []byte(`"json_schema"`)):
		w.found.Schema = SchemaTaken
	case w.found.Schema == "":
		w.found.Schema = SchemaUnsent
	case w.found.Schema == SchemaTaken:
		w.found.Schema = SchemaLeftOut
	}
	w.found.Calls++
	w.found.FirstByte, w.found.began = 0, w.Now()
	return nil
}

// callPath matches the end of an address that puts a question, in any protocol.
var callPath = regexp.MustCompile(`/(chat/completions|responses|messages)$`)

// listAddress returns the address of the list of models of the server that is called at u, or nil.
func listAddress(u *url.URL) *url.URL {
	if !callPath.MatchString(u.Path) {
		return nil
	}
	list := *u
	list.Path, list.RawPath = callPath.ReplaceAllString(u.Path, "/models"), ""
	if strings.HasSuffix(u.Path, "/messages") {
		list.RawQuery = strings.Trim(list.RawQuery+"&limit=1000", "&") // this protocol gives twenty at a time
	}
	return &list
}

// list gets the models of the server of a call, with the caller's key, and the findings on the connection. Its error
// is why no call can go through.
func (w *wire) list(call *http.Request, at *url.URL) (l Report, unreachable error) {
	ctx, cancel := context.WithTimeout(gate.WithContact(call.Context()), listLimit)
	defer cancel()
	if t, ok := w.Transport.(*gate.Transport); ok && t.Proxy != nil {
		if u, err := t.Proxy(call); err == nil && u != nil {
			l.Proxy = u.Host
		}
	}
	start := w.Now()
	res, doc, err := w.fetch(ctx, call, http.MethodGet, at.String(), nil)
	if res == nil {
		l.Trouble, unreachable = diagnose(err, l.Proxy)
		return l, unreachable
	}
	if told, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		// The server wrote the date between our two readings of the clock, and dropped the fraction of its second.
		middle := start.Add(w.Now().Sub(start) / 2)
		l.Skew = middle.Sub(told.Add(time.Second / 2))
	}
	switch {
	case res.StatusCode == http.StatusProxyAuthRequired:
		l.Trouble, unreachable = TroubleProxy, fmt.Errorf("the proxy %s wants to be logged in to", l.Proxy)
	case res.StatusCode == http.StatusBadRequest && bytes.Contains(doc, []byte("HTTP request to an HTTPS server")):
		l.Trouble, unreachable = TroubleEncrypted, errors.New("the server speaks HTTPS and not HTTP")
	case err == nil && res.StatusCode == http.StatusOK:
		l.Listed = readList(doc)
	}
	return l, unreachable
}

// fetch sends a free request to the server of a call, with the caller's key. The response is nil if there was none.
func (w *wire) fetch(ctx context.Context, call *http.Request, method, address string, body []byte) (
	*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = call.Header.Clone()
	res, err := w.Transport.RoundTrip(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	doc, err := io.ReadAll(io.LimitReader(res.Body, maxList))
	return res, doc, err
}

// watchedBody calls first when the first byte of a body is read.
type watchedBody struct {
	io.ReadCloser
	first func()
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.first()
	}
	return n, err
}

// Trouble names a failure of the connection to a server.
type Trouble string

// The troubles.
const (
	TroubleName        Trouble = "dns"         // its name is not known
	TroubleRefused     Trouble = "refused"     // nothing listens there
	TroubleUnreachable Trouble = "unreachable" // there is no route to it, or it does not answer in time
	TroubleCertificate Trouble = "certificate" // it cannot prove its identity
	TroublePlain       Trouble = "plain"       // it speaks HTTP where HTTPS was asked for
	TroubleEncrypted   Trouble = "encrypted"   // it speaks HTTPS where HTTP was asked for
	TroubleProxy       Trouble = "proxy"       // the proxy before it
)

// diagnose names the failure of a connection to a server or its proxy, and describes it unless package endpoint does.
func diagnose(err error, proxy string) (Trouble, error) {
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	dialled := errors.As(err, &dns) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
	switch {
	case proxy != "" && (dialled || strings.Contains(err.Error(), "Proxy Authentication Required")):
		return TroubleProxy, fmt.Errorf("the proxy %s does not let calls through: %v", proxy, err)
	case dns != nil:
		return TroubleName, err
	case errors.Is(err, syscall.ECONNREFUSED):
		return TroubleRefused, err
	case errors.As(err, &cert):
		return TroubleCertificate, err
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return TroublePlain, errors.New("the server speaks HTTP and not HTTPS")
	case errors.Is(err, context.DeadlineExceeded):
		return TroubleUnreachable, fmt.Errorf("there was no answer within %s", listLimit)
	}
	return TroubleUnreachable, err
}
