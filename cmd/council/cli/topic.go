package cli

import (
	"slices"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/workspace/site"
)

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
		return site.CheckTopic(args[0])
	case file == "":
		return "", site.Refuse("there is no topic",
			`Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	text, err := ReadInput(a, "the topic could not be read", file, site.MaxTopic+1)
	if err != nil {
		return "", err
	}
	return site.CheckTopic(string(text))
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
