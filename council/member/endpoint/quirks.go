package endpoint

import (
	"errors"
	"strings"
	"sync"
)

// Feature is a part of a request that not every server takes.
type Feature string

// The features that are left out after a server complained about them.
const (
	Schema              Feature = "schema"                // the reply's contract as a JSON Schema
	Temperature         Feature = "temperature"           // some models have only one
	StreamUsage         Feature = "stream_options"        // token counts at the end of a stream
	MaxTokens           Feature = "max_tokens"            // the older name of the bound of a reply
	MaxCompletionTokens Feature = "max_completion_tokens" // the newer one
)

// complaints are the words by which a server complains about a feature; all words of one line must be there.
var complaints = map[Feature][][]string{
	Schema: {{"response_format"}, {"json_schema"}, {"schema"}, {"output_config"}, {"output_format"},
		{"structured output"}, {"grammar"}},
	Temperature:         {{"temperature"}},
	StreamUsage:         {{"stream_options"}, {"include_usage"}},
	MaxTokens:           {{"max_tokens", "max_completion_tokens"}},
	MaxCompletionTokens: {{"max_completion_tokens"}},
}

// Quirks remember, for as long as the process lives, what each model on each server was found not to take. The zero
// value is ready; it may be shared by many members.
type Quirks struct {
	mu    sync.Mutex
	known map[string]map[Feature]bool
}

func (q *Quirks) lacks(place string, f Feature) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known[place][f]
}

func (q *Quirks) learn(place string, err error, sent []Feature) bool {
	var r *Rejection
	if !errors.As(err, &r) || !r.mayBeAboutTheRequest() {
		return false
	}
	words := strings.ToLower(r.Kind + " " + r.Message)
	q.mu.Lock()
	defer q.mu.Unlock()
	learnt := false
	for _, f := range sent {
		if !complains(words, f) {
			continue
		}
		if q.known == nil {
			q.known = map[string]map[Feature]bool{}
		}
		if q.known[place] == nil {
			q.known[place] = map[Feature]bool{}
		}
		// Noted by another member in the meantime is as good: the call is worth putting again.
		q.known[place][f] = true
		learnt = true
	}
	return learnt
}

func complains(words string, f Feature) bool {
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
