package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/workspace/run"
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

// BatchResult is the line of JSON for a session of a batch.
type BatchResult struct {
	Line    int               `json:"line"`
	ID      string            `json:"id,omitempty"`
	Session council.SessionID `json:"session,omitempty"`
	minutes.Gist
	Outcome  *council.Outcome `json:"outcome,omitempty"`
	ExitCode int              `json:"exitCode"`
	Error    string           `json:"error,omitempty"`
}

// BatchResultOf returns the line for a result, with the exit code that the command of the session alone would have.
func BatchResultOf(r run.BatchResult) BatchResult {
	line := BatchResult{Line: r.Line.Number, ID: r.Line.ID, Session: r.Session, Gist: r.Left.Gist, Outcome: r.Left.Outcome}
	if r.Err != nil {
		line.ExitCode, _ = Explain(r.Err)
		line.Error = site.CutSecrets(r.Err.Error())
	} else if code, ok := ResultCode(engine.Result{Outcome: r.Left.Outcome}).(ExitCode); ok {
		line.ExitCode = int(code)
	}
	if r.Left.Suspended != nil {
		line.Error = cmp.Or(line.Error, r.Left.Suspended.Error())
	}
	return line
}

// ReadBatch reads a file of one JSON object a line. The error is of usage, or says why the file cannot be read.
func ReadBatch(a *Env, file string) ([]run.BatchLine, error) {
	doc, err := ReadInput(a, "the batch cannot be read", file, run.MaxBatch+1)
	if err != nil {
		return nil, err
	}
	return run.ParseBatch(doc)
}

// mostNamed is how many documents, and how many files left out for one reason, the summary lists; the record has more.
const mostNamed = 12

// givenPage is the data of the templates "given" and "left": the members' documents, and those left out.
type givenPage struct {
	Listed   []council.Document // told one by one
	More     int                // of which only the number is told
	Bytes    int64              // of those
	Left     []leftOut
	Crowding bool
}

// leftOut is the names left out for one reason: the first of them, and the number of the rest.
type leftOut struct {
	council.Skipped
	More int
}

// Secret reports whether a document is named like a file of keys.
func (givenPage) Secret(name string) bool { return documents.Secret(name) }

// ContextWords lists the members' documents and the notes left out, one sentence each.
func ContextWords(t council.Topic) []string {
	p := leftPage(t, true)
	for i, d := range t.Documents {
		if i >= mostNamed && len(t.Documents) > mostNamed+1 && !documents.Secret(d.Name) {
			p.More, p.Bytes = p.More+1, p.Bytes+int64(len(d.Text))
		} else {
			p.Listed = append(p.Listed, d)
		}
	}
	return strings.Split(strings.TrimSpace(terminal.Tell("given", p)), "\n")
}

// LeftWords lists the files that were named, or changed, and that members are not shown, one sentence for each reason.
func LeftWords(t council.Topic) []string {
	p := leftPage(t, false)
	if len(p.Left) == 0 {
		return nil
	}
	p.Crowding = slices.ContainsFunc(t.Skipped, documents.IsCrowdedOut)
	return strings.Split(strings.TrimSpace(terminal.Tell("left", p)), "\n")
}

func leftPage(t council.Topic, notes bool) (p givenPage) {
	for _, s := range t.Skipped {
		if s.Notes == notes {
			s.Files = s.Files[:min(len(s.Files), mostNamed)]
			p.Left = append(p.Left, leftOut{s, s.Count - len(s.Files)})
		}
	}
	return p
}
