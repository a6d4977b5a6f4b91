package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/workspace/site"
)

// ReadTopic reads the topic from the arguments or a file; "-" for either is standard input, unless a context uses that.
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

// CutWords describes the secrets that were cut and the hidden characters, in a sentence each for topic and documents.
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

// ReadInput reads a file that the user named, or standard input for "-", up to most bytes. Its error begins with what,
// such as "the topic cannot be read".
func ReadInput(a *Env, what, path string, most int64) ([]byte, error) {
	in := a.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s from %s: %w", what, path, atomicfile.Explain(err))
		}
		defer f.Close()
		in = f
	}
	doc, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, fmt.Errorf("%s from %s: %w", what, InputName(path), atomicfile.Explain(err))
	}
	return doc, nil
}

// InputName returns the name of an input for messages.
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
