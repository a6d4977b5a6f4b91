package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

// ExitWith prints an error with what to do about it, and returns the exit code.
func ExitWith(a *Env, err error) int {
	if err == nil {
		return ExitOK
	}
	if silent, ok := errors.AsType[ExitCode](err); ok {
		return int(silent)
	}
	code, hint := Explain(err)
	words := err.Error()
	if errors.Is(err, context.Canceled) {
		words = "stopped at once; a call that was cut off may be billed all the same"
	}
	// It may hold words of others, such as the name of a file, of which no line may look like one of ours.
	words = hostile.Terminal(strings.TrimSpace(site.CutSecrets(words)))
	fmt.Fprintln(a.Errs, "council: "+strings.ReplaceAll(words, "\n", "\n  "))
	if hint != "" {
		fmt.Fprintln(a.Errs, hostile.Terminal(site.CutSecrets(hint)))
	}
	return code
}

// Printed returns the exit code of an error that was printed already.
func Printed(err error) ExitCode {
	code, _ := Explain(err)
	return ExitCode(code)
}

// explained are the errors that have a hint. The first that an error is counts.
var explained = []struct {
	is   func(error) bool
	hint string // what to do, in whole sentences
}{
	{As[*UnshownError], "What was recorded is kept: council sessions lists it."},
	{As[*engine.PanicError], "This is a fault of council, not of yours or of a member; please report it with the line " +
		"above. What was recorded is kept: council resume"},
	{As[*documents.Error], ""}, // its message says what to do
	{As[*store.AmbiguousError], "Give more of the id. To see the ids: council memory list"},
	{is(store.ErrNoRecord), "To see the ids: council memory list --all. To search the texts: council recall QUERY"},
	{is(store.ErrNoMember), "A member's id has small letters, digits, - and _."},
	{is(store.ErrEdit), "Correct the file and retry, or undo the edit and keep a copy of it: council " +
		"memory accept --discard"},
	{is(store.ErrFile), "To see what is wrong: council memory check. To make it again from the " +
		"sessions, and keep a copy of what is there: council memory rebuild"},
	{is(store.ErrUnreadable), "Fix its permissions and retry."},
	{is(memory.ErrBadRecord), "Nothing was changed."},
	{is(curator.ErrNoEvent), "To see what was said: council record turns list SESSION"},
	{is(recorder.ErrBadForgetPlan), "Name the record, the turn or the session, or give more of the words."},
	{is(credential.ErrLoginNeeded), "Log in with council login, on a terminal. Or try it without a model: " +
		"--model rehearsal"},
	{is(anchor.ErrBadKey), "A key looks like what this prints: council record anchor --key"},
	{is(member.ErrNoKey),
		"council login says what is missing, and stores keys. Or try it without a model: --model rehearsal"},
	{is(site.ErrOtherRules),
		"Nothing was changed. Go on with the version of council that began it; council show reads it with any version."},
	{is(policy.ErrBad), "Nothing was sent and nothing was started. Correct the file, then check it: council policy check"},
	{unledgered, "All that costs or acts is first entered in the folder audit, inside the folder of the " +
		"record. Make it writable, then go on with: council resume"},
	{is(policy.ErrRefused), "Nothing of it was done. To see the rules in force: council policy explain"},
	{As[*doctor.UnfitError], "Nothing was written, and nobody was asked. council doctor says more."},
	{is(council.ErrBadCharter),
		"Correct the configuration and retry; council schema config describes it. Nothing was written."},
	{is(recorder.ErrLocked), "Wait until that process has finished, or stop it; its session can then be resumed."},
	{is(schedule.ErrKept),
		"Another council schedule daemon, or council schedule retry, is at work in this workspace, and one is enough."},
	{is(routine.ErrBad), "council schedule add --help has examples."},
	{is(atomicfile.ErrLocked), "Another council command is writing. Try again in a moment."},
	{is(store.ErrRebuilding), "Finish it: council memory rebuild"},
	{is(recorder.ErrAmbiguous), "Give more of the id. To see the ids: council sessions"},
	{is(recorder.ErrNoRoot), "Convene a council first, or name the folder of the record with --root."},
	{is(recorder.ErrNotBegun), "The session was cut off before anything was recorded or paid. Convene it again."},
	{is(recorder.ErrArchived), "Nothing was changed. To change it, restore it first: council record gc restore SESSION"},
	{is(recorder.ErrUnknownSession), "To see the sessions: council sessions. The last word of an id, a " +
		"unique beginning of one, or latest, is enough. A session of roundtable can be shown, and nothing else."},
	{is(recorder.ErrNoConversation), "To see them: council record conversations list --all. A unique beginning " +
		"of an id is enough."},
	{is(episodes.ErrUnknown), "A session has turns and an episode once it is closed. To see them: " +
		"council record turns list SESSION"},
	{is(episodes.ErrUnreadable), "It was left as it is, and can be made again from the sessions: council memory rebuild"},
	{is(rules.ErrBadRuling), "Nothing was changed. To see how the session stands: council show. How its " +
		"brief does: council approve --show"},
	{is(recorder.ErrNewer), "Use the version of council that wrote it, or a newer one."},
	{is(index.ErrNewer), "Use that version of council, or delete council.db in the folder of the record: " +
		"it is made again from the sessions."},
	{is(recorder.ErrForeign), "Choose another folder with --root. If it is of roundtable, council init " +
		"--adopt takes it over."},
	{is(evaluation.ErrStopped),
		"Nothing is lost. The same command goes on, with a larger budget if that is what was short."},
	{ledgerDamaged, "Nothing that costs or acts is done while the ledger, which lists all that was done here, is " +
		"damaged. Rename the folder audit and keep it for whoever looks into it: a new ledger is then begun."},
	{is(recorder.ErrNotLatest), "Nothing was changed, and no member was asked. Either an older or incomplete copy of " +
		"the session was put here, or the project was copied and the session went on in the other copy. Go on in the newer " +
		"copy, or copy the session's whole folder from there. If there is none, convene the topic again; or move away the " +
		"anchor that is named above, and council resume goes on from this copy."},
	{is(recorder.ErrDamaged, rules.ErrBadEvent), "Nothing was changed. To see what is wrong: council " +
		"verify. Other sessions are not affected."},
	{is(conversation.ErrDiverged), "The session was asked something else before. Go on with the version " +
		"of council and the configuration that began it."},
	{is(context.Canceled), "What is on record is kept. Go on with: council resume"},
	{is(syscall.ENOSPC), "Free some space and go on with: council resume (or convene again, if no session had begun)"},
	{is(syscall.EIO), "The disk reports a fault. Check it, then go on with: council resume (or convene " +
		"again, if no session had begun)"},
	{is(recorder.ErrReadOnly, fs.ErrPermission, syscall.EROFS),
		"Make the folder writable, or choose another with --root."},
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
}

// As reports whether an error is an E.
func As[E error](err error) bool { _, ok := errors.AsType[E](err); return ok }

// unledgered reports whether something could not be entered in the ledger, and so was not done, though there is room.
func unledgered(err error) bool {
	return errors.Is(err, gate.ErrLedger) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, ledger.ErrDamaged)
}

func ledgerDamaged(err error) bool {
	damage, ok := errors.AsType[*chain.DamageError](err)
	return ok && strings.HasPrefix(damage.File, ledger.Folder+"/")
}

// exits are the exit codes of errors by their codes. Every other error is an [ExitError].
var exits = map[workspace.Code]int{workspace.Invalid: ExitUsage, workspace.Ambiguous: ExitUsage,
	workspace.Busy: ExitSuspended, workspace.Damaged: ExitDamaged}

// Explain returns the exit code of an error, and what to do about it.
func Explain(err error) (code int, hint string) {
	code, known := exits[workspace.CodeOf(err)]
	if errors.Is(err, council.ErrBadCharter) { // ExitUsage is for what is wrong on the command line
		code = ExitError
	} else if !known && errors.Is(err, context.Canceled) {
		code = ExitSuspended
	} else if !known {
		code = ExitError
	}
	if use, ok := errors.AsType[*site.Error](err); ok {
		return code, use.Hint
	}
	for _, e := range explained {
		if e.is(err) {
			return code, e.hint
		}
	}
	return code, ""
}
