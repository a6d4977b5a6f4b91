// Package history keeps the workspace's database in step with sessions and ledger, and lists sessions, their calls and
// their runs by it.
//
// The rows of a session count only while its log is unchanged (see [recorder.Root.Stamp]), and those of an open session
// never do. So a list is never stale, and without the database it is the same, only slower.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// List returns the newest sessions of a workspace as [recorder.Root.Newest] does, and how many there are. It adds the
// rows that it had to read to the database, where that can be written.
func List(ctx context.Context, root *recorder.Root, limit int) ([]recorder.Summary, int, error) {
	known := map[council.SessionID]recorder.Summary{}
	list, all, err := root.Newest(limit, func(ids []council.SessionID) map[council.SessionID]recorder.Summary {
		ix, err := index.OpenToRead(ctx, database(root))
		if err != nil || len(ids) == 0 {
			return nil
		}
		defer ix.Close()
		rows, _ := ix.Sessions(ctx, ids[len(ids)-1])
		for id, s := range rows {
			known[id] = recorder.Summary{ID: id, Started: s.Started, Topic: s.Topic, Council: s.Council,
				Gist: s.Gist, Outcome: s.Outcome, Events: s.Events, Stamp: s.Stamp}
		}
		return known
	})
	if err != nil {
		return nil, 0, err
	}
	var fresh []council.SessionID
	for _, s := range list {
		if s.Stamp != "" && known[s.ID].Stamp != s.Stamp {
			fresh = append(fresh, s.ID)
		}
	}
	if len(fresh) > 0 {
		if ix, err := index.Open(ctx, database(root)); err == nil {
			_ = errors.Join(storeRows(ctx, root, ix, fresh, func(error) {}), ix.Close()) // the next list reads the logs again
		}
	}
	return list, all, nil
}

// Latencies returns the average time of a call of each model, by provider/model, as far as the database of a workspace
// knows. It changes nothing.
func Latencies(ctx context.Context, root *recorder.Root) map[string]time.Duration {
	took := map[string]time.Duration{}
	ix, err := index.OpenToRead(ctx, database(root))
	if err != nil {
		return nil
	}
	defer ix.Close()
	used, _ := ix.Usage(ctx, "model", time.Time{})
	for _, u := range used {
		if u.Answered > 0 && u.Usage.ElapsedMS > 0 {
			took[u.Key] = time.Duration(u.Usage.ElapsedMS/int64(u.Answered)) * time.Millisecond
		}
	}
	return took
}

func database(root *recorder.Root) string { return filepath.Join(root.Path(), index.File) }

// Open opens the database of a workspace, in step with its sessions and its ledger; where it cannot be written, a copy.
// It calls failed with each error of reading a session, or the rest of the ledger, which is then missing. The caller
// closes it.
func Open(ctx context.Context, root *recorder.Root, failed func(error)) (*index.Index, error) {
	ix, err := index.Open(ctx, database(root))
	if errors.Is(err, index.ErrReadOnly) {
		ix, err = index.OpenCopy(ctx, database(root))
	}
	if err != nil {
		return nil, err
	}
	if err := CatchUp(ctx, root, ix, failed); err != nil {
		return nil, errors.Join(err, ix.Close())
	}
	return ix, nil
}

// CatchUp brings the database in step with all sessions and the ledger. It calls failed as [Open] does.
func CatchUp(ctx context.Context, root *recorder.Root, ix *index.Index, failed func(error)) error {
	ids, err := root.IDs()
	if err != nil {
		return err
	}
	rows, err := ix.Sessions(ctx, "")
	if err != nil {
		return err
	}
	var changed []council.SessionID
	gone := maps.Clone(rows) // which are looked up at the same time
	for id, same := range prefetch.Each(ids, func(id council.SessionID) bool {
		return rows[id].Stamp != "" && rows[id].Stamp == root.Stamp(id)
	}) {
		delete(gone, id)
		if !same {
			changed = append(changed, id)
		}
	}
	if err := ix.Drop(ctx, slices.Collect(maps.Keys(gone))...); err != nil {
		return err
	}
	slices.Reverse(changed)
	if err := storeRows(ctx, root, ix, changed, failed); err != nil {
		return err
	}
	return followLedger(ctx, root, ix, failed)
}

// Closed returns the row of a closed session with this log; nil where not all of it can be read. The caller holds the
// session, and no member is being asked.
func Closed(root *recorder.Root, id council.SessionID, entries []wire.Entry) *index.Session {
	started, _ := wire.Started(entries)
	m := render.MinutesOf(entries)
	row := index.Session{ID: id, Started: entries[0].Time, Council: started.Charter.CouncilName,
		Topic: started.Topic.Text, Gist: m.Gist(), Events: len(entries), Outcome: m.Outcome, Stamp: root.Stamp(id)}
	var err error
	if row.Calls, err = readCalls(root, id, &started.Charter, false); err != nil {
		return nil
	}
	return &row
}

// batchSessions bounds one transaction: others wait while it is written.
const batchSessions = 200

func storeRows(ctx context.Context, root *recorder.Root, ix *index.Index, ids []council.SessionID,
	failed func(error)) error {
	type found struct {
		row index.Session
		err error
	}
	for some := range slices.Chunk(ids, batchSessions) {
		var batch []index.Session
		for _, f := range prefetch.Each(some, func(id council.SessionID) (f found) {
			f.row, f.err = readRow(root, id)
			return f
		}) {
			if batch = append(batch, f.row); f.err != nil {
				failed(f.err)
			}
		}
		if err := ix.Keep(ctx, batch...); err != nil {
			return err
		}
	}
	return nil
}

// notedTypes are the types of entries in the database. Those of calls and the like are many, and in the conversations
// too.
var notedTypes = []audit.Type{audit.TypeRun, audit.TypeRetry, audit.TypeRoutine, audit.TypeSession}

func followLedger(ctx context.Context, root *recorder.Root, ix *index.Index, failed func(error)) error {
	last, at, err := ix.Ledger(ctx)
	if err != nil {
		return err
	}
	afresh := last > 0 && !ledgerHas(root, last, at) // another ledger has taken the place of the one that was read
	if afresh {
		last, at = 0, ""
	}
	known := last
	var noted []audit.Entry
	for e, err := range ledger.Read(root.Files(), last+1) {
		if err != nil {
			failed(err)
			break // the entries so far stay
		}
		last, at = e.Seq, entryTime(e)
		if slices.Contains(notedTypes, e.Type) {
			noted = append(noted, e)
		}
	}
	if last == known && !afresh {
		return nil
	}
	return ix.AddEntries(ctx, afresh, last, at, noted...)
}

// ledgerHas reports whether the ledger has an entry of that number and time, or cannot be read.
func ledgerHas(root *recorder.Root, n int64, at string) bool {
	for e, err := range ledger.Read(root.Files(), n) {
		return err != nil || e.Seq == n && entryTime(e) == at
	}
	return false
}

func entryTime(e audit.Entry) string { return e.At.UTC().Format(time.RFC3339Nano) }

// readRow returns the row of a session. With an error it lacks the part that could not be read.
func readRow(root *recorder.Root, id council.SessionID) (index.Session, error) {
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
		row.Stamp = "" // the next reader gets the error too
		err = fmt.Errorf("session %s: %w", id, err)
	}
	return row, err
}

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
			all = append(all, callsOf(c, m, log, running)...)
		}
	}
	return all, err
}

// callsOf returns the calls of a conversation. Those that were cut off count unless the session is running or the
// member costs nothing.
func callsOf(c *council.Charter, m council.MemberID, log *conversation.Log, running bool) (all []index.Call) {
	rate := c.Price(m, council.Usage{})
	free := rate != nil && rate.Free() // a person or a rehearsal bills nothing
	for _, found := range log.Calls() {
		l := cmp.Or(found.End, found.Put)
		call := index.Call{Member: m, Line: found.Line, Ask: l.Ask, Try: l.Try, At: l.At}
		if who := c.Asked(m); who != nil {
			call.Model = who.Model.Name()
		}
		call.Measured, call.Known = found.End != nil, found.End != nil
		switch {
		case found.End == nil && (running || free):
			continue
		case found.End == nil:
			call.Result = index.ResultCut
		case l.Role == conversation.RoleAssistant:
			call.Result = index.ResultAnswered
			setUsage(c, l, &call)
		default:
			if call.Result = index.ResultFailed; l.Usage.Tokens() > 0 {
				setUsage(c, l, &call)
			}
		}
		all = append(all, call)
	}
	return all
}

func setUsage(c *council.Charter, l *conversation.Line, call *index.Call) {
	u := l.Usage
	call.Usage, call.LatencyMS, call.Reported = u, l.LatencyMS, cmp.Or(l.Reported, u.Model)
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
