package endpoint

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// feature is an optional part of a request.
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

// Quirks remembers the features that each model on each server does not take. The zero value is ready to be shared.
type Quirks struct {
	Now  func() time.Time // dates each finding; nil: [time.Now]
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
	now := time.Now
	if q.Now != nil {
		now = q.Now
	}
	return now().Add(from).UTC().Format(time.DateOnly)
}
