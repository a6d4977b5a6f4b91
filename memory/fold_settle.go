package memory

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// The marks of open matters, by what closes them.
const (
	loopResolution = "loop:resolution" // a later session on the same topic decides
	loopDocument   = "loop:document"   // … approves a document
	loopBlocker    = "loop:blocker"    // … approves a document
	loopExecution  = "loop:execution"  // a person rules on it, or a later session on the same topic decides
)

// The kinds that a leader's summary may settle. What a person prefers is not the leader's to settle, and what came of
// something is not to be settled at all.
var (
	resolvable   = []Kind{KindOpenLoop, KindRiskPattern, KindAssumption, KindLesson}
	supersedable = []Kind{KindDecision, KindConstraint, KindAssumption}
)

// expire makes stale what has expired by the given time.
func (f *folding) expire(at time.Time) {
	for i := range f.book.Records {
		r := &f.book.Records[i]
		if r.Status == StatusActive && r.ExpiresAt != nil && !r.ExpiresAt.After(at) {
			r.Status = StatusStale
			f.touch(r, at)
		}
	}
}

func (f *folding) touch(r *Record, at time.Time) {
	if at.After(r.UpdatedAt) {
		r.UpdatedAt = at
	}
}

// settleLoops resolves what earlier sessions on the same topic left open and this one closed, and did not leave open
// again.
func (f *folding) settleLoops() {
	o := f.minutes.Outcome
	if o == nil {
		return
	}
	var closed []string
	if o.Decided {
		closed = append(closed, loopResolution, loopExecution)
	}
	if o.Documentation == council.DocumentationApproved {
		closed = append(closed, loopDocument, loopBlocker)
	}
	for i := range f.book.Records {
		r := &f.book.Records[i]
		closes := slices.ContainsFunc(closed, func(mark string) bool { return slices.Contains(r.Tags, mark) })
		if closes && f.sameTopic(r) && f.inSession(r) == 0 {
			f.resolve(r, &f.minutes.entries[f.minutes.closing], "")
		}
	}
}

// resolve closes what is open. It does nothing to what is settled already.
func (f *folding) resolve(r *Record, by *wire.Entry, because string) {
	if r.Status != StatusActive && r.Status != StatusStale {
		return
	}
	at := when(by)
	place := f.evidence(by, "", "")
	place.Note = "settled"
	if because = clip(because, maxTopic); because != "" {
		place.Note += ": " + because
	}
	f.bearOut(r, place, at)
	r.Status, r.ResolvedAt = StatusResolved, &at
}

// supersede puts one record in the place of another.
func (f *folding) supersede(by, old int, at time.Time) {
	r, n := &f.book.Records[old], &f.book.Records[by]
	if by == old || r.Status != StatusActive && r.Status != StatusStale {
		return
	}
	r.Status = StatusSuperseded
	f.touch(r, at)
	if !slices.Contains(n.Supersedes, r.ID) {
		n.Supersedes = append(n.Supersedes, r.ID)
	}
}

// settle follows what the leader's summary says is settled, as far as it counts: see [council.SessionStarted.Settled].
func (f *folding) settle() {
	summary := f.minutes.Summary
	if summary == nil {
		return
	}
	by := f.minutes.entry(summary.Event.Seq.ID())
	for _, s := range f.minutes.Started.Settled(by.Actor, summary.Summary) {
		at := f.index(s.Record)
		if at < 0 || !f.concerns(&f.book.Records[at]) {
			continue // of another book, or not of this session to settle
		}
		r := &f.book.Records[at]
		switch {
		case r.Kind == KindOpenLoop && f.inSession(r) > 0: // this session left it open, whatever is said
		case s.How == council.SettledResolved && slices.Contains(resolvable, r.Kind):
			f.resolve(r, by, s.Because)
		case s.How == council.SettledSuperseded && slices.Contains(supersedable, r.Kind) && f.successor >= 0:
			f.supersede(f.successor, at, when(by))
		}
	}
}
