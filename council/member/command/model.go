// Package command seats programs: agents (claude, codex and gemini in their headless modes), and any other program
// that reads a prompt and writes a reply.
//
// A program is started for each question. It has an empty home and an empty working folder, which are removed when the
// seat is closed, only the environment variables that it needs and those that the charter names, and no tools unless
// the charter allows them. Whatever it starts is killed with it.
//
// An agent that names its conversation is asked to continue it, and sent only the new messages. Its memory is in its
// home and is removed with it: a later process sends the whole prompt again.
//
// It is its own package because no other kind of member starts programs.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/process"
)

const MaxOutput = 4 << 20 // bounds the output of a program, in bytes; one that writes more is ended

// Options are a program's dependencies on the process that starts it.
type Options struct {
	Getenv func(string) string // reads the environment; required
	Temp   string              // where homes are made; empty: the system's folder for temporary files
	Now    func() time.Time    // the clock by which calls are timed; required
	Gate   *gate.Gate          // before each start
}

// Model is a program at one seat. Its methods must not be called at the same time.
type Model struct {
	agent       agent
	model       council.Model
	named       string   // the agent's name of the model; empty for its default
	program     string   // absolute
	args        []string // of a program that is not an agent
	credentials map[string]string
	secrets     []string
	options     Options
	lingering   time.Duration // see [process.Run]

	home   home // empty before the first question
	thread thread
}

// New returns the program that the charter names, with its credentials, or a [member.ErrNoKey]. It starts nothing.
func New(m council.Model, o Options) (*Model, error) {
	made := &Model{model: m, options: o}
	var err error
	var path string
	switch {
	case len(m.Command) == 0:
		made.agent, made.named, err = agentOf(m)
		path = cmp.Or(m.Program, made.agent.name)
	case m.BaseURL != "":
		err = errors.New("a program does not use baseUrl: leave it out")
	default:
		made.agent, err = ownProgram(m.Command, m.OutputFormat)
		path, made.args = m.Command[0], m.Command[1:]
	}
	if err != nil {
		return nil, err
	}
	if made.program, err = findProgram(path, made.agent.Install); err != nil {
		return nil, err
	}
	if made.credentials, err = credentials(made.agent, m, o.Getenv); err != nil {
		return nil, err
	}
	made.secrets = slices.Collect(maps.Values(made.credentials))
	return made, nil
}

// Complete starts the program with the new messages, or with the whole prompt where it has or knows no conversation.
func (m *Model) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	start := m.options.Now()
	var spent, all council.Usage
	put := func(text, session string) (reply, error) {
		r, err := m.call(ctx, p, text, session)
		r.Usage, all = m.thread.turn(r, session)
		spent = spent.Add(r.Usage)
		spent.Calls++
		return r, err
	}
	text, session := m.thread.next(p)
	r, err := put(text, session)
	var failed *failure
	if session != "" && errors.As(err, &failed) &&
		(failed.forgotten || failed.Kind == council.FaultFailed && !failed.retryable) {
		r, err = put(wholePrompt(p), "")
	}
	spent.ElapsedMS = m.options.Now().Sub(start).Milliseconds()
	if err != nil {
		m.thread = thread{} // it may have forgotten a question that failed
		if ctx.Err() != nil {
			return prompt.Completion{}, ctx.Err()
		}
		return prompt.Completion{}, m.callError(err, spent)
	}
	m.thread.noteSent(p, r.session, all)
	spent.Model = cmp.Or(spent.Model, m.model.Model)
	r.Usage = spent
	return r.Completion, nil
}

func (m *Model) call(ctx context.Context, p *prompt.Prompt, text, session string) (reply, error) {
	c := call{m.named, m.model.Tools, session, strings.TrimRight(m.model.BaseURL, "/"), ""}
	if m.home == "" {
		h, err := makeHome(m.options.Temp, m.agent.files(c))
		if err != nil {
			return reply{}, &failure{Kind: council.FaultFailed, words: fmt.Sprintf("it could not be given a home: %v", err)}
		}
		m.home = h
	}
	if m.agent.Log != "" {
		c.log = m.home.in(m.agent.Log)
		if err := errors.Join(os.RemoveAll(c.log), os.Mkdir(c.log, 0o700)); err != nil {
			return reply{}, &failure{Kind: council.FaultFailed, words: fmt.Sprintf("it could not be given a log: %v", err)}
		}
	}
	args := m.args
	if m.agent.Args != nil {
		args = m.agent.args(c)
	}
	leave, err := m.options.Gate.Program(ctx, append([]string{m.program}, args...)...)
	if err != nil {
		return reply{}, err
	}
	out, err := process.Run{Permit: leave, Program: m.program, Args: args, Dir: m.home.in("work"),
		Env: m.environment(p, c), Stdin: text, Most: MaxOutput, Lingering: m.lingering}.Do(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return reply{}, ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, exec.ErrNotFound):
		return reply{}, &failure{Kind: council.FaultModelMissing, words: "the program cannot be run any more: " + err.Error()}
	default:
		return reply{}, &failure{Kind: council.FaultFailed, words: "the program could not be started: " + err.Error(),
			retryable: true}
	}
	r, err := m.agent.judge(out, session != "")
	if c.log != "" && err == nil && r.Stop == prompt.StopEnd {
		err = r.setStop(loggedReason(c.log))
	}
	switch object := gjson.Parse(r.Text); {
	case r.Stop == prompt.StopRefusal:
		r.Text = "" // the beginning of a refused text would be shown as the reason
	case r.Stop == prompt.StopUnknown && object.IsObject() && gjson.Valid(r.Text):
		r.Stop = prompt.StopEnd // it is whole by itself
	}
	return r, err
}

// Close removes the program's home.
func (m *Model) Close() error {
	h := m.home
	m.home, m.thread = "", thread{}
	return h.remove()
}

// thread is the conversation that an agent keeps. The zero value is none.
type thread struct {
	session string // the agent's own name for it
	system  prompt.System
	said    []string
	took    council.Usage // the agent's count for all of it, if it reports one
}

// turn returns the usage of the last turn, and of the whole conversation, from the counts in r.
func (t *thread) turn(r reply, session string) (took, all council.Usage) {
	if !r.summed {
		return r.Usage, council.Usage{}
	}
	took = r.Usage
	if session != "" {
		less := func(n *int64, before int64) { *n = max(0, *n-before) }
		less(&took.InputTokens, t.took.InputTokens)
		less(&took.CachedTokens, t.took.CachedTokens)
		less(&took.CacheWriteTokens, t.took.CacheWriteTokens)
		less(&took.OutputTokens, t.took.OutputTokens)
		less(&took.ReasoningTokens, t.took.ReasoningTokens)
	}
	return took, r.Usage
}

// next returns the text that puts p to the agent, and the conversation to continue, if any. It continues when the
// agent was sent everything but the last message, in this order; other messages in between do no harm.
func (t *thread) next(p *prompt.Prompt) (text, session string) {
	told := memberMessages(p)
	last, known := len(told)-1, 0
	for _, said := range t.said {
		if known < last && said == told[known] {
			known++
		}
	}
	if t.session == "" || t.system != p.System || last < 1 || known < last {
		return wholePrompt(p), ""
	}
	return told[last], t.session
}

// noteSent notes that the agent was sent all of p in the conversation that it names, and its count for that.
func (t *thread) noteSent(p *prompt.Prompt, session string, took council.Usage) {
	if session == "" {
		*t = thread{}
		return
	}
	if session != t.session {
		*t = thread{session: session, system: p.System}
	}
	t.took = took
	all := memberMessages(p)
	if len(t.said) > 0 {
		all = all[len(all)-1:]
	}
	t.said = append(t.said, all...)
}

func memberMessages(p *prompt.Prompt) []string {
	var messages []string
	for _, m := range p.Messages {
		if m.Role == prompt.User {
			messages = append(messages, m.Content)
		}
	}
	return messages
}

// wholePrompt returns a prompt as one text. The lines that name the speaker have an unpredictable mark.
func wholePrompt(p *prompt.Prompt) string {
	var b strings.Builder
	for _, part := range []string{p.System.Shared, p.System.Persona} {
		if part = strings.TrimSpace(part); part != "" {
			fmt.Fprintf(&b, "%s\n\n", part)
		}
	}
	if len(p.Messages) == 1 {
		b.WriteString(p.Messages[0].Content)
		return b.String()
	}
	mark := p.Digest[:min(len(p.Digest), 16)]
	fmt.Fprintf(&b,
		"Your conversation with the council so far follows. Lines that begin with [%s] say who speaks. Answer the last "+
			"message.\n", mark)
	for _, m := range p.Messages {
		who := "The council"
		if m.Role == prompt.Assistant {
			who = "You"
		}
		fmt.Fprintf(&b, "\n[%s] %s:\n%s\n", mark, who, m.Content)
	}
	return b.String()
}

type failure struct {
	Kind      council.FaultKind // empty: derived from the words
	words     string            // the program's own, if it found any
	complaint string            // its output where its reply belongs, which is not quoted
	ended     string            // how it ended, in the system's words or its own
	retryable bool
	after     time.Duration
	forgotten bool // it does not know the conversation that it was to continue
}

func (f *failure) Error() string { return string(f.Kind) + ": " + f.words }

// judge returns the reply, or the named failure, of a run.
func (a agent) judge(out process.Outcome, continued bool) (reply, error) {
	if out.Flooded {
		return reply{}, &failure{Kind: council.FaultTruncated,
			words: fmt.Sprintf("it wrote more than %d MiB and was ended; it has to write less", MaxOutput>>20)}
	}
	r, err := a.parse(out.Output)
	if err == nil && (out.Code == 0 || out.Stayed) || r.Stop == prompt.StopLength || r.Stop == prompt.StopRefusal {
		return r, nil // a reply that was cut off is none, however the program ended
	}
	f := a.failureOf(err, out)
	a.diagnose(f, out, continued)
	if out.Code == 0 && err == errGarbled && f.Kind == council.FaultFailed && !f.retryable {
		f.Kind = council.FaultRejected // another start would be paid for the same
	}
	if f.Kind == council.FaultTruncated {
		r.Text, r.Stop = "", prompt.StopLength
		return r, nil
	}
	f.words = endpoint.ReadableWords(f.words)
	if printed := "it printed " + sizeOf(out.Output); out.Code == 0 && (err == errGarbled || err == errCut) {
		f.words = strings.TrimSuffix(fmt.Sprintf("%v: %s: %s", err, printed, f.words), ": ")
	} else if f.words == "" {
		f.words = printed
	}
	f.words += " (" + cmp.Or(f.ended, out.State) + ")"
	return r, f
}

// failureOf returns why a run brought no reply. It quotes only prose that cannot be part of a reply.
func (a agent) failureOf(err error, out process.Outcome) *failure {
	f := &failure{}
	if !errors.As(err, &f) && a.read != nil { // gemini prints errors in its form among its other errors
		_, told := a.parse([]byte(out.Errors))
		errors.As(told, &f)
	}
	f.words = cmp.Or(f.words, strings.TrimSpace(plainText(out.Errors)))
	if f.Kind == "" {
		f.retryable = out.Code == 0 && err == errCut
	}
	switch printed := strings.TrimSpace(terminalText(out.Output)); {
	case f.words != "", a.read != nil && strings.ContainsAny(printed, "{["):
	case a.Args != nil && out.Code > 0: // an agent prints no other prose
		f.words = printed
	default:
		f.complaint = printed
	}
	return f
}

func (a agent) diagnose(f *failure, out process.Outcome, continued bool) {
	words := strings.ToLower(f.words + f.complaint)
	f.forgotten = continued && slices.ContainsFunc(a.Lost, func(l string) bool { return strings.Contains(words, l) })
	if f.Kind != "" {
		return
	}
	if f.Kind = endpoint.FaultOf(words); a.Denied != 0 && out.Code == a.Denied {
		f.Kind = council.FaultAuth
	}
	if f.Kind != "" {
		f.retryable = f.Kind.Passing()
		return
	}
	for _, p := range phrases {
		if found, _ := regexp.MatchString(p.words, words); found {
			f.Kind, f.retryable = p.kind, p.kind.Passing() && !p.long
			return
		}
	}
	f.Kind = council.FaultFailed
}

// phrases match the faults that agents report, in this order; package endpoint has those of providers.
var phrases = []struct {
	kind  council.FaultKind
	long  bool // it lasts for hours or days
	words string
}{
	{council.FaultRate, false, `rate.?limit|too many requests|resource_exhausted|\b429\b`},
	{council.FaultRate, true, `usage limit|hit your limit|limit reached|quota`},
	{council.FaultAuth, false, `log(ged)? ?in\b|api.?key|unauthori[sz]ed|authenticat|auth method|credential|\b40[13]\b`},
	{council.FaultModelMissing, false,
		`selected model|(model is not |un)supported|model.*(not exist|not found|not available)|entity was not found`},
	{council.FaultRefusal, false, `usage policy|unable to respond to this request|safeguards flagged|content.?filter`},
	{council.FaultTruncated, false, `output token maximum|max_output_tokens`},
	{council.FaultTimeout, false, `timed? ?out`},
	{council.FaultTransport, false, `econn|enotfound|eai_again|fetch failed|network|stream (disconnected|closed)|` +
		`connection|terminated|without a finish reason`},
	{council.FaultFailed, false, `internal server error|\b5\d\d\b`},
}

// callError returns a failure in the form that [member.Model] promises, with advice.
func (m *Model) callError(err error, spent council.Usage) error {
	f, is := errors.AsType[*failure](err)
	if !is {
		f = &failure{Kind: council.FaultFailed, words: err.Error()}
	}
	words := m.agent.name + ": " + member.RedactEnd(f.words, m.secrets...)
	switch {
	case f.Kind == council.FaultAuth && len(m.agent.Keys) > 0:
		words += fmt.Sprintf(" (it is given %s, %s%s)", strings.Join(m.agent.Keys, " and "), m.agent.Login,
			m.agent.lendingAdvice())
	case f.Kind == council.FaultModelMissing && m.named != "":
		words += fmt.Sprintf(" (model %q)", m.named)
	}
	return &member.CallError{Fault: council.Fault{Kind: f.Kind, Message: member.Redact(words, m.secrets...)},
		Retryable: f.retryable, RetryAfter: f.after, Usage: spent}
}
