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

// servers holds, by the address of each server of a charter's models, how many calls it is sent at once; 0: any number.
type servers map[string]int

func serversOf(c *council.Charter) servers {
	all := servers{}
	for _, m := range c.Members {
		address := serverOf(m.Model)
		if address == "" {
			continue
		}
		all[address] = cmp.Or(all[address], m.Model.Parallel)
		if all[address] == 0 && member.Loopback(address) {
			all[address] = 1
		}
	}
	return all
}

func serverOf(m council.Model) string { return cmp.Or(m.BaseURL, m.Kind().Address) }

// turns returns how many calls follow one another when these members are asked at once.
func (s servers) turns(c *council.Charter, asked []council.MemberID) int64 {
	longest, at := 1, map[string]int{}
	for _, id := range asked {
		server := serverOf(c.Asked(id).Model)
		at[server]++
		if atOnce := s[server]; atOnce > 0 {
			longest = max(longest, (at[server]+atOnce-1)/atOnce)
		}
	}
	return int64(longest)
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

// Pace estimates how much longer a session takes, by its members' times so far. It belongs to one goroutine.
type Pace struct {
	charter *council.Charter
	servers servers
	local   bool
	course  []wave // as a session of the charter usually goes
	at      int    // of the next wave in the course

	asOf    council.Seq // of the wave under way
	kind    council.AskKind
	current map[string]serverCalls // of the wave under way, by server

	took    float64 // seconds of the waves that are over
	length  float64 // of the same, in the time of a token
	written int64   // tokens of replies
	assumed int64   // of the same replies in the course
}

type serverCalls struct {
	n            int
	took, length float64
}

// NewPace returns the pace of a session of which nothing has happened.
func NewPace(c *council.Charter) *Pace {
	w := follow(c, usual, make([]int64, len(c.Members)))
	return &Pace{charter: c, servers: w.servers, local: w.servers.local(), course: w.waves,
		current: map[string]serverCalls{}}
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
	p.assumed += council.ReplyLengths[kind].Usual * int64(max(1, u.Calls))
	server := serverOf(seat.Model)
	c := p.current[server]
	c.n++
	c.took += float64(u.ElapsedMS) / 1000
	c.length += wave{reply: wrote, fresh: u.InputTokens, turns: 1}.length(p.local)
	p.current[server] = c
}

// sum returns how long the waves took, with the one under way, and their length.
func (p *Pace) sum() (took, length float64) {
	var slowest serverCalls
	for server, c := range p.current {
		atOnce := float64(c.n)
		if most := p.servers[server]; most > 0 {
			atOnce = float64(min(most, c.n))
		}
		if c.took/atOnce > slowest.took {
			slowest = serverCalls{took: c.took / atOnce, length: c.length / atOnce}
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
