package history

import (
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

// read returns the row of a session. With an error, the row lacks what could not be read.
func read(root *recorder.Root, id council.SessionID) (index.Session, error) {
	s, entries := root.Survey(id)
	row := index.Session{ID: id, Started: s.Started, Council: s.Council, Topic: s.Topic, Gist: s.Gist,
		Events: s.Events, Outcome: s.Outcome, Stamp: s.Stamp}
	switch {
	case s.Err != nil:
		row.Reason = s.Err.Error()
	case s.Suspended != nil:
		row.Reason = s.Suspended.Error()
	}
	err := s.Err
	if started, ok := wire.Started(entries); ok {
		calls, failed := readCalls(root, id, &started.Charter, s.State == minutes.StateRunning)
		row.Calls, err = calls, errors.Join(err, failed)
	}
	if err != nil {
		row.Stamp = "" // the next reader is told too
		err = fmt.Errorf("session %s: %w", id, err)
	}
	return row, err
}

// readCalls reads the calls of a session from the conversations of its members.
func readCalls(root *recorder.Root, id council.SessionID, c *council.Charter, running bool) ([]index.Call, error) {
	files, err := root.Folder(id)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	members, err := conversation.Members(files)
	var all []index.Call
	for _, m := range members {
		log, failed := conversation.Read(files, id, m)
		if failed != nil {
			err = errors.Join(err, atomicfile.Explain(failed))
		}
		if log != nil {
			all = append(all, calls(c, m, log.Lines, running)...)
		}
	}
	return all, err
}

// calls returns the calls of a conversation. A question that was put and has no answer was cut off, unless the session
// is running or nothing is billed for the member.
func calls(c *council.Charter, m council.MemberID, lines []conversation.Line, running bool) []index.Call {
	type key struct {
		ask council.AskID
		try int
	}
	of := func(i int) index.Call {
		call := index.Call{Member: m, Line: i + 1, Ask: lines[i].Ask, Try: lines[i].Try, At: lines[i].At}
		if who := c.Asked(m); who != nil {
			call.Model = who.Model.Provider + "/" + who.Model.Model
		}
		return call
	}
	var all []index.Call
	open := map[key]int{}
	for i, l := range lines {
		k := key{l.Ask, l.Try}
		call := of(i)
		call.Measured, call.Known = true, true
		switch l.Role {
		case conversation.RoleUser:
			if _, ok := open[k]; !ok {
				open[k] = i
			}
			continue
		case conversation.RoleFault:
			call.Result = index.ResultFailed
		case conversation.RoleAssistant:
			call.Result = index.ResultAnswered
			answered(c, l, &call)
		default:
			continue
		}
		delete(open, k)
		all = append(all, call)
	}
	for _, i := range open {
		if !running {
			cut := of(i)
			cut.Result = index.ResultCut
			if rate := c.Price(m, council.Usage{}); rate == nil || !rate.Free() { // a person or a rehearsal bills nothing
				all = append(all, cut)
			}
		}
	}
	return all
}

// answered sets what an answer took.
func answered(c *council.Charter, l conversation.Line, call *index.Call) {
	u := l.Usage
	call.Usage, call.LatencyMS, call.Reported = u, l.LatencyMS, l.Reported
	if call.Reported == "" {
		call.Reported = u.Model
	}
	if l.Configured != nil {
		call.Model = l.Configured.Provider + "/" + l.Configured.Model
	}
	if u.Provider != "" { // of a fallback that answered in its place
		call.Model = u.Provider + "/" + u.Model
	}
	rate := c.Price(call.Member, u)
	call.Cost, call.Known = c.Cost(call.Member, u, false)
	call.Measured = u.Tokens() > 0 || u.Calls == 0 || rate != nil && rate.Free()
	switch {
	case u.BilledCalls > 0:
		call.Price = "as the provider billed it"
	case rate != nil && rate.AsOf != "":
		call.Price = strings.TrimSuffix("read on "+rate.AsOf+" from "+rate.Source, " from ")
	case call.Known:
		call.Price = index.Free
	}
}
