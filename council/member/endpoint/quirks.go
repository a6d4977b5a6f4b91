package endpoint

import (
	"encoding/json"
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
	systemRole: {{"system role"}, {"'system'", "not support"}, {"system message", "not support"},
		{"system instruction", "not support"},
		{"developer instruction", "not enabled"}, {"roles must alternate"}},
	schemaFeature: {{"response_format"}, {"text.format"}, {"json_schema"}, {"schema"}, {"output_config"},
		{"output_format"},
		{"structured output"}, {"grammar"}},
	temperatureFeature:  {{"temperature"}},
	streamUsage:         {{"stream_options"}, {"include_usage"}},
	maxTokens:           {{"max_tokens", "max_completion_tokens"}},
	maxCompletionTokens: {{"max_completion_tokens"}},
}

// Quirks remember what each model on each server was found not to take. The zero value is ready; it may be shared by
// many members. What it knows lasts as long as the process, or longer where Keep writes it down.
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

// day is a date, as 2006-01-02.
type day string

// rediscovered is how long what was found is believed: servers learn.
const rediscovered = 30 * 24 * time.Hour

// keptQuirks is the form in which quirks are written down.
type keptQuirks struct {
	Version int                        `json:"version"`
	About   string                     `json:"about"`
	Places  map[string]map[feature]day `json:"places"`
}

const aboutQuirks = "What model servers were found not to take, by address and model, and when. It may be deleted: " +
	"then it is found out again."

// Recall takes in what was written down before. What cannot be read, is too old or is from another version is passed
// over: it is found out again.
func (q *Quirks) Recall(doc []byte) {
	var kept keptQuirks
	if json.Unmarshal(doc, &kept) != nil || kept.Version != 1 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	oldest := day(q.now().Add(-rediscovered).Format(time.DateOnly))
	for place, found := range kept.Places {
		for f, on := range found {
			if _, err := time.Parse(time.DateOnly, string(on)); err != nil || complaints[f] == nil || on < oldest ||
				on > q.today() {
				continue
			}
			q.note(place, f, on)
		}
	}
}

func (q *Quirks) written() []byte {
	doc, _ := json.MarshalIndent(keptQuirks{1, aboutQuirks, q.known}, "", "  ") // strings always encode
	return append(doc, '\n')
}

func (q *Quirks) now() time.Time {
	if q.Now != nil {
		return q.Now().UTC()
	}
	return time.Now().UTC()
}

func (q *Quirks) today() day { return day(q.now().Format(time.DateOnly)) }
