package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// post sends a prompt and reads the reply. It returns the optional features that it sent.
func (m *Model) post(ctx context.Context, key string, p *prompt.Prompt) (
	c prompt.Completion, sent []feature, err error) {
	r := m.request(p)
	body := strings.NewReader(council.CompactJSON(r.body))
	req, err := http.NewRequestWithContext(gate.WithCall(ctx), http.MethodPost, m.address(), body)
	if err != nil {
		return c, nil, err
	}
	m.sign(req, key)
	res, err := m.client.Do(req)
	switch {
	case err != nil:
		return c, r.sent, err
	case res.StatusCode >= 300:
		c, err = m.readRefusal(res)
	default:
		c, err = m.read(ctx, p, res)
	}
	return c, r.sent, err
}

// sign sets the headers of a request. The token of a login is always a bearer token.
func (m *Model) sign(req *http.Request, key string) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "council")
	for name, value := range m.protocol.headers {
		req.Header.Set(name, value)
	}
	switch {
	case key == "":
	case m.kind.KeyHeader == "" || m.model.Auth != nil && m.model.Auth.Method == "oauth-device-code":
		req.Header.Set("Authorization", "Bearer "+key)
	default:
		req.Header.Set(m.kind.KeyHeader, key)
	}
	for name, value := range m.headers {
		req.Header.Set(name, value)
	}
}

// read reads a reply and closes its body. Errors after its end do not matter. An unusable reply has a usage too.
func (m *Model) read(ctx context.Context, p *prompt.Prompt, res *http.Response) (prompt.Completion, error) {
	limit := member.ReplyLimit(m.model)
	most := 4*limit + 1<<20 // bytes of one event or of all, with escapes, reasoning, an echo of the request
	stream := &stream{ReadCloser: res.Body}
	defer stream.Close()
	r := &reply{bills: m.bills()}
	r.RequestID = cmp.Or(res.Header.Get("X-Request-Id"), res.Header.Get("Request-Id"))
	say := func() { member.ReportWords(ctx, member.Words{Ask: p.View.Ask, Text: r.text(), Cut: m.wallet.Cut}) }
	say()
	begun := func() { member.ReportBegun(ctx) }
	looked := 0 // at how many bytes of text it was last looked whether the reply runs away
	err := readDocuments(stream, most, begun, func(event string, doc gjson.Result) (more bool, err error) {
		if event == endMark {
			r.begun, r.closed = true, true
		} else if err := m.protocol.take(r, event, doc); err != nil {
			return false, err
		}
		if r.begun {
			begun()
		}
		switch bytes := r.bytes(); {
		case bytes > limit:
			return false, errTooLong
		case bytes-looked > 512 && !r.closed:
			looked = bytes
			room := 6 << 10 // bytes beyond the length that the question asks for
			if m.kind.SchemaIsPrompt {
				room = 16 << 10
			}
			if p.Runaway(r.text(), room) {
				return false, errRunaway
			}
			fallthrough
		case bytes > 0:
			say()
			stream.startIdleTimer()
		}
		return !r.closed, nil
	})
	if _, rejected := errors.AsType[*rejection](err); rejected {
		return prompt.Completion{Usage: r.Usage}, err
	}
	r.Text = r.text()
	switch {
	case errors.Is(err, errTooLong):
		r.Stop = prompt.StopTooLong
		return r.Completion, nil
	case errors.Is(err, errRunaway):
		r.Stop = prompt.StopRunaway
		return r.Completion, nil
	case r.closed:
		// The connection is reused once the rest is read; a server that goes on is given up.
		defer time.AfterFunc(2*time.Second, func() { stream.Close() }).Stop()
		io.CopyN(io.Discard, stream, 4<<10)
	}
	return r.completion(p.Contract != nil, err)
}

// Complete streams a reply to a prompt. It repeats the call without a feature that the server rejects, such as a
// schema, once with a renewed key, and once without a contract if the server itself could not use the reply; that
// reply is the completion if this fails too. Usage includes every call. See [member.Model] for errors.
func (m *Model) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	start := m.now()
	c, spent, err := m.callAndRepeat(ctx, p)
	spent.ElapsedMS = m.now().Sub(start).Milliseconds()
	if err != nil {
		return prompt.Completion{}, m.fault(ctx, err, spent)
	}
	// Cloned: parts of the response would keep all of it in memory.
	for _, words := range []*string{&c.Text, &c.RequestID, &spent.Model} {
		*words = strings.Clone(m.wallet.Cut(*words))
	}
	c.Usage = spent
	return c, nil
}

func (m *Model) callAndRepeat(ctx context.Context, p *prompt.Prompt) (c prompt.Completion, spent council.Usage,
	err error) {
	key, err := m.caller.Get(ctx)
	if err != nil {
		return c, spent, err
	}
	for renewed := false; ; {
		c, sent, err := m.post(ctx, key, p)
		spent = spent.Add(c.Usage)
		if !errors.Is(err, errUnsent) {
			spent.Calls++
		}
		r, rejected := errors.AsType[*rejection](err)
		switch {
		case !rejected || ctx.Err() != nil:
			return c, spent, err
		case strings.Contains(r.Kind, "json_validate_failed") && !slices.Contains(sent, schemaFeature):
			return prompt.Completion{Text: r.Written, Stop: prompt.StopEnd}, spent, nil
		case strings.Contains(r.Kind, "json_validate_failed"):
			free := *p
			free.Contract = nil
			p = &free
		case r.Status == http.StatusUnauthorized && !renewed:
			other, ok, failed := m.caller.Renew(ctx, key)
			if !ok {
				return c, spent, cmp.Or(failed, err)
			}
			key, renewed = other, true
		case !m.quirks.learn(m.place(), r, sent):
			return c, spent, err
		}
	}
}

type feature string

// The features that are omitted after a server complained about them.
const (
	systemRole          feature = "system"                // messages of the role system, before those of the user
	instructionsField   feature = "instructions"          // a field of the responses protocol in their place
	cacheMarks          feature = "cache_control"         // marks for the cache, and with them texts as lists of blocks
	storeField          feature = "store"                 // that nothing is to be stored
	schemaFeature       feature = "schema"                // the reply's contract as a JSON Schema
	jsonFeature         feature = "json"                  // that the reply is some JSON object, where no schema is taken
	temperatureFeature  feature = "temperature"           // some models have only one
	streamUsage         feature = "stream_options"        // token counts at the end of a stream
	maxTokens           feature = "max_tokens"            // the older name of the bound of a reply
	maxCompletionTokens feature = "max_completion_tokens" // the newer one
	kindBound           feature = "kind_bound"            // a bound of the reply by the kind of its question
	effortFeature       feature = "reasoning_effort"      // how long to reason
)

// complaints match the words by which a server complains about a feature.
var complaints = map[feature]*regexp.Regexp{
	systemRole: regexp.MustCompile(`system role|developer instruction.*not enabled|roles must alternate|` +
		`('system'|system messages?|system instruction).*not (support|allow)|instructions are required|` +
		`not (support|allow).*('system'|system message|system instruction)`),
	instructionsField: regexp.MustCompile(`instructions`),
	// These are narrow: without marks the cache serves nothing, and without store some providers store the prompt.
	cacheMarks: regexp.MustCompile(`cache_control|(system|content)\b.*(valid string|be a string|type string|str type)|` +
		`sequence, expected a string|expected string, received array|cannot unmarshal array`),
	storeField: regexp.MustCompile(`(unknown|unsupported|unrecognized|unexpected|extra|not (supported|permitted|allowed)).*` +
		`\bstore\b|\bstore\b.*(unknown|unsupported|unrecognized|unexpected|extra|not (supported|permitted|allowed))`),
	schemaFeature: regexp.MustCompile( // output_config has effort in it too
		`response_format|text\.format|schema|output_config([^.]|\.format|$)|output_format|structured output|grammar`),
	jsonFeature:         regexp.MustCompile(`response_format|text\.format|json_object|json mode`),
	temperatureFeature:  regexp.MustCompile(`temperature`),
	streamUsage:         regexp.MustCompile(`stream_options|include_usage`),
	maxTokens:           regexp.MustCompile(`max_tokens.*max_completion_tokens|max_completion_tokens.*max_tokens`),
	maxCompletionTokens: regexp.MustCompile(`max_completion_tokens`),
	// A server adds the bound to the prompt, and refuses the sum; or the model writes no more than so many.
	kindBound:     regexp.MustCompile(`max_(completion_|output_|new_)?tokens|max(imum)? (context|model) length`),
	effortFeature: regexp.MustCompile(`reasoning|effort|thinking|output_config([^.]|$)`),
}

// Quirks remembers the features that each model on each server does not take. It can be shared.
type Quirks struct {
	Now  func() time.Time // dates each finding; required
	Keep func(doc []byte) // is given all that is known whenever something was found; nil: nothing is kept

	mu    sync.Mutex
	known map[string]map[feature]string // the day on which each was found, as 2006-01-02
}

// learn notes the sent features that a rejection complains about, and reports whether to call again without them.
func (q *Quirks) learn(place string, r *rejection, sent []feature) bool {
	switch r.Status { // another request changes neither who asks nor how often
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	if r.Status < 400 {
		return false
	}
	words := strings.Join(strings.Fields(strings.ToLower(r.Kind+" "+r.Message)), " ")
	q.mu.Lock()
	defer q.mu.Unlock()
	learnt, found := false, false
	for _, f := range sent {
		if complaints[f].MatchString(words) {
			learnt = true
			if q.known[place][f] == "" { // else another member has noted it meanwhile
				found = true
				q.note(place, f, q.day(0))
			}
		}
	}
	if found && q.Keep != nil {
		doc, _ := json.MarshalIndent(keptQuirks{1, aboutQuirks, q.known}, "", "  ") // strings always encode
		q.Keep(append(doc, '\n'))
	}
	return learnt
}

func (q *Quirks) note(place string, f feature, on string) {
	if q.known == nil {
		q.known = map[string]map[feature]string{}
	}
	if q.known[place] == nil {
		q.known[place] = map[feature]string{}
	}
	q.known[place][f] = on
}

type keptQuirks struct {
	Version int                           `json:"version"`
	About   string                        `json:"about"`
	Places  map[string]map[feature]string `json:"places"`
}

const aboutQuirks = "What model servers were found not to take, by address and model, and when. It may be deleted: " +
	"then it is found out again."

// Recall loads stored quirks. It skips those that are unreadable, too old or of another version.
func (q *Quirks) Recall(doc []byte) {
	var kept keptQuirks
	if json.Unmarshal(doc, &kept) != nil || kept.Version != 1 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	const lifetime = 30 * 24 * time.Hour // of a finding: servers learn
	for place, found := range kept.Places {
		for f, on := range found {
			_, err := time.Parse(time.DateOnly, on)
			if err == nil && complaints[f] != nil && on >= q.day(-lifetime) && on <= q.day(0) {
				q.note(place, f, on)
			}
		}
	}
}

func (q *Quirks) day(from time.Duration) string {
	return q.Now().Add(from).UTC().Format(time.DateOnly)
}
