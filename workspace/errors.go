package workspace

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// coded are the errors of the packages below, by code. The first code that has an error counts.
var coded = []struct {
	code   Code
	errors []error
}{
	{Damaged, []error{recorder.ErrNotLatest, recorder.ErrDamaged, rules.ErrBadEvent, store.ErrFile}},
	{Busy, []error{recorder.ErrLocked, atomicfile.ErrLocked, schedule.ErrKept, evaluation.ErrStopped,
		run.ErrBatchStopped}},
	{Newer, []error{recorder.ErrNewer, index.ErrNewer, site.ErrOtherRules}},
	{Denied, []error{policy.ErrRefused, policy.ErrBad, seat.ErrNotTrusted}},
	{Unwritable, []error{gate.ErrLedger, recorder.ErrReadOnly, fs.ErrPermission, syscall.EROFS, syscall.ENOSPC,
		syscall.EIO}},
	{NotFound, []error{recorder.ErrNoRoot, recorder.ErrUnknownSession, recorder.ErrNotBegun, recorder.ErrNoConversation,
		episodes.ErrUnknown, store.ErrNoRecord, curator.ErrNoEvent}},
	{Ambiguous, []error{recorder.ErrAmbiguous}},
	{Conflict, []error{rules.ErrBadRuling, recorder.ErrForeign, recorder.ErrArchived, store.ErrRebuilding}},
	{Invalid, []error{council.ErrBadCharter, memory.ErrBadRecord, routine.ErrBad, store.ErrNoMember, store.ErrEdit,
		recorder.ErrBadForgetPlan}},
}

// CodeOf returns the code of an error of any operation: that of the [Error] in it, or of what a package below found.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if _, ok := errors.AsType[*store.AmbiguousError](err); ok {
		return Ambiguous
	}
	for _, c := range coded {
		if slices.ContainsFunc(c.errors, func(target error) bool { return errors.Is(err, target) }) {
			return c.code
		}
	}
	return Internal
}
