// Package reply reads what a model wrote in answer to an ask. Everything in it is hostile text.
package reply

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/schemas"
)

// MaxReply is the size in bytes of the longest reply that is read at all.
const MaxReply = 1 << 20

// Parse reads the reply to the view's ask. A JSON answer is the whole text, or the one object in prose, in a code
// fence or after reasoning in <think> tags; small slips of syntax are mended, anything else is refused. Text without
// an object that meets the contract never becomes a body. The error wraps [council.ErrBadReply] and says what to
// change, in words for the one who wrote the reply.
func Parse(v council.View, text string) (council.Body, error) {
	if len(text) > MaxReply {
		return nil, bad("It has %d bytes; at most %d are read.", len(text), MaxReply)
	}
	text = strings.TrimSpace(hostile.Clean(text))
	if text == "" {
		return nil, bad("It is empty.")
	}
	if v.Ask.Kind == council.AskDraft {
		return parseDraft(v, text)
	}
	found, err := candidates(text)
	if err != nil {
		return nil, err
	}
	return choose(v, found)
}

// choose returns the body of the only candidate that meets the contract.
func choose(v council.View, found []candidate) (council.Body, error) {
	var chosen council.Body
	var last error
	for _, c := range found {
		body, err := read(v, c)
		if err != nil {
			last = err
			continue
		}
		if chosen != nil && !reflect.DeepEqual(chosen, body) {
			return nil, bad("It holds two different objects that both answer the question; give only one.")
		}
		chosen = body
	}
	if chosen == nil && len(found) > 1 {
		return nil, bad("It holds %d JSON objects, and none meets the form that was asked for. The last one: %s",
			len(found), strings.TrimPrefix(last.Error(), council.ErrBadReply.Error()+": "))
	}
	if chosen == nil {
		return nil, last
	}
	return chosen, nil
}

// read makes a candidate a body: mended if need be, cleaned, validated and checked against the session.
func read(v council.View, c candidate) (council.Body, error) {
	object, err := c.object()
	if err != nil {
		return nil, err
	}
	if text := placeholder(object); text != "" {
		return nil, bad("It still holds the placeholder %s of the example; write your own words.", text)
	}
	normalise(v, object)
	doc, err := json.Marshal(object)
	if err != nil {
		return nil, bad("It is no JSON that can be read: %v.", err)
	}
	if err := schemas.Validate(Contract(v), doc); err != nil {
		var broken *schemas.Error
		if !errors.As(err, &broken) {
			return nil, bad("%v", err)
		}
		if broken.Pointer != "" {
			return nil, bad("At %s: %s", broken.Pointer, broken.Problem)
		}
		return nil, bad("%s", broken.Problem)
	}
	return body(v, doc)
}

// body decodes a document that meets its contract, and checks what a schema cannot know.
func body(v council.View, doc []byte) (council.Body, error) {
	switch v.Ask.Kind {
	case council.AskPosition:
		return decodeAs[council.Position](doc)
	case council.AskNominate:
		b, err := decodeAs[council.Nomination](doc)
		if n, ok := b.(council.Nomination); ok && v.Charter.Member(n.CandidateID) == nil {
			return nil, bad("There is no member %q; candidateId is one of %s.", n.CandidateID, memberIDs(v.Charter))
		}
		return b, err
	case council.AskTurn:
		return decodeAs[council.Turn](doc)
	case council.AskSecond:
		return decodeAs[council.Second](doc)
	case council.AskBallot:
		return decodeAs[council.Ballot](doc)
	case council.AskAssess:
		return decodeAs[council.Assessment](doc)
	case council.AskSummary:
		return decodeAs[council.Summary](doc)
	case council.AskReview:
		return decodeAs[council.Review](doc)
	case council.AskDissent:
		return decodeAs[council.Dissent](doc)
	}
	return nil, bad("There is no answer to a question of kind %q.", v.Ask.Kind)
}

func decodeAs[B council.Body](doc []byte) (council.Body, error) {
	var b B
	if err := json.Unmarshal(doc, &b); err != nil {
		return nil, bad("It is no JSON that can be read: %v.", err)
	}
	return b, nil
}

func memberIDs(c *council.Charter) string {
	var ids []string
	for _, id := range c.Seats() {
		ids = append(ids, string(id))
	}
	return strings.Join(ids, ", ")
}

// bad is an error about a reply, in plain sentences.
func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", council.ErrBadReply, fmt.Sprintf(format, args...))
}
