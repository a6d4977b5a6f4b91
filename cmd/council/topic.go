package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/secrets"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/workspace/site"
)

// maxTopic bounds the topic: it is repeated to every member, so what is long belongs into a context document.
const maxTopic = 64 << 10

// readTopic takes the topic from the command line or from a file; "-" in the place of either is standard input, unless
// that is the document of a context.
func readTopic(a *cli.Env, args []string, file string, contexts []string) (string, error) {
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
		return checkTopic(args[0])
	case file == "":
		return "", site.Refuse("there is no topic",
			`Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	text, err := readInput(a, "the topic could not be read", file, maxTopic+1)
	if err != nil {
		return "", err
	}
	return checkTopic(string(text))
}

func checkTopic(text string) (string, error) {
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

// cutTopic cuts secrets, and what further expressions match, out of a topic, its documents and their names, takes
// hidden characters out of its texts, and notes in it what there was.
func cutTopic(t *council.Topic, further ...*regexp.Regexp) {
	t.Text = hostile.Clean(noteCuts(t, "", t.Text, further...))
	for i, d := range t.Documents {
		name := cutSecrets(d.Name)
		t.Documents[i] = council.NewDocument(name, noteCuts(t, name, d.Text, further...))
		t.Documents[i].Note = d.Note
		for _, l := range d.Shows {
			l.File = cutSecrets(l.File)
			t.Documents[i].Shows = append(t.Documents[i].Shows, l)
		}
	}
	t.Reopens = council.EditTexts(t.Reopens, func(_ council.TextKind, text string) string {
		text, _ = secrets.Cut(text, further...)
		return text
	})
	for _, s := range t.Skipped {
		for i, f := range s.Files {
			s.Files[i].Name = cutSecrets(f.Name)
		}
	}
}

func cutSecrets(said string) string {
	said, _ = secrets.Cut(said)
	return said
}

func cutRecord(r *memory.Record) {
	r.Summary, r.Detail, r.SettledBy = cutSecrets(r.Summary), cutSecrets(r.Detail), cutSecrets(r.SettledBy)
	for i, name := range r.ClaimedBy {
		r.ClaimedBy[i] = cutSecrets(name)
	}
	for i, tag := range r.Tags {
		r.Tags[i] = cutSecrets(tag)
	}
	r.Evidence = slices.Clone(r.Evidence)
	for i := range r.Evidence {
		e := &r.Evidence[i]
		e.EventID, e.ArtifactPath, e.Note = cutSecrets(e.EventID), cutSecrets(e.ArtifactPath), cutSecrets(e.Note)
	}
}

func noteCuts(t *council.Topic, in, text string, further ...*regexp.Regexp) string {
	text, hidden := hostile.Expose(text)
	for _, h := range hidden {
		t.Hidden = append(t.Hidden, council.Cut{In: in, Kind: h.Kind, Count: h.N})
	}
	text, counts := secrets.Cut(text, further...)
	for _, c := range counts {
		t.Cut = append(t.Cut, council.Cut{In: in, Kind: c.Kind, Count: c.N})
	}
	return text
}

// cuts are what was cut from one text, or hidden in it, by kinds.
type cuts []council.Cut

// Sum returns how much there was, of a kind or "" of all.
func (c cuts) Sum(kind string) (n int) {
	for _, one := range c {
		if kind == "" || one.Kind == kind {
			n += one.Count
		}
	}
	return n
}

// cutWords lists what was cut and what was hidden, one sentence for the topic and one for each document.
func cutWords(t council.Topic) (told []string) {
	tell := func(page string, found cuts) {
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

// refuseSecrets refuses one that holds a secret: it would stand in the record, and before every member. The error wraps
// [council.ErrBadCharter] and says where, but not what.
func refuseSecrets(c council.Charter) error {
	doc, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(doc, &tree); err != nil {
		return err
	}
	if place, kind := findSecret("", tree); kind != "" {
		return fmt.Errorf("%w: %s holds a secret (%s), and would be shown to every member and kept in the record; take it "+
			"out, or name an environment variable",
			council.ErrBadCharter, strings.TrimPrefix(place, "."), kind)
	}
	return nil
}

// findSecret names the first place below which a secret stands.
func findSecret(place string, tree any) (where, kind string) {
	switch t := tree.(type) {
	case string:
		if found := secrets.Find(t); len(found) > 0 {
			return place, found[0].Kind
		}
	case []any:
		for i, part := range t {
			if where, kind = findSecret(fmt.Sprintf("%s[%d]", place, i), part); kind != "" {
				return where, kind
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			if where, kind = findSecret(place+"."+name, t[name]); kind != "" {
				return where, kind
			}
		}
	}
	return "", ""
}
