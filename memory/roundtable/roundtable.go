// Package roundtable reads the record of roundtable, an engine of the same kind: its sessions as logs and its memory as
// records. A workspace that adopted a record keeps it unchanged in the folder [Folder].
//
// It is a package of its own because nothing else knows that engine's files; its format is in docs/operations.md.
package roundtable

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder"
)

// Folder is the folder of adopted files in a workspace.
const Folder = recorder.AdoptedFolder

// Credentials is the file in which roundtable keeps credentials. One of ours has the same name.
const Credentials = "credentials.json"

const maxFile = 64 << 20

// Record is the record of roundtable in a workspace.
type Record struct{ files atomicfile.Files }

// In calls do with the record that a workspace adopted, if there is one.
func In(workspace atomicfile.Files, do func(*Record) error) error {
	return atomicfile.WithinAny(workspace, Folder, func(files atomicfile.Files) error { return do(&Record{files}) })
}

// Found reports whether the folder of a record is one of roundtable, by its sessions, memory or credentials.
func Found(files atomicfile.Files) bool {
	if _, err := files.Lstat(Folder); err == nil {
		return true
	}
	if entries, err := folders(files, "sessions"); err == nil {
		for _, e := range entries {
			if _, err := files.Lstat("sessions/" + e.Name() + "/events.json"); err == nil &&
				strings.HasPrefix(e.Name(), "session_") {
				return true
			}
		}
	}
	var memory struct {
		Version string
		Global  []json.RawMessage `json:"globalDecisions"`
	}
	var keys struct {
		Entries map[string]json.RawMessage `json:"entries"`
	}
	return read(files, "memory/COUNCIL.json", &memory) == nil && memory.Version != "" && memory.Global != nil ||
		read(files, Credentials, &keys) == nil && keys.Entries != nil
}

// Move moves all files in the folder of a record, except those for which keep is true, into [Folder] within it, and
// syncs it. After a kill the same call continues. Credentials are hidden from version control and other users first.
func Move(files atomicfile.Files, keep func(name string) bool) error {
	entries, err := files.List()
	if err != nil {
		return err
	}
	folder, err := atomicfile.OpenFolder(files, Folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := atomicfile.Write(folder, ".gitignore", []byte("/"+Credentials+"\n")); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == Folder || keep(e.Name()) {
			continue
		}
		if err := files.Rename(e.Name(), Folder+"/"+e.Name()); err != nil {
			return err
		}
	}
	return errors.Join(folder.Sync(), files.Sync())
}

func folders(files atomicfile.Files, name string) ([]fs.DirEntry, error) {
	entries, err := atomicfile.ListFolder(files, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() }), err
}

func read(files atomicfile.Files, name string, into any) error {
	text, err := readBounded(files, name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s/%s: %w", files.Path(), name, atomicfile.Explain(err))
	}
	return err
}

func readBounded(files atomicfile.Files, name string) ([]byte, error) {
	if info, err := files.Lstat(name); err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	return atomicfile.Read(files, name)
}

// Book has the records of the council or one member, converted to ours.
type Book struct {
	Member  council.MemberID // empty for the council's
	Records []memory.Record
	Fresh   map[string]bool // the ids of those that had not faded there
}

// fade is the number of sessions after which a record faded there.
const fade = 25

// book is a book of roundtable: the council's has its records in three lists, a member's in one.
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

// record is a record of roundtable: as ours, but for a few fields.
type record struct {
	memory.Record
	Importance float64 `json:"importance"`
	CreatedAt  moment  `json:"createdAt"`
	UpdatedAt  moment  `json:"updatedAt"`
	ExpiresAt  moment  `json:"expiresAt"`
	ResolvedAt moment  `json:"resolvedAt"`
	Evidence   []struct {
		SessionID    string `json:"sessionId"`
		EventType    string `json:"eventType"`
		ArtifactPath string `json:"artifactPath"`
		Note         string `json:"note"`
	} `json:"evidence"`
}

// moment is a time; zero for an invalid one, so that the rest is not lost.
type moment struct{ time.Time }

// UnmarshalJSON never fails.
func (m *moment) UnmarshalJSON(text []byte) error {
	if at, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(text)); err == nil {
		m.Time = memory.Precise(at)
	}
	return nil
}

// Books returns all books, the council's first, and errors for records that cannot be converted. Members' copies of the
// council's decisions are left out. The evidence gets the ids of the given sessions.
func (r *Record) Books(sessions []Session) (all []Book, unread []error) {
	named := map[string]council.SessionID{}
	for _, s := range sessions {
		named[s.Old] = s.ID
	}
	decided := map[string]bool{}
	members := []council.MemberID{""}
	entries, err := folders(r.files, "memory")
	if err != nil {
		unread = append(unread, err)
	}
	for _, e := range entries {
		if id := council.MemberID(e.Name()); id.Valid() {
			members = append(members, id)
		} else {
			unread = append(unread, fmt.Errorf("memory/%s: it is not the id of a member here", id))
		}
	}
	for _, m := range members {
		b, failed := r.book(m, named, decided)
		unread = append(unread, failed...)
		if len(b.Records) > 0 {
			all = append(all, b)
		}
	}
	return all, unread
}

// book reads one book; an empty one where the file is missing.
func (r *Record) book(member council.MemberID, named map[string]council.SessionID,
	decided map[string]bool) (b Book, unread []error) {
	name := path.Join("memory", string(member), memory.Stem(member)+".json")
	var held book
	if err := read(r.files, name, &held); err != nil {
		return b, slices.DeleteFunc([]error{err}, func(err error) bool { return errors.Is(err, fs.ErrNotExist) })
	}
	b.Member, b.Fresh = member, map[string]bool{}
	recent := append(held.Sessions, held.Recent...) // the newest first
	recent = recent[:min(len(recent), fade)]
	for i, text := range slices.Concat(held.Decisions, held.Lessons, held.Records) {
		var old record
		err := json.Unmarshal(text, &old)
		if err == nil && member != "" && decided[old.ID] {
			continue
		}
		var made memory.Record
		if err == nil {
			made, err = old.convert(member, named)
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: record %d: %w", name, i+1, err))
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
	return b, unread
}

// convert converts a record. Long texts are cut; a record without a date or words is refused.
func (o record) convert(member council.MemberID, named map[string]council.SessionID) (memory.Record, error) {
	line := func(text string, most int) string { return hostile.Shorten(hostile.Line(text), most) }
	r := o.Record
	r.ID, r.Tags, r.Supersedes = newRecordID(member, o.ID), []string{}, []string{}
	r.Summary, r.Detail = line(o.Summary, memory.MaxSummary), line(o.Detail, memory.MaxDetail)
	r.Confidence, r.Importance = min(max(o.Confidence, 0), 1), int(min(max(o.Importance, 1), 5))
	r.CreatedAt, r.UpdatedAt = o.CreatedAt.Time, o.UpdatedAt.Time
	if r.UpdatedAt.Before(r.CreatedAt) {
		r.UpdatedAt = r.CreatedAt
	}
	if !o.ExpiresAt.IsZero() {
		r.ExpiresAt = &o.ExpiresAt.Time
	}
	if r.Status == memory.StatusResolved {
		r.ResolvedAt = new(cmp.Or(o.ResolvedAt.Time, r.UpdatedAt))
	}
	for _, tag := range o.Tags {
		if tag = line(tag, 40); tag != "" {
			r.Tags = append(r.Tags, tag)
		}
	}
	slices.Sort(r.Tags)
	r.Tags = slices.Compact(r.Tags)
	for _, id := range o.Supersedes {
		if id = newRecordID(member, id); id != r.ID && !slices.Contains(r.Supersedes, id) {
			r.Supersedes = append(r.Supersedes, id)
		}
	}
	for _, e := range o.Evidence {
		note := strings.Join(slices.DeleteFunc([]string{"roundtable " + e.SessionID, e.EventType, e.Note},
			func(s string) bool { return s == "" }), ", ")
		// A missing session keeps its name: evidence without one is a person's word.
		session := cmp.Or(named[e.SessionID], council.SessionID(line(e.SessionID, 96)), Folder)
		of := memory.Evidence{SessionID: session, Note: line(note, memory.MaxSummary)}
		if e.ArtifactPath != "" {
			of.ArtifactPath = line(path.Join(Folder, "sessions", e.SessionID, e.ArtifactPath), memory.MaxSummary)
		}
		r.Evidence = memory.WithEvidence(r.Evidence, of)
	}
	if len(r.Evidence) == 0 {
		r.Evidence = []memory.Evidence{{SessionID: Folder, Note: Folder}}
	}
	return r, memory.CheckRecord(r)
}

func newRecordID(member council.MemberID, old string) string {
	return memory.NewID("roundtable", string(member), old)
}
