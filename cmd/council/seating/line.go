package seating

import (
	"cmp"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// usualLimit is how long a call may take where the configuration does not say: until its reply begins, and from there
// to its end.
const usualLimit = 5 * time.Minute

// limits returns the time limits of one call to a model, whose settings were checked with the charter. Programs say
// nothing before they have finished, so they have no limit for the beginning.
func limits(m council.Model) member.Limits {
	whole, _ := time.ParseDuration(m.Timeout)
	begin, _ := time.ParseDuration(m.FirstByteTimeout)
	l := member.Limits{Whole: cmp.Or(whole, usualLimit), Begin: cmp.Or(begin, usualLimit)}
	if k := m.Kind(); !k.Server() {
		l.Begin = 0
	}
	return l
}

// lines are the queues before servers. One is shared by all members that use a server, whatever their keys: most
// servers on this machine serve one call at a time, and count the time of those that wait.
type lines struct {
	now func() time.Time

	mu sync.Mutex
	of map[string]*member.Line // by the server's origin
}

// queue makes each call of a model wait for its turn at the server that it is put to, if it is put to one: an agent
// with a baseUrl has its turn for as long as it runs.
func (all *lines) queue(model member.Model, m council.Model) member.Model {
	address := cmp.Or(m.BaseURL, m.Kind().Address)
	if address == "" {
		return model
	}
	server := origin(address)
	all.mu.Lock()
	defer all.mu.Unlock()
	l := all.of[server]
	if l == nil {
		l = &member.Line{Server: server, Now: all.now}
		if member.Loopback(server) {
			l.Most(1, false)
		}
		all.of[server] = l
	}
	if m.Parallel > 0 {
		l.Most(m.Parallel, true)
	}
	return member.Queue(model, l)
}

// limiters are the rates of calls and of tokens. All members that use one server with one key share them.
type limiters struct {
	mu sync.Mutex
	of map[string]*rate.Limiter
}

// share returns the limiter of so much a minute, with at most burst at once, for one model or, without a name, for all
// of the server. The lowest limit that any member names holds.
func (all *limiters) share(m council.Model, name string, perMinute float64, burst int) *rate.Limiter {
	key := m.Provider + " " + m.BaseURL + " " + credential.Name(m) + " " + name
	if m.Kind().Program {
		key += " " + m.Model + " " + strings.Join(m.Command, " ")
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	l := all.of[key]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(perMinute/60), burst)
		all.of[key] = l
	}
	l.SetLimit(min(l.Limit(), rate.Limit(perMinute/60)))
	l.SetBurst(min(l.Burst(), burst))
	return l
}

// origin returns the server that an address leads to. The names of this machine are one.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if member.Loopback(address) {
		u.Host = strings.TrimSuffix("127.0.0.1:"+u.Port(), ":")
	}
	return credential.Origin(u)
}
