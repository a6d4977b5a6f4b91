package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/doctor"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/render"
)

// The exit codes, and the only place that knows them.
const (
	exitOK         = 0 // decided, and approved where a document was asked for
	exitError      = 1
	exitUsage      = 2
	exitNotDecided = 3 // not decided, or the document was not approved
	exitSuspended  = 4 // resumable, or another process has the session, or memory
	exitFindings   = 3 // fsck found something that is not damage
	exitDamaged    = 5
)

// exitCode is an error that has been explained to the user already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exit prints an error with what to do about it, and returns the exit code.
func (a *app) exit(err error) int {
	var silent exitCode
	var told *cli.Told
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &told):
		code, _ := explain(told.Err)
		return code
	}
	code, hint := explain(err)
	words := err.Error()
	if errors.Is(err, context.Canceled) {
		words = "stopped at once; a call that was cut off may be billed all the same"
	}
	fmt.Fprintln(a.Errs, "council: "+inset(strings.TrimSpace(cutSecrets(words))))
	if hint != "" {
		fmt.Fprintln(a.Errs, hostile.Terminal(cutSecrets(hint)))
	}
	return code
}

// inset returns an error for a terminal. It may hold words of others, such as the name of a file: further lines are
// indented, so that none of them looks like a line of ours.
func inset(said string) string { return strings.ReplaceAll(hostile.Terminal(said), "\n", "\n  ") }

// explain maps errors to exit codes and hints. Nothing else does.
func explain(err error) (code int, hint string) {
	var use *cli.UsageError
	var locked *recorder.LockedError
	var ambiguous *recorder.AmbiguousError
	var document *documents.Error
	var unfit *doctor.UnfitError
	var broken *engine.PanicError
	var unshown *unshownError
	var damage *chain.DamageError
	switch {
	case errors.As(err, &unshown):
		return exitError, "What was recorded is kept: council sessions lists it."
	case errors.As(err, &use):
		return exitUsage, use.Hint
	case errors.As(err, &broken):
		return exitError, "This is a fault of council, not of yours or of a member; please report it with the line above. " +
			"What was recorded is kept: council resume"
	case errors.As(err, &document):
		return exitError, "" // its message says what to do
	case errors.Is(err, credential.ErrNobody):
		return exitError, "Log in with council onboard, on a terminal. Or try it without a model: --model rehearsal"
	case errors.Is(err, anchor.ErrBadKey):
		return exitError, "council anchor --key prints what one looks like."
	case errors.Is(err, member.ErrNoKey):
		return exitError, "council onboard says what is missing, and stores keys. Or try it without a model: --model " +
			"rehearsal"
	case errors.Is(err, errOtherRules):
		return exitError, "Nothing was changed. Go on with the version of council that began it; council show reads it " +
			"with any."
	case errors.Is(err, policy.ErrBad):
		return exitError, "Nothing was sent and nothing was started. Correct the file; council policy check reads it again."
	case errors.Is(err, gate.ErrLedger) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, ledger.ErrDamaged):
		return exitError, "Make the folder audit in that of the record writable, then go on with: council resume"
	case errors.Is(err, policy.ErrRefused):
		return exitError, "Nothing of it was done. council policy explain lists the rules in force."
	case errors.As(err, &unfit):
		return exitError, "Nothing was written, and nobody was asked. council doctor says more."
	case errors.Is(err, council.ErrBadCharter):
		return exitError, "Correct the configuration and retry; council schema config describes it. Nothing was written."
	case errors.As(err, &locked):
		return exitSuspended, "Wait until that process has finished, or stop it; its session can then be resumed."
	case errors.Is(err, errKept):
		return exitSuspended, "One council daemon, or one council retry run at a time, is enough for a workspace."
	case errors.Is(err, routine.ErrBad):
		return exitUsage, "council routine add --help has examples."
	case errors.Is(err, atomicfile.ErrLocked): // of memory, say
		return exitSuspended, "Another council command is writing. Try again in a moment."
	case errors.Is(err, store.ErrRebuilding):
		return exitError, "Finish it: council memory rebuild"
	case errors.As(err, &ambiguous):
		return exitUsage, "Give a longer id prefix: council sessions lists them."
	case errors.Is(err, recorder.ErrNoRoot):
		return exitError, "Convene a council first, or name the folder of the record with --root."
	case errors.Is(err, recorder.ErrNotBegun):
		return exitError, "It was cut off before its first event and cost nothing. Convene it again."
	case errors.Is(err, recorder.ErrArchived):
		return exitError, "Nothing was changed. To change it, restore it first: council gc restore SESSION"
	case errors.Is(err, recorder.ErrUnknownSession):
		return exitError, "council sessions lists the sessions. A unique beginning of an id, or latest, is enough. One of " +
			"roundtable's can be shown, and nothing else."
	case errors.Is(err, episodes.ErrUnknown):
		return exitError, "council turns list names the turns of a session. A session has them, and an episode, once it is " +
			"closed."
	case errors.Is(err, episodes.ErrUnreadable):
		return exitError, "It was left as it is, and can be made again from the sessions: council memory rebuild"
	case errors.Is(err, rules.ErrBadRuling):
		return exitError, "Nothing was changed. council show says how the session stands, council approve --show how its " +
			"brief does."
	case errors.Is(err, recorder.ErrNewer):
		return exitError, "Use the version of council that wrote it, or a newer one."
	case errors.Is(err, index.ErrNewer):
		return exitError, "Use that version of council, or remove council.db from the folder of the record: it is " +
			"built again."
	case errors.Is(err, recorder.ErrForeign):
		return exitError, "Choose another folder with --root. If it is of roundtable, council init --adopt takes it over."
	case errors.Is(err, errEvalStopped):
		return exitSuspended, "Nothing is lost. The same command goes on, with a larger budget if that is what was short."
	case errors.Is(err, cli.ErrFindings):
		return exitFindings, ""
	case errors.As(err, &damage) && strings.HasPrefix(damage.File, ledger.Folder+"/"):
		return exitDamaged, "Nothing is done that cannot be entered there. Keep the folder audit for whoever looks into " +
			"it, under another name: a new ledger is then begun."
	case errors.Is(err, recorder.ErrDamaged), errors.Is(err, rules.ErrBadEvent):
		return exitDamaged, "Nothing was changed. council verify names what does not hold; other sessions are not affected."
	case errors.Is(err, conversation.ErrDiverged):
		return exitError, "The session was asked something else before. Use the version of council and the configuration " +
			"that began it."
	case errors.Is(err, context.Canceled):
		return exitSuspended, "What is on record is kept. Go on with: council resume"
	case errors.Is(err, syscall.ENOSPC):
		return exitError, "Free some space and go on with: council resume (or convene again, if no session had begun)"
	case errors.Is(err, syscall.EIO):
		return exitError, "The disk reports a fault. Check it, then go on with: council resume (or convene again, if no " +
			"session had begun)"
	case errors.Is(err, recorder.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return exitError, "Make the folder writable, or choose another with --root."
	}
	return exitError, ""
}

// remedy returns the advice for a fault, with the command that helps.
func remedy(kind council.FaultKind) string {
	switch kind {
	case council.FaultAuth:
		return render.Remedy(kind) + " council doctor says which is refused; council onboard stores keys and logs in."
	case council.FaultTransport:
		return render.Remedy(kind) + " council doctor says how far one gets; if a server has moved, council resume " +
			"--base-url MEMBER=URL says where."
	case council.FaultUnusable:
		return render.Remedy(kind) + " council show tells why each answer was refused, and council doctor tries each model."
	}
	return render.Remedy(kind)
}
