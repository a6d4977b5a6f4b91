package roundtable

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
)

// Book is what the council or one member remembers there, as records of ours with their dates.
type Book struct {
	Member  council.MemberID // empty for the council's
	Records []memory.Record
	Fresh   map[string]bool // by their ids: those of the sessions that had not faded there, so that members were told them
}

// fade is how many sessions a record outlives its evidence there.
const fade = 25

// owner is what ids of members are made of here.
var owner = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// book is a book as roundtable writes it: the council's has its records in two lists, a member's in one.
type book struct {
	Decisions []json.RawMessage `json:"globalDecisions"`
	Lessons   []json.RawMessage `json:"crossAgentLessons"`
	Records   []json.RawMessage `json:"records"`
	Sessions  []digest          `json:"sessions"`
	Recent    []digest          `json:"recentSessions"`
}

type digest struct {
	SessionID string `json:"sessionId"`
}

// record is a record as roundtable writes it. Times are texts, because one that is not a time must not lose the rest.
type record struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	Status     string   `json:"status"`
	Summary    string   `json:"summary"`
	Detail     string   `json:"detail"`
	Tags       []string `json:"tags"`
	Confidence float64  `json:"confidence"`
	Importance float64  `json:"importance"`
	CreatedAt  string   `json:"createdAt"`
	UpdatedAt  string   `json:"updatedAt"`
	ExpiresAt  string   `json:"expiresAt"`
	ResolvedAt string   `json:"resolvedAt"`
	Supersedes []string `json:"supersedes"`
	Evidence   []struct {
		SessionID    string `json:"sessionId"`
		EventType    string `json:"eventType"`
		ArtifactPath string `json:"artifactPath"`
		Note         string `json:"note"`
	} `json:"evidence"`
}

// Books returns what is remembered, the council's book first, and what of it cannot be taken over and why. Members'
// copies of the council's decisions are left out. sessions give evidence the names that sessions have here.
func (r *Record) Books(sessions []Session) (all []Book, unread []error) {
	named := map[string]council.SessionID{}
	for _, s := range sessions {
		named[s.Old] = s.ID
	}
	decided := map[string]bool{}
	read := func(member council.MemberID, name string) {
		b, err := r.book(member, name, named, decided)
		if !errors.Is(err, fs.ErrNotExist) {
			unread = append(unread, b.unread...)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			unread = append(unread, err)
		}
		if len(b.Records) > 0 {
			all = append(all, b.Book)
		}
	}
	read("", "memory/COUNCIL.json")
	entries, err := folders(r.files, "memory")
	if err != nil {
		unread = append(unread, err)
	}
	for _, e := range entries {
		if !owner.MatchString(e.Name()) {
			unread = append(unread, fmt.Errorf("memory/%s: it is not the id of a member here", e.Name()))
			continue
		}
		read(council.MemberID(e.Name()), path.Join("memory", e.Name(), "MEMORY.json"))
	}
	return all, unread
}

type readBook struct {
	Book
	unread []error
}

func (r *Record) book(member council.MemberID, name string, named map[string]council.SessionID,
	decided map[string]bool) (b readBook, err error) {
	var held book
	if err := read(r.files, name, &held); err != nil {
		return b, err
	}
	b.Member, b.Fresh = member, map[string]bool{}
	recent := append(held.Sessions, held.Recent...) // the newest first
	if len(recent) > fade {
		recent = recent[:fade]
	}
	for i, text := range slices.Concat(held.Decisions, held.Lessons, held.Records) {
		var old record
		err := json.Unmarshal(text, &old)
		if err == nil && member != "" && decided[old.ID] {
			continue
		}
		var made memory.Record
		if err == nil {
			made, err = old.here(member, named)
		}
		if err != nil {
			b.unread = append(b.unread, fmt.Errorf("%s: record %d: %w", name, i+1, err))
			continue
		}
		decided[old.ID] = decided[old.ID] || member == ""
		if slices.ContainsFunc(b.Records, func(r memory.Record) bool { return r.ID == made.ID }) {
			continue
		}
		b.Records = append(b.Records, made)
		for _, e := range old.Evidence {
			if slices.Contains(recent, digest{e.SessionID}) {
				b.Fresh[made.ID] = true
			}
		}
	}
	return b, nil
}

// here makes a record of ours. What is too long is cut; what has no date or no words cannot be one.
func (o record) here(member council.MemberID, named map[string]council.SessionID) (memory.Record, error) {
	r := memory.Record{
		ID: identity(member, o.ID), Kind: memory.Kind(o.Kind), Status: memory.Status(o.Status),
		Summary: hostile.Shorten(hostile.Line(o.Summary), memory.MaxSummary),
		Detail:  hostile.Shorten(hostile.Line(o.Detail), memory.MaxDetail), Tags: []string{}, Supersedes: []string{},
		Confidence: min(max(o.Confidence, 0), 1), Importance: int(min(max(o.Importance, 1), 5)),
		CreatedAt: moment(o.CreatedAt), UpdatedAt: moment(o.UpdatedAt),
	}
	if r.UpdatedAt.Before(r.CreatedAt) {
		r.UpdatedAt = r.CreatedAt
	}
	if expires := moment(o.ExpiresAt); !expires.IsZero() {
		r.ExpiresAt = &expires
	}
	if r.Status == memory.StatusResolved {
		resolved := moment(o.ResolvedAt)
		if resolved.IsZero() {
			resolved = r.UpdatedAt
		}
		r.ResolvedAt = &resolved
	}
	for _, tag := range o.Tags {
		if tag = hostile.Shorten(hostile.Line(tag), 40); tag != "" {
			r.Tags = append(r.Tags, tag)
		}
	}
	slices.Sort(r.Tags)
	r.Tags = slices.Compact(r.Tags)
	for _, id := range o.Supersedes {
		if id = identity(member, id); id != r.ID && !slices.Contains(r.Supersedes, id) {
			r.Supersedes = append(r.Supersedes, id)
		}
	}
	for _, e := range o.Evidence {
		note := strings.Join(slices.DeleteFunc([]string{"roundtable " + e.SessionID, e.EventType, e.Note},
			func(s string) bool { return s == "" }), ", ")
		// A session that is not there has a name all the same: without one, evidence is a person's word.
		session := cmp.Or(named[e.SessionID], council.SessionID(hostile.Shorten(hostile.Line(e.SessionID), 96)), Folder)
		of := memory.Evidence{SessionID: session, Note: hostile.Shorten(hostile.Line(note), memory.MaxSummary)}
		if e.ArtifactPath != "" {
			of.ArtifactPath = hostile.Shorten(hostile.Line(path.Join(Folder, "sessions", e.SessionID, e.ArtifactPath)),
				memory.MaxSummary)
		}
		r.Evidence = memory.WithEvidence(r.Evidence, of)
	}
	if len(r.Evidence) == 0 {
		r.Evidence = []memory.Evidence{{SessionID: Folder, Note: Folder}}
	}
	return r, memory.CheckRecord(r)
}

// identity returns the id that a record of a book has here.
func identity(member council.MemberID, old string) string {
	return memory.NewID("roundtable", string(member), old)
}

// moment reads a time; zero for what is none.
func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Millisecond)
}
