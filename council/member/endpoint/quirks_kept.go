package endpoint

import (
	"encoding/json"
	"time"
)

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

const aboutQuirks = "What model servers were found not to take, by address and model, and when. It may be deleted: then it is found out again."

// Recall takes in what was written down before. What cannot be read, is too old or is from another version is passed over:
// it is found out again.
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
			if _, err := time.Parse(time.DateOnly, string(on)); err != nil || complaints[f] == nil || on < oldest || on > q.today() {
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
