package recorder_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
)

// BenchmarkAppend measures one event of 1,250 characters on a log of any length, without the disk's fsync.
func BenchmarkAppend(b *testing.B) {
	plan := &filetest.Plan{}
	root := check.Get(under(b.TempDir()+"/.council", plan))(b)
	record := check.Get(root.Create(sessionID, fixed))(b)
	started, err := rules.Open(sessionID, council.Topic{Text: "Shall we?"}, charter())
	if err == nil {
		err = record.Append(started)
	}
	check.OK(b, err)
	e := council.Event{Seq: 1, Phase: "decide", Round: 1, Turn: 1, Actor: "ada", Payload: council.ContributionMade{
		Answered: council.Answered{Ask: "p1.r1.t1.turn.ada", AsOf: 1}, Message: strings.Repeat("A thought. ", 114)}}
	operations := plan.Count()
	for b.Loop() {
		e.Seq++
		check.OK(b, record.Append(e))
	}
	b.ReportMetric(float64(plan.Count()-operations)/float64(b.N), "operations/event")
	b.ReportMetric(float64(plan.Written())/float64(b.N), "bytes/event")
	check.OK(b, record.Close())
}
