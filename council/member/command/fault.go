package command

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/process"
)

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
	var f *failure
	if !errors.As(err, &f) {
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
