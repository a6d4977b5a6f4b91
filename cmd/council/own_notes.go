package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/index"
)

// maxLeftOut is how many reasons for leaving something out a topic may list.
const maxLeftOut = 20

// giveNotes adds to the topic what a session is told of the notes that a person keeps in the folder of memory, with
// secrets cut. What the policy keeps from members is left out, not refused: nobody named it for this session.
func giveNotes(ctx context.Context, t *council.Topic, dir string, lawful *policy.Policy) error {
	notes, left, err := documents.Notes(ctx, dir)
	if err != nil {
		return err
	}
	var may []council.Document
	kept := council.Skipped{Reason: "the policy keeps it from members"}
	for _, n := range notes {
		err := mayRead(lawful, "", &council.Topic{Documents: []council.Document{n}})
		switch {
		case errors.As(err, new(*policy.RefusedError)):
			kept.Count++
			kept.Names = append(kept.Names, n.Name)
		case err != nil:
			return err
		case !slices.ContainsFunc(t.Documents, func(d council.Document) bool { return d.Name == n.Name }):
			may = append(may, n)
		}
	}
	if kept.Count > 0 {
		kept.Names = kept.Names[:min(len(kept.Names), maxLeftOut)]
		left = append(left, kept)
	}
	own := council.Topic{Documents: may}
	cutTopic(&own, lawful.Redactions()...)
	told, untold := memory.TellNotes(t.Text, own.Documents)
	isTold := func(c council.Cut) bool {
		return slices.ContainsFunc(told, func(d council.Document) bool { return d.Name == c.In })
	}
	for _, c := range own.Cut {
		if isTold(c) {
			t.Cut = append(t.Cut, c)
		}
	}
	for _, c := range own.Hidden {
		if isTold(c) {
			t.Hidden = append(t.Hidden, c)
		}
	}
	t.Documents = append(t.Documents, told...)
	t.Skipped = append(append(t.Skipped, left...), untold...)
	t.Skipped = t.Skipped[:min(len(t.Skipped), maxLeftOut)]
	return nil
}

// recallNotes adds to what was found the notes of a person that a query finds: where they have all words, before what
// has only some. They are read as they are now, and indexed for this search alone, because they change without council.
func (a *app) recallNotes(ctx context.Context, root string, q index.Query, found *index.Found) error {
	dir, err := a.memoryDir(root, "")
	if err != nil {
		return err
	}
	notes, _, err := documents.Notes(ctx, dir)
	if err != nil || len(notes) == 0 {
		return err
	}
	var docs []index.Doc
	for _, n := range notes {
		id := filepath.Base(n.Name)
		if folder := filepath.Base(filepath.Dir(n.Name)); folder == "items" || folder == "daily" && id != "MEMORY.md" {
			id = folder + "/" + id
		}
		d := index.Doc{ID: id, Kind: index.KindNote, Name: n.Name, Text: cutSecrets(n.Text)}
		if info, err := os.Stat(n.Name); err == nil {
			d.At = info.ModTime()
		}
		if day, err := time.Parse("2006-01-02.md", filepath.Base(n.Name)); err == nil {
			d.At = day
		}
		docs = append(docs, d)
	}
	ix, err := index.OpenCopy(ctx, "")
	if err != nil {
		return err
	}
	err = ix.Put(ctx, docs...)
	var own index.Found
	if err == nil {
		own, err = ix.Search(ctx, q)
	}
	if err = errors.Join(err, ix.Close()); err != nil {
		return err
	}
	if len(found.Asked) == 0 {
		found.Asked = own.Asked
	}
	found.Nowhere = slices.DeleteFunc(found.Nowhere, func(word string) bool { return !slices.Contains(own.Nowhere, word) })
	found.Hits = append(found.Hits, own.Hits...)
	slices.SortStableFunc(found.Hits, func(a, b index.Hit) int {
		partly := map[bool]int{true: 1}
		return partly[a.Match == index.MatchSome] - partly[b.Match == index.MatchSome]
	})
	found.Hits = found.Hits[:min(len(found.Hits), q.Limit)]
	return nil
}
