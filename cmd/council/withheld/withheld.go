// Package withheld keeps secrets that a person hands over by mistake from the council, its record and its providers.
package withheld

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/secrets"
	"github.com/council-engine/council/memory"
)

// Topic cuts secrets out of a topic, its documents and their names, and notes in it what was cut.
func Topic(t *council.Topic) {
	t.Text = note(t, "", t.Text)
	for i, d := range t.Documents {
		name := Said(d.Name)
		t.Documents[i] = council.NewDocument(name, note(t, name, d.Text))
		for _, l := range d.Shows {
			l.File = Said(l.File)
			t.Documents[i].Shows = append(t.Documents[i].Shows, l)
		}
	}
	for _, s := range t.Skipped {
		for i, name := range s.Names {
			s.Names[i] = Said(name)
		}
	}
}

// Said is what a person said, without secrets.
func Said(said string) string {
	said, _ = secrets.Cut(said)
	return said
}

// Record cuts secrets out of a record of memory.
func Record(r *memory.Record) {
	r.Summary, r.Detail = Said(r.Summary), Said(r.Detail)
	for i, tag := range r.Tags {
		r.Tags[i] = Said(tag)
	}
}

func note(t *council.Topic, in, text string) string {
	text, counts := secrets.Cut(text)
	for _, c := range counts {
		t.Cut = append(t.Cut, council.Cut{In: in, Kind: c.Kind, Count: c.N})
	}
	return text
}

// Words tells what was cut, in one sentence for the topic and for each document.
func Words(cuts []council.Cut) []string {
	var told []string
	for len(cuts) > 0 {
		n := 1
		for n < len(cuts) && cuts[n].In == cuts[0].In {
			n++
		}
		var counts []secrets.Count
		all := 0
		for _, c := range cuts[:n] {
			counts = append(counts, secrets.Count{Kind: c.Kind, N: c.Count})
			all += c.Count
		}
		from := cuts[0].In
		if from == "" {
			from = "the topic"
		}
		was := "1 secret was"
		if all > 1 {
			was = fmt.Sprintf("%d secrets were", all)
		}
		told = append(told, terminal.Sprintf("%s cut from %s: %s.", was, from, secrets.Words(counts)))
		cuts = cuts[n:]
	}
	return told
}

// Charter refuses one that holds a secret: it would stand in the record, and before every member. The error wraps
// [council.ErrBadCharter] and says where, but not what.
func Charter(c council.Charter) error {
	doc, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(doc, &tree); err != nil {
		return err
	}
	if place, kind := find("", tree); kind != "" {
		return fmt.Errorf("%w: %s holds a secret (%s), and would be shown to every member and kept in the record; take it out, or name an environment variable",
			council.ErrBadCharter, strings.TrimPrefix(place, "."), kind)
	}
	return nil
}

// find names the first place below which a secret stands.
func find(place string, tree any) (where, kind string) {
	switch t := tree.(type) {
	case string:
		if found := secrets.Find(t); len(found) > 0 {
			return place, found[0].Kind
		}
	case []any:
		for i, part := range t {
			if where, kind = find(fmt.Sprintf("%s[%d]", place, i), part); kind != "" {
				return where, kind
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			if where, kind = find(place+"."+name, t[name]); kind != "" {
				return where, kind
			}
		}
	}
	return "", ""
}
