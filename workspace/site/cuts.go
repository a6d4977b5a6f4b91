package site

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/secrets"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder"
)

// CutTopic removes secrets and matches of further expressions from a topic, its documents and their names, removes
// hidden characters from its texts, and notes the cuts in it.
func CutTopic(t *council.Topic, further ...*regexp.Regexp) {
	t.Text = hostile.Clean(NoteCuts(t, "", t.Text, further...))
	for i, d := range t.Documents {
		name := CutSecrets(d.Name)
		t.Documents[i] = council.NewDocument(name, NoteCuts(t, name, d.Text, further...))
		t.Documents[i].Note = d.Note
		for _, l := range d.Shows {
			l.File = CutSecrets(l.File)
			t.Documents[i].Shows = append(t.Documents[i].Shows, l)
		}
	}
	t.Reopens = council.EditTexts(t.Reopens, func(_ council.TextKind, text string) string {
		text, _ = secrets.Cut(text, further...)
		return text
	})
	for _, s := range t.Skipped {
		for i, f := range s.Files {
			s.Files[i].Name = CutSecrets(f.Name)
		}
	}
}

// CutSecrets replaces the secrets in a text.
func CutSecrets(said string) string {
	said, _ = secrets.Cut(said)
	return said
}

// CutRecord removes secrets from the texts of a record.
func CutRecord(r *memory.Record) {
	r.Summary, r.Detail, r.SettledBy = CutSecrets(r.Summary), CutSecrets(r.Detail), CutSecrets(r.SettledBy)
	r.ClaimedBy = council.Map(r.ClaimedBy, CutSecrets)
	for i, tag := range r.Tags {
		r.Tags[i] = CutSecrets(tag)
	}
	r.Evidence = slices.Clone(r.Evidence)
	for i := range r.Evidence {
		e := &r.Evidence[i]
		e.EventID, e.ArtifactPath, e.Note = CutSecrets(e.EventID), CutSecrets(e.ArtifactPath), CutSecrets(e.Note)
	}
}

// NoteCuts returns a text without secrets, further matches and hidden characters, and notes their counts in the topic.
func NoteCuts(t *council.Topic, in, text string, further ...*regexp.Regexp) string {
	text, hidden := hostile.Expose(text)
	t.Hidden = append(t.Hidden, council.CutsIn(in, hidden)...)
	text, counts := secrets.Cut(text, further...)
	t.Cut = append(t.Cut, council.CutsIn(in, counts)...)
	return text
}

// Cuts counts the secrets and hidden characters removed from one text, by kind.
type Cuts []council.Cut

// Sum returns the count of a kind, or of all kinds for "".
func (c Cuts) Sum(kind string) (n int) {
	for _, one := range c {
		if kind == "" || one.Kind == kind {
			n += one.Count
		}
	}
	return n
}

// RefuseSecrets refuses a charter that holds a secret, since the record and every member would see it. The error
// wraps [council.ErrBadCharter] and names the place, not the secret.
func RefuseSecrets(c council.Charter) error {
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
			"out, or name an environment variable", council.ErrBadCharter, strings.TrimPrefix(place, "."), kind)
	}
	return nil
}

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
	case strings.TrimSpace(hostile.Clean(text)) == "":
		return "", Refuse("the topic is empty", `Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	return text, nil
}

// ComposeNote returns a person's note as members read it, and the cuts made in it. An invalid length is a usage error.
func ComposeNote(w *World, root *recorder.Root, what, text string, most int) (_ string, cut council.Topic, err error) {
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
