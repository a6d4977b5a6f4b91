package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/secrets"
	"github.com/council-engine/council/memory"
)

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
		for i, name := range s.Names {
			s.Names[i] = cutSecrets(name)
		}
	}
}

func cutSecrets(said string) string {
	said, _ = secrets.Cut(said)
	return said
}

func cutRecord(r *memory.Record) {
	r.Summary, r.Detail = cutSecrets(r.Summary), cutSecrets(r.Detail)
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

// cutWords lists what was cut and what was hidden, one sentence for the topic and one for each document.
func cutWords(t council.Topic) []string {
	return append(tellEach(t.Cut, func(n int, in, kinds string, _ int) string {
		return terminal.Sprintf("%s cut from %s: %s.", plural.Things(n, "secret was", "secrets were"), in, kinds)
	}), tellEach(t.Hidden, func(n int, in, kinds string, private int) string {
		what := terminal.Sprintf("%s in %s: %s.", plural.Things(n, "hidden character"), in, kinds)
		switch {
		case private == n:
			return what + " They mean what their author likes, and members are shown them."
		case private > 0:
			return what + " All but those for private use were taken out."
		}
		return what + " Members are shown the text without them."
	})...)
}

// tellEach describes what was found, text by text: how much of it, of which kinds, such as "aws-access-key (2),
// private-key (1)", and how much of that is for private use.
func tellEach(found []council.Cut, tell func(n int, in, kinds string, private int) string) []string {
	var told []string
	for len(found) > 0 {
		n, all, private := 0, 0, 0
		var kinds []string
		for ; n < len(found) && found[n].In == found[0].In; n++ {
			k := found[n]
			all += k.Count
			if k.Kind == hostile.PrivateUse {
				private += k.Count
			}
			kinds = append(kinds, fmt.Sprintf("%s (%s)", k.Kind, plural.Thousands(k.Count)))
		}
		told = append(told, tell(all, cmp.Or(found[0].In, "the topic"), strings.Join(kinds, ", "), private))
		found = found[n:]
	}
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
