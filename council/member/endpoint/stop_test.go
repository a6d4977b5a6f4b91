package endpoint

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

// A server that takes no connection held the session up until the dialer gave up by itself.
func TestStop_AStopEndsTheWaitForAConnection(t *testing.T) {
	stop := member.NewStop()
	silent := func(ctx context.Context, _, _ string) (net.Conn, error) {
		stop.Ask()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	client := &http.Client{Transport: &http.Transport{DialContext: stopDialing(silent)}}
	req := check.Get(http.NewRequestWithContext(stop.In(t.Context()), http.MethodPost, "http://192.0.2.1/", nil))(t)
	res, err := client.Do(req)
	if err == nil {
		res.Body.Close()
	}
	if !errors.Is(err, errUnsent) { // which counts for no call
		t.Errorf("the error is %v", err)
	}
}
