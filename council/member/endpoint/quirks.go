package endpoint

import (
	"errors"
	"strings"
	"sync"
	"time"
)

// feature is a part of a request that not every server takes.
type feature string

// The features that are left out after a server complained about them.
const (
	systemRole          feature = "system"                // messages of the role system, before those of the user
	schemaFeature       feature = "schema"                // the reply's contract as a JSON Schema
	temperatureFeature  feature = "temperature"           // some models have only one
	streamUsage         feature = "stream_options"        // token counts at the end of a stream
	maxTokens           feature = "max_tokens"            // the older name of the bound of a reply
	maxCompletionTokens feature = "max_completion_tokens" // the newer one
)

// complaints are the words by which a server complains about a feature; all words of one line must be there.
var complaints = map[feature][][]string{
	systemRole: {{"system role"}, {"'system'", "not support"}, {"system message", "not support"}, {"system instruction", "not support"},
		{"developer instruction", "not enabled"}, {"roles must alternate"}},
	schemaFeature: {{"response_format"}, {"text.format"}, {"json_schema"}, {"schema"}, {"output_config"}, {"output_format"},
		{"structured output"}, {"grammar"}},
	temperatureFeature:  {{"temperature"}},
	streamUsage:         {{"stream_options"}, {"include_usage"}},
	maxTokens:           {{"max_tokens", "max_completion_tokens"}},
	maxCompletionTokens: {{"max_completion_tokens"}},
}

// Quirks remember what each model on each server was found not to take. The zero value is ready; it may be shared by many
// members. What it knows lasts as long as the process, or longer where Keep writes it down.
type Quirks struct {
	Now  func() time.Time // dates what is found; nil: [time.Now]
	Keep func(doc []byte) // is given all that is known whenever something was found; nil: nothing is kept

	mu    sync.Mutex
	known map[string]map[feature]day
}

func (q *Quirks) lacks(place string, f feature) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known[place][f] != ""
}

func (q *Quirks) learn(place string, err error, sent []feature) bool {
	var r *rejection
	if !errors.As(err, &r) || !r.mayBeAboutTheRequest() {
		return false
	}
	words := strings.ToLower(r.Kind + " " + r.Message)
	q.mu.Lock()
	defer q.mu.Unlock()
	learnt, found := false, false
	for _, f := range sent {
		if !complains(words, f) {
			continue
		}
		// Noted by another member in the meantime is as good: the call is worth putting again.
		learnt = true
		if q.known[place][f] == "" {
			found = true
			q.note(place, f, q.today())
		}
	}
	if found && q.Keep != nil {
		q.Keep(q.written())
	}
	return learnt
}

func (q *Quirks) note(place string, f feature, on day) {
	if q.known == nil {
		q.known = map[string]map[feature]day{}
	}
	if q.known[place] == nil {
		q.known[place] = map[feature]day{}
	}
	q.known[place][f] = on
}

func complains(words string, f feature) bool {
	for _, all := range complaints[f] {
		found := true
		for _, w := range all {
			found = found && strings.Contains(words, w)
		}
		if found {
			return true
		}
	}
	return false
}
