package site

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

// MaxTopic bounds the topic, which is repeated to every member; longer texts belong in a context document.
const MaxTopic = 64 << 10

// CheckTopic returns a topic without surrounding space, or an error if it is invalid.
func CheckTopic(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > MaxTopic:
		return "", Refuse(fmt.Sprintf("the topic is longer than %d KiB", MaxTopic>>10),
			"Say the question in a few sentences and pass the rest as a document: --context FILE")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", Refuse("the topic is not text in UTF-8", "Save it as UTF-8, or pass a document with --context FILE.")
	}
	if strings.TrimSpace(hostile.Clean(text)) == "" {
		return "", Refuse("the topic is empty",
			`Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	return text, nil
}

// ComposeNote returns a person's note or question as members read it, and the cuts made in it. An invalid length is a
// usage error.
func ComposeNote(w *World, root *recorder.Root, what, text string, most int) (said string, cut council.Topic,
	err error) {
	lawful, err := w.Policy(root.Path())
	if err != nil {
		return "", cut, err
	}
	text = strings.TrimSpace(hostile.Clean(NoteCuts(&cut, "the "+what, text, lawful.Redactions()...)))
	if n := utf8.RuneCountInString(text); n == 0 || n > most {
		return "", cut, Refuse(fmt.Sprintf("a %s has 1 to %s characters, and this one has %s", what,
			plural.Thousands(most), plural.Thousands(n)), "Say it in a few sentences.")
	}
	return text, cut, nil
}
