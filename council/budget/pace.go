package budget

import (
	"cmp"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// wave is questions that are put at once, of which the slowest is awaited.
type wave struct {
	kind  council.AskKind
	reply int64 // tokens of one
	fresh int64 // tokens of a prompt that the model has not read before
	turns int64 // calls one after the other, where a server takes fewer at once than are put
}

// How long calls are assumed to take, in the time in which a model writes a token: until a reply begins, and for one
// token that it writes. A model on this machine reads few tokens in the time in which it writes one.
const (
	tokensPerSecond = 60
	hostedStart     = 120
	hostedReading   = 60
	localStart      = 10
	localReading    = 4
)

// length returns how long a wave takes, in the time of a token.
func (w wave) length(local bool) float64 {
	start, reading := hostedStart, int64(hostedReading)
	if local {
		start, reading = localStart, localReading
	}
	return float64(w.turns) * (float64(start) + float64(w.reply) + float64(w.fresh)/float64(reading))
}

// seconds returns how long waves take, where a call takes as long as is assumed.
func seconds(waves []wave, local bool) (sum int64) {
	var length float64
	for _, w := range waves {
		length += w.length(local)
	}
	return int64(length / tokensPerSecond)
}

// servers counts the members of a charter by the server that they share, and how many calls it is sent at once.
type servers map[string]struct{ seats, atOnce int }

// serversOf returns the servers of a charter's models.
func serversOf(c *council.Charter) servers {
	all := servers{}
	for _, m := range c.Members {
		address := serverOf(m.Model)
		if address == "" {
			continue
		}
		s := all[address]
		s.seats++
		s.atOnce = cmp.Or(s.atOnce, m.Model.Parallel)
		if s.atOnce == 0 && member.Loopback(address) {
			s.atOnce = 1
		}
		all[address] = s
	}
	return all
}

func serverOf(m council.Model) string { return cmp.Or(m.BaseURL, m.Kind().Address) }

// turns returns how many calls follow one another when all members are asked at once.
func (s servers) turns() int64 {
	most := 1
	for _, of := range s {
		if of.atOnce > 0 {
			most = max(most, (of.seats+of.atOnce-1)/of.atOnce)
		}
	}
	return int64(most)
}

// local reports whether all models are at servers on this machine.
func (s servers) local() bool {
	for address := range s {
		if !member.Loopback(address) {
			return false
		}
	}
	return len(s) > 0
}

// Pace estimates how much longer a session takes, by how long its members have taken so far. It belongs to one
// goroutine.
type Pace struct {
	charter *council.Charter
	servers servers
	local   bool
	course  []wave // as a session of the charter usually goes
	at      int    // of the next wave in the course

	asOf    council.Seq // of the wave under way
	kind    council.AskKind
	current map[string]calls // of the wave under way, by server

	took    float64 // seconds of the waves that are over
	length  float64 // of the same, in the time of a token
	written int64   // tokens of replies
	assumed int64   // of the same replies in the course
}

// calls sums the calls of a wave at one server.
type calls struct {
	n            int
	took, length float64
}

// NewPace returns the pace of a session of which nothing has happened.
func NewPace(c *council.Charter) *Pace {
	course := courseOf(c, usual, make([]int64, len(c.Members)))
	course.run()
	all := serversOf(c)
	return &Pace{charter: c, servers: all, local: all.local(), course: course.waves, current: map[string]calls{}}
}

// Take takes in the next event of the session.
func (p *Pace) Take(e council.Event) {
	reply, answered := e.Answered()
	seat := p.charter.Asked(e.Actor)
	if !answered || seat == nil || reply.Usage.ElapsedMS == 0 {
		return
	}
	kind, u := reply.Ask.Kind(), reply.Usage
	if reply.AsOf != p.asOf || kind != p.kind {
		p.took, p.length = p.sum()
		clear(p.current)
		p.asOf, p.kind = reply.AsOf, kind
		p.at += 1 + slices.IndexFunc(p.course[p.at:], func(w wave) bool { return w.kind == kind })
	}
	wrote := u.OutputTokens + u.ReasoningTokens
	p.written += wrote
	p.assumed += replies[kind].usual * int64(max(1, u.Calls))
	server := serverOf(seat.Model)
	c := p.current[server]
	c.n++
	c.took += float64(u.ElapsedMS) / 1000
	c.length += wave{reply: wrote, fresh: u.InputTokens, turns: 1}.length(p.local)
	p.current[server] = c
}

// sum returns how long the waves took, with the one under way, and their length.
func (p *Pace) sum() (took, length float64) {
	var slowest calls
	for server, c := range p.current {
		atOnce := float64(c.n)
		if most := p.servers[server].atOnce; most > 0 {
			atOnce = float64(min(most, c.n))
		}
		if c.took/atOnce > slowest.took {
			slowest = calls{took: c.took / atOnce, length: c.length / atOnce}
		}
	}
	return p.took + slowest.took, p.length + slowest.length
}

// Left returns how much longer the session takes if its members go on as they did; false before the first reply.
func (p *Pace) Left() (time.Duration, bool) {
	took, length := p.sum()
	if length == 0 || p.assumed == 0 {
		return 0, false
	}
	var left float64
	for _, w := range p.course[p.at:] {
		w.reply = w.reply * p.written / p.assumed
		left += w.length(p.local)
	}
	return time.Duration(left * took / length * float64(time.Second)), true
}
