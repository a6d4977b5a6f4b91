package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// Log is a conversation as a scan found it, and continues it.
type Log struct {
	Lines []Line
	chain.End
	sum string
}

// New returns the log of a conversation that has not begun.
func New(session council.SessionID, member council.MemberID) *Log {
	return &Log{sum: chain.Seed("conversation", string(session)+"/"+string(member))}
}

// Next adds lines to the log and returns the bytes to append to the file.
func (l *Log) Next(lines ...Line) ([]byte, error) {
	var text []byte
	sum := l.sum
	for _, one := range lines {
		object, err := wire.JSON(one)
		if err != nil {
			return nil, err
		}
		var sealed []byte
		sealed, sum = chain.Seal(sum, object)
		text = append(text, sealed...)
	}
	l.sum = sum
	l.Lines = append(l.Lines, lines...)
	return text, nil
}

// Scan reads a whole conversation and checks its form and its chain; see [chain.Form.Scan].
func Scan(session council.SessionID, member council.MemberID, data []byte) (*Log, error) {
	l := New(session, member)
	end, err := chain.Lines.Scan(data, func(text []byte) error {
		sum, err := chain.Check(l.sum, text)
		if err != nil {
			return err
		}
		var line struct {
			Line
			Sum string `json:"sum"`
		}
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&line); err != nil {
			return fmt.Errorf("%w: a line of a conversation holds what this version does not know", chain.ErrNewer)
		}
		l.Lines, l.sum = append(l.Lines, line.Line), sum
		return nil
	})
	l.End = end
	return l, err
}

// Paid returns what the replies took, by their questions, all tries together: what the provider was paid for.
func (l *Log) Paid() map[council.AskID]council.Usage {
	paid := map[council.AskID]council.Usage{}
	for _, one := range l.Lines {
		if one.Role == RoleAssistant {
			paid[one.Ask] = paid[one.Ask].Add(one.Usage)
		}
	}
	return paid
}

// Unanswered lists the questions that were put and neither answered nor failed, in the order in which they were put:
// whether they were paid for is unknown.
func (l *Log) Unanswered() []council.AskID {
	open := map[asking]bool{}
	for _, one := range l.Lines {
		switch one.Role {
		case RoleUser:
			open[asking{one.Ask, one.Try}] = true
		case RoleAssistant, RoleFault:
			open[asking{one.Ask, one.Try}] = false
		}
	}
	var asks []council.AskID
	for _, one := range l.Lines {
		if key := (asking{one.Ask, one.Try}); open[key] {
			delete(open, key)
			asks = append(asks, one.Ask)
		}
	}
	return asks
}
