package memories

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Put makes the change of one record that verb names, with the person's reason in its evidence, and returns the record
// as it is kept. A record without an id is new. more are changed with it.
func Put(world *site.World, ctx context.Context, w *curator.Curator, verb string, member council.MemberID, why string,
	r memory.Record, more ...memory.Record) (memory.Record, error) {
	if n := utf8.RuneCountInString(why); n > maxBecause {
		return r, site.Refuse(fmt.Sprintf("--because has %d characters, and at most %d are kept", n, maxBecause),
			"Nothing was changed.")
	}
	b, err := w.Store.Book(member)
	if err != nil {
		return r, err
	}
	now, added := memory.Precise(world.Now()), r.ID == ""
	if added {
		r.ID, r.CreatedAt = memory.NewID(string(member), now.Format(time.RFC3339Nano), site.CutSecrets(r.Summary)), now
	}
	sign(world, b, &r, verb, site.CutSecrets(why), now)
	if added && (r.Kind == memory.KindConstraint || r.Kind == memory.KindPreference) {
		r.Evidence[len(r.Evidence)-1].SessionID = "" // a person's rule belongs to no session
	}
	for i := range more {
		more[i].UpdatedAt = now
	}
	c := memory.Change{By: world.User().Name(), Verb: verb, Member: member, Put: append(more, r)}
	if err := Change(world, ctx, w, c, now); err != nil {
		return r, err
	}
	if held, _ := w.Store.Record(r.ID); held.ID == r.ID { // it may have expired
		r = held.Record
	}
	return r, nil
}

// sign cuts secrets out of a record, and adds a person's change at the given time to its evidence.
func sign(world *site.World, b memory.Book, r *memory.Record, verb, why string, at time.Time) {
	site.CutRecord(r)
	r.UpdatedAt = at
	r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(b, world.User().Name(), verb, why))
}

// Edit changes a record, and gives it a status unless that is "". A summary or a kind that changes is the person's
// word, not that of its claimants. A record that a person makes active again is superseded by no other.
func Edit(world *site.World, ctx context.Context, w *curator.Curator, held store.StoredRecord, status,
	because string, change func(*memory.Record) error) (memory.Record, error) {
	r, now := held.Record, memory.Precise(world.Now())
	if err := change(&r); err != nil {
		return r, err
	}
	if r.Kind != held.Kind || r.Summary != held.Summary {
		r.ClaimedBy, r.SettledBy = nil, ""
	}
	if status != "" {
		if err := site.KnownWord("status", status, memory.Statuses()); err != nil {
			return r, err
		}
	}
	var freed []memory.Record
	switch to := memory.Status(status); {
	case to == memory.StatusSuperseded && held.Status != to:
		return r, site.Refuse("superseded says that another record stands in the place of "+r.ID,
			"Name it: council memory edit "+r.ID+" --by RECORD")
	case to == memory.StatusActive && r.HasExpired(now):
		return r, site.Refuse(r.ID+" held until "+r.ExpiresAt.UTC().Format(time.DateOnly),
			"Say how long it holds now, with --expires: a day to come, or none.")
	case to != "" && to != held.Status:
		r.SetStatus(to, now)
		if held.Status != memory.StatusSuperseded {
			break
		}
		var err error
		if freed, err = heirs(w, held); err != nil {
			return r, err
		}
		for i, f := range freed {
			freed[i].Supersedes = slices.DeleteFunc(slices.Clone(f.Supersedes), func(id string) bool { return id == r.ID })
		}
	}
	return Put(world, ctx, w, "edit", held.Member, because, r, freed...)
}

// Resolve gives a record the status resolved, for a reason.
func Resolve(world *site.World, ctx context.Context, w *curator.Curator, held store.StoredRecord,
	because string) (memory.Record, error) {
	r := held.Record
	if r.Status == memory.StatusSuperseded {
		return r, site.Refuse(r.ID+" is superseded, so nobody is told it",
			"Nothing was changed. council memory list shows what stands in its place.")
	}
	r.SetStatus(memory.StatusResolved, memory.Precise(world.Now()))
	return Put(world, ctx, w, "resolve", held.Member, because, r)
}

// Supersede puts another record in the place of a record: a new one with a summary, or the one that by names.
func Supersede(world *site.World, ctx context.Context, w *curator.Curator, old store.StoredRecord, summary, by,
	because string) (memory.Record, error) {
	if old.Status == memory.StatusSuperseded {
		in, err := heirs(w, old)
		if err != nil {
			return old.Record, err
		}
		hint := "Nothing was changed."
		if len(in) > 0 {
			hint = "In its place stands " + in[0].ID + "; supersede that one."
		}
		return old.Record, site.Refuse(old.ID+" is superseded already", hint)
	}
	if by != "" {
		r, err := heir(w, old, by)
		if err != nil {
			return r, err
		}
		return Put(world, ctx, w, "supersede", old.Member, because, r)
	}
	r := old.Record
	r.ID, r.Summary, r.Detail, r.Evidence = "", hostile.Line(summary), "", nil
	if r.Summary == "" {
		return r, site.Refuse("the summary is empty", "Say in one line what is to be remembered.")
	}
	r.ClaimedBy, r.SettledBy = nil, ""
	r.Supersedes = []string{old.ID}
	r.SetStatus(memory.StatusActive, time.Time{})
	return Put(world, ctx, w, "supersede", old.Member, because, r)
}

// Accept takes in the edits that people made in the files of memory, unless it is dry, and calls tell with the records
// of each edit. It changes nothing while one of them, or a book, cannot be read.
func Accept(world *site.World, ctx context.Context, w *curator.Curator, dry bool, tell func([]memory.Record)) error {
	report, err := w.Store.Recover()
	for _, left := range report.Left {
		err = errors.Join(err, left.Err)
	}
	for _, e := range report.Edits {
		err = errors.Join(err, e.Err)
	}
	for _, e := range report.Edits {
		if err != nil {
			break
		}
		now := memory.Precise(world.Now())
		change := memory.Change{By: world.User().Name(), Verb: "accept", Member: e.Member}
		var b memory.Book
		if b, err = w.Store.Book(e.Member); err != nil {
			break
		}
		for _, one := range e.Corrections {
			r, verb := one.After, "accept"
			if one.Removed {
				verb = "remove"
			}
			sign(world, b, &r, verb, "", now)
			change.Put, change.Before = append(change.Put, r), append(change.Before, one.Before)
		}
		if tell(change.Put); !dry {
			err = Change(world, ctx, w, change, now, e)
		}
	}
	return err
}

// Held returns a record by its id or the beginning of it, whatever else cannot be read.
func Held(w *curator.Curator, id string) (store.StoredRecord, error) {
	held, err := w.Store.Record(id)
	if held.ID != "" {
		err = nil
	}
	return held, err
}

// KnownMember refuses a member that neither has a book nor sits on the council: a record in the book of a mistyped name
// would never be used.
func KnownMember(world *site.World, w *curator.Curator, m council.MemberID) error {
	b, err := w.Store.Book(m)
	if err != nil || m == "" || b.Step > 0 {
		return err
	}
	read, err := seat.ReadCharter(world, seat.Choice{})
	if err != nil || read.Charter.Member(m) != nil {
		return err
	}
	return NoSuchMember(&read.Charter, string(m),
		"council for what all are told; and any other member has a book when its first session has closed.")
}

// heir returns the record that by names as the one that supersedes old, or refuses it.
func heir(w *curator.Curator, old store.StoredRecord, by string) (memory.Record, error) {
	held, err := Held(w, by)
	r := held.Record
	switch {
	case err != nil:
	case held.Member != old.Member:
		err = site.Refuse(r.ID+" and "+old.ID+" stand in different books",
			"A record can only take the place of one in its own book.")
	case r.ID == old.ID:
		err = site.Refuse("a record cannot take its own place", "Nothing was changed.")
	case r.Status != memory.StatusActive:
		err = site.Refuse(fmt.Sprintf("%s is %s, so it cannot stand in the place of another", r.ID, r.Status),
			"First, if it holds: council memory edit "+r.ID+" --status active")
	case r.Rehearsed && !old.Rehearsed:
		err = site.Refuse(r.ID+" was rehearsed, so a council with models would be told neither",
			"Say it yourself: council memory edit "+old.ID+" --supersede SUMMARY")
	case !slices.Contains(r.Supersedes, old.ID):
		r.Supersedes = append(slices.Clone(r.Supersedes), old.ID)
	}
	return r, err
}

// heirs returns the records that supersede another.
func heirs(w *curator.Curator, held store.StoredRecord) (all []memory.Record, err error) {
	all, failed := w.Store.All(held.Member)
	if len(failed) > 0 {
		return nil, failed[0]
	}
	return slices.DeleteFunc(all, func(r memory.Record) bool { return !slices.Contains(r.Supersedes, held.ID) }), nil
}

// Forget enters a plan of forgetting in the ledger and carries it out. It refuses while a file of memory is edited. A
// part that fails is finished by the next command that writes.
func Forget(world *site.World, ctx context.Context, w *curator.Curator,
	o curator.ForgetPlan) (done curator.ForgetResult, err error) {
	if now, err := w.Store.Recover(); err != nil || len(now.Edits) > 0 {
		return done, cmp.Or(err, site.Refuse("a file of memory was edited, and forget writes every file anew",
			"Nothing was changed. First: council memory accept, or council memory accept --discard."))
	}
	if err := site.EnterForgetting(world, w.Root, o); err != nil {
		return done, err
	}
	done, err = w.Forget(ctx, o, world.User().Name(), world.Clock())
	world.NoticeReport(done.Memory)
	if err != nil {
		return done, fmt.Errorf("not everything is forgotten yet: %w; the next command goes on with it", err)
	}
	for id, events := range o.Losing {
		if slices.Contains(events, 1) {
			err = errors.Join(err, live.Forget(w.Root, id))
		}
	}
	return done, err
}
