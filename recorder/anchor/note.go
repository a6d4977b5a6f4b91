package anchor

import (
	"errors"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// File is the name of the anchors in a session's folder. They travel with the record; what proves something are the
// copies elsewhere.
const File = "anchors"

// ErrBadKey: the text is not a verifier key.
var ErrBadKey = errors.New("the verifier key is not one")

// Source is a text that holds anchors, one after the other.
type Source struct {
	Name    string // for messages
	Text    []byte
	Outside bool // kept where a writer of the record may not be able to write
}

// Judgement is the result of checking one anchor against a log.
type Judgement struct {
	Checkpoint
	Source  string
	Outside bool
	Known   bool   // signed by a key that is trusted
	Problem string // why it contradicts the log or itself: a plain sentence; "" when it does not
}

// Vouches reports whether the anchor shows that its events are as they were.
func (j Judgement) Vouches() bool { return j.Problem == "" && (j.Outside || j.Known) }

// Judge holds a log against all anchors of the sources. keys are the verifier keys that are trusted. Its only
// error is [ErrBadKey].
func (t *Tree) Judge(sources []Source, keys []string) ([]Judgement, error) {
	var trusted []note.Verifier
	for _, k := range keys {
		v, err := note.NewVerifier(strings.TrimSpace(k))
		if err != nil {
			return nil, ErrBadKey
		}
		trusted = append(trusted, v)
	}
	var all []Judgement
	for _, s := range sources {
		notes := split(string(s.Text))
		if len(notes) == 0 && len(strings.TrimSpace(string(s.Text))) > 0 {
			notes = []string{string(s.Text)}
		}
		for _, text := range notes {
			j := t.judge(text, note.VerifierList(trusted...))
			j.Source, j.Outside = s.Name, s.Outside
			all = append(all, j)
		}
	}
	return all, nil
}

// judge holds a log against one anchor.
func (t *Tree) judge(text string, trusted note.Verifiers) Judgement {
	var j Judgement
	opened, err := note.Open([]byte(text), trusted)
	var unknown *note.UnverifiedNoteError
	switch {
	case err == nil:
		j.Known = true
	case errors.As(err, &unknown):
		opened = unknown.Note
	default:
		j.Problem = "It is not a note, or its signature does not hold."
		return j
	}
	c, err := parse(opened.Text)
	if err != nil {
		j.Problem = "It is signed, but " + err.Error() + "."
		return j
	}
	j.Checkpoint = c
	switch {
	case c.Session != t.session:
		j.Problem = "It is an anchor of another session, " + string(c.Session) + "."
	case c.Size > t.size:
		j.Problem = "It vouches for events that the log does not have any more: the log has been cut short."
	case t.Checkpoint(c.Size) != c:
		j.Problem = "The events are not those that were anchored: the log has been rewritten."
	}
	return j
}

// split parts a text into notes. Whatever surrounds them, a mail or a commit's message, is left out.
func split(text string) []string {
	const signature = "— "
	var notes []string
	var current strings.Builder
	inside, signed := false, false
	end := func() {
		if inside && signed {
			notes = append(notes, current.String())
		}
		current.Reset()
		inside, signed = false, false
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		bare := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(bare, originPrefix):
			end()
			inside = true
		case inside && strings.HasPrefix(bare, signature):
			signed = true
		case signed:
			end()
		}
		if inside {
			current.WriteString(bare + "\n")
		}
	}
	end()
	return notes
}

// Reach returns the number of events that the anchors vouch for, and the sources that vouch for so many.
func Reach(judged []Judgement) (events int, by []string) {
	for _, j := range judged {
		switch {
		case !j.Vouches() || j.Size < events:
			continue
		case j.Size > events:
			events, by = j.Size, nil
		}
		by = append(by, j.Source)
	}
	return events, by
}
