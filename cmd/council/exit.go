package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/site"
)

// The exit codes, and the only place that knows them.
const (
	exitOK         = 0 // decided, and approved where a document was asked for; or rehearsed as asked
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
func exitWith(a *cli.Env, err error) int {
	if err == nil {
		return exitOK
	}
	if silent, ok := errors.AsType[exitCode](err); ok {
		return int(silent)
	}
	code, hint := explain(err)
	if as[*cli.Told](err) {
		return code
	}
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

// explained are the errors that have an exit code or a hint of their own. The first that an error is counts.
var explained = []struct {
	is   func(error) bool
	code int
	hint string // what to do, in whole sentences
}{
	{as[*unshownError], exitError, "What was recorded is kept: council sessions lists it."},
	{as[*engine.PanicError], exitError, "This is a fault of council, not of yours or of a member; please report it with " +
		"the line above. What was recorded is kept: council resume"},
	{as[*documents.Error], exitError, ""}, // its message says what to do
	{as[*store.AmbiguousError], exitUsage, "Give more of the id. To see the ids: council memory list"},
	{is(store.ErrNoRecord), exitUsage, "To see the ids: council memory list --all. To search the texts: council " +
		"recall QUERY"},
	{is(store.ErrNoMember), exitUsage, "A member's id has small letters, digits, - and _."},
	{is(store.ErrEdit), exitUsage, "Correct the file and retry, or undo the edit and keep a copy of it: council " +
		"memory accept --discard"},
	{is(store.ErrFile), exitDamaged, "To see what is wrong: council memory check. To make it again from the " +
		"sessions, and keep a copy of what is there: council memory rebuild"},
	{is(store.ErrUnreadable), exitError, "Fix its permissions and retry."},
	{is(memory.ErrBadRecord), exitUsage, "Nothing was changed."},
	{is(curator.ErrNoEvent), exitUsage, "To see what was said: council turns list SESSION"},
	{is(recorder.ErrVague), exitUsage, "Name the record, the turn or the session, or give more of the words."},
	{is(credential.ErrNobody), exitError, "Log in with council onboard, on a terminal. Or try it without a model: " +
		"--model rehearsal"},
	{is(anchor.ErrBadKey), exitError, "A key looks like what this prints: council anchor --key"},
	{is(member.ErrNoKey), exitError, "council onboard says what is missing, and stores keys. Or try it without a model: " +
		"--model rehearsal"},
	{is(errOtherRules), exitError, "Nothing was changed. Go on with the version of council that began it; council " +
		"show reads it with any version."},
	{is(policy.ErrBad), exitError, "Nothing was sent and nothing was started. Correct the file, then check it: " +
		"council policy check"},
	{unledgered, exitError, "All that costs or acts is first entered in the folder audit, inside the folder of the " +
		"record. Make it writable, then go on with: council resume"},
	{is(policy.ErrRefused), exitError, "Nothing of it was done. To see the rules in force: council policy explain"},
	{as[*doctor.UnfitError], exitError, "Nothing was written, and nobody was asked. council doctor says more."},
	{is(council.ErrBadCharter), exitError, "Correct the configuration and retry; council schema config describes it. " +
		"Nothing was written."},
	{is(recorder.ErrLocked), exitSuspended, "Wait until that process has finished, or stop it; its session can then be " +
		"resumed."},
	{is(errKept), exitSuspended, "Another council daemon, or council retry run, is at work in this workspace, and " +
		"one is enough."},
	{is(routine.ErrBad), exitUsage, "council routine add --help has examples."},
	{is(atomicfile.ErrLocked), exitSuspended, "Another council command is writing. Try again in a moment."},
	{is(store.ErrRebuilding), exitError, "Finish it: council memory rebuild"},
	{is(recorder.ErrAmbiguous), exitUsage, "Give more of the id. To see the ids: council sessions"},
	{is(recorder.ErrNoRoot), exitError, "Convene a council first, or name the folder of the record with --root."},
	{is(recorder.ErrNotBegun), exitError, "The session was cut off before anything was recorded or paid. Convene it " +
		"again."},
	{is(recorder.ErrArchived), exitError, "Nothing was changed. To change it, restore it first: council gc restore " +
		"SESSION"},
	{is(recorder.ErrUnknownSession), exitError, "To see the sessions: council sessions. The last word of an id, a " +
		"unique beginning of one, or latest, is enough. A session of roundtable can be shown, and nothing else."},
	{is(recorder.ErrNoConversation), exitError, "To see them: council conversations list --all. A unique beginning " +
		"of an id is enough."},
	{is(episodes.ErrUnknown), exitError, "A session has turns and an episode once it is closed. To see them: " +
		"council turns list SESSION"},
	{is(episodes.ErrUnreadable), exitError, "It was left as it is, and can be made again from the sessions: council " +
		"memory rebuild"},
	{is(rules.ErrBadRuling), exitError, "Nothing was changed. To see how the session stands: council show. How its " +
		"brief does: council approve --show"},
	{is(recorder.ErrNewer), exitError, "Use the version of council that wrote it, or a newer one."},
	{is(index.ErrNewer), exitError, "Use that version of council, or delete council.db in the folder of the record: " +
		"it is made again from the sessions."},
	{is(recorder.ErrForeign), exitError, "Choose another folder with --root. If it is of roundtable, council init " +
		"--adopt takes it over."},
	{is(errEvalStopped), exitSuspended, "Nothing is lost. The same command goes on, with a larger budget if that is " +
		"what was short."},
	{is(cli.ErrFindings), exitFindings, ""},
	{ledgerDamaged, exitDamaged, "Nothing that costs or acts is done while the ledger, which lists all that was " +
		"done here, is damaged. Rename the folder audit and keep it for whoever looks into it: a new ledger is " +
		"then begun."},
	{is(recorder.ErrNotLatest), exitDamaged, "Nothing was changed, and no member was asked. Either an older or " +
		"incomplete copy of the session was put here, or the project was copied and the session went on in the other " +
		"copy. Go on in the newer copy, or copy the session's whole folder from there. If there is none, convene the " +
		"topic again; or move away the anchor that is named above, and council resume goes on from this copy."},
	{is(recorder.ErrDamaged, rules.ErrBadEvent), exitDamaged, "Nothing was changed. To see what is wrong: council " +
		"verify. Other sessions are not affected."},
	{is(conversation.ErrDiverged), exitError, "The session was asked something else before. Go on with the version " +
		"of council and the configuration that began it."},
	{is(context.Canceled), exitSuspended, "What is on record is kept. Go on with: council resume"},
	{is(syscall.ENOSPC), exitError, "Free some space and go on with: council resume (or convene again, if no session " +
		"had begun)"},
	{is(syscall.EIO), exitError, "The disk reports a fault. Check it, then go on with: council resume (or convene " +
		"again, if no session had begun)"},
	{is(recorder.ErrReadOnly, fs.ErrPermission, syscall.EROFS), exitError, "Make the folder writable, or choose another " +
		"with --root."},
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
}

func as[E error](err error) bool { _, ok := errors.AsType[E](err); return ok }

// unledgered reports whether something was not done because it could not be entered in the ledger, though there is room
// for it.
func unledgered(err error) bool {
	return errors.Is(err, gate.ErrLedger) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, ledger.ErrDamaged)
}

func ledgerDamaged(err error) bool {
	damage, ok := errors.AsType[*chain.DamageError](err)
	return ok && strings.HasPrefix(damage.File, ledger.Folder+"/")
}

// explain maps errors to exit codes and hints. Nothing else does.
func explain(err error) (code int, hint string) {
	if use, ok := errors.AsType[*site.Error](err); ok {
		return exitUsage, use.Hint
	}
	for _, e := range explained {
		if e.is(err) {
			return e.code, e.hint
		}
	}
	return exitError, ""
}

// remedy returns the advice for a fault, with the command that helps.
func remedy(kind council.FaultKind) string {
	return render.Remedy(kind) + map[council.FaultKind]string{
		council.FaultAuth: " council doctor says which is refused; council onboard stores keys and logs in.",
		council.FaultTransport: " council doctor says how far one gets; if a server has moved, council resume " +
			"--base-url MEMBER=URL says where.",
		council.FaultUnusable: " council show tells why each answer was refused, and council doctor tries each model.",
	}[kind]
}
