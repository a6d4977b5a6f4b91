package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/site"
)

// maxTopic bounds the topic: it is repeated to every member, so what is long belongs into a context document.
const maxTopic = 64 << 10

// ReadTopic takes the topic from the command line or from a file; "-" in the place of either is standard input, unless
// that is the document of a context.
func ReadTopic(a *Env, args []string, file string, contexts []string) (string, error) {
	if len(args) == 1 && file != "" {
		return "", site.Refuse("the topic was given twice: on the line and with --topic-file", "Leave one of them out.")
	}
	if len(args) == 1 && args[0] == "-" {
		file = "-"
	}
	switch {
	case file == "-" && slices.Contains(contexts, "-"):
		return "", site.Refuse("standard input cannot be both the topic and a document", "Give one of them as a file.")
	case len(args) == 1 && file == "":
		return CheckTopic(args[0])
	case file == "":
		return "", site.Refuse("there is no topic",
			`Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	text, err := ReadInput(a, "the topic could not be read", file, maxTopic+1)
	if err != nil {
		return "", err
	}
	return CheckTopic(string(text))
}

// CheckTopic returns a topic without the space around it, or why it cannot be one.
func CheckTopic(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > maxTopic:
		return "", site.Refuse(fmt.Sprintf("the topic is longer than %d KiB", maxTopic>>10),
			"Say the question in a few sentences and pass the rest as a document: --context FILE")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", site.Refuse("the topic is not text in UTF-8", "Save it as UTF-8, or pass a document with --context FILE.")
	}
	if strings.TrimSpace(hostile.Clean(text)) == "" {
		return "", site.Refuse("the topic is empty",
			`Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	return text, nil
}

// CutWords lists what was cut and what was hidden, one sentence for the topic and one for each document.
func CutWords(t council.Topic) (told []string) {
	tell := func(page string, found site.Cuts) {
		for len(found) > 0 {
			n := slices.IndexFunc(found, func(c council.Cut) bool { return c.In != found[0].In })
			if n < 0 {
				n = len(found)
			}
			told = append(told, terminal.Tell(page, found[:n]))
			found = found[n:]
		}
	}
	tell("cut", t.Cut)
	tell("hidden", t.Hidden)
	return told
}
