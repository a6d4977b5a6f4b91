package mcp

import (
	"fmt"
	"io"
	"net/http"
)

// mostBody is how many bytes of one response are read.
const mostBody = 16 << 20

// transport is that of a client.
func transport(c *http.Client) http.RoundTripper {
	if c == nil || c.Transport == nil {
		return http.DefaultTransport
	}
	return c.Transport
}

// bounding reads no more of a response than [mostBody].
type bounding struct{ http.RoundTripper }

func (b bounding) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &body{resp.Body, mostBody}
	}
	return resp, err
}

// body is a response that ends with an error when it is too long.
type body struct {
	io.ReadCloser
	left int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the response has more than %d bytes", mostBody)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
