package session

import (
	"context"
	"errors"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/workspace/site"
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
	kept := council.Skipped{Reason: "the policy keeps it from members", Notes: true}
	for _, n := range notes {
		err := site.MayRead(lawful, "", &council.Topic{Documents: []council.Document{n}})
		switch {
		case errors.As(err, new(*policy.RefusedError)):
			kept.Add(council.LeftFile{Name: n.Name})
		case err != nil:
			return err
		case !slices.ContainsFunc(t.Documents, func(d council.Document) bool { return d.Name == n.Name }):
			may = append(may, n)
		}
	}
	if kept.Count > 0 {
		left = append(left, kept)
	}
	own := council.Topic{Documents: may}
	site.CutTopic(&own, lawful.Redactions()...)
	told, untold := memory.TellNotes(t.Text, own.Documents)
	isUntold := func(c council.Cut) bool {
		return !slices.ContainsFunc(told, func(d council.Document) bool { return d.Name == c.In })
	}
	t.Cut = append(t.Cut, slices.DeleteFunc(own.Cut, isUntold)...)
	t.Hidden = append(t.Hidden, slices.DeleteFunc(own.Hidden, isUntold)...)
	t.Documents = append(t.Documents, told...)
	t.Skipped = append(append(t.Skipped, left...), untold...)
	t.Skipped = t.Skipped[:min(len(t.Skipped), maxLeftOut)]
	return nil
}
