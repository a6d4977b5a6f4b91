package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// Owned is the book of the council or of a member.
type Owned struct {
	memory.Book       // of an unreadable one only the Member
	Err         error // [ErrDamaged], [ErrNewer] or [ErrUnreadable]
}

// Book returns the book of a member, or the council's when the id is empty; a fresh one when there is none.
// [ErrDamaged], [ErrNewer], [ErrUnreadable], [ErrNoMember].
func (s *Store) Book(member council.MemberID) (memory.Book, error) {
	o, err := ownerOf(member)
	if err != nil {
		return memory.Book{}, err
	}
	v, err := inFolder(s, func(files atomicfile.Files) (diskBook, error) { return s.read(files, o) })
	if err == nil && v.book.Format == 0 { // there is no folder
		v = absentBook(o)
	}
	return v.book, err
}

// Books returns all books, the council's first and then by member, unreadable ones with an error.
func (s *Store) Books() ([]Owned, error) { return inFolder(s, s.readOwned) }

func (s *Store) readOwned(files atomicfile.Files) (all []Owned, err error) {
	found, err := listOwners(files)
	if err != nil {
		return nil, unreadable(s.dir, err)
	}
	for _, o := range found {
		v, err := s.read(files, o)
		v.book.Member = council.MemberID(o) // also of one that cannot be read
		all = append(all, Owned{v.book, err})
	}
	return all, nil
}

// StoredRecord is a record with its place. An archive is a [chain.Array] of them, one a line.
type StoredRecord struct {
	Step int    `json:"step"`           // of an archive: the step of the journal at which it left its book
	Root string `json:"root,omitempty"` // of an archive: that of its book
	memory.Record
	Member council.MemberID `json:"-"` // the owner of the book or archive; empty for the council
	Year   int              `json:"-"` // of the archive; 0 in the book
}

func (h StoredRecord) record() memory.Record { return h.Record }

// Record finds the newest version of a record by the beginning of its id, in any book or archive. [ErrNoRecord], an
// [*AmbiguousError]. With a record that was found the error names files that could not be searched.
func (s *Store) Record(prefix string) (StoredRecord, error) {
	found := map[string]StoredRecord{}
	unsearched, err := inFolder(s, func(files atomicfile.Files) (unsearched []error, err error) {
		all, err := listOwners(files)
		for _, o := range slices.Backward(all) {
			held, failed := s.heldRecords(files, o, prefix)
			unsearched = append(unsearched, failed...)
			for _, h := range held {
				found[h.ID] = h
			}
		}
		return unsearched, unreadable(s.dir, err)
	})
	if err != nil {
		return StoredRecord{}, err
	}
	ids := slices.Sorted(maps.Keys(found)) // an id that is the prefix itself comes first
	switch {
	case len(ids) == 0:
		return StoredRecord{}, errors.Join(append([]error{fmt.Errorf("%w: %.80q", ErrNoRecord, prefix)}, unsearched...)...)
	case len(ids) > 1 && ids[0] != prefix:
		return StoredRecord{}, &AmbiguousError{Prefix: prefix, Candidates: ids}
	}
	return found[ids[0]], errors.Join(unsearched...)
}

// All returns every record that a member's memory, or the council's, ever held: the book, then the archives, the newest
// first. Each comes once, in its newest version. failed has an error for each file that could not be read.
func (s *Store) All(member council.MemberID) (records []memory.Record, failed []error) {
	o, err := ownerOf(member)
	if err == nil {
		records, err = inFolder(s, func(files atomicfile.Files) ([]memory.Record, error) {
			held, unread := s.heldRecords(files, o, "")
			failed = unread
			return council.Map(held, StoredRecord.record), nil
		})
	}
	if err != nil {
		failed = append(failed, err)
	}
	return records, failed
}

// heldRecords lists an owner's records whose id begins with prefix, each once, in its newest version, and errors for
// files or records that could not be read.
func (s *Store) heldRecords(files atomicfile.Files, o owner, prefix string) (all []StoredRecord, failed []error) {
	seen := map[string]bool{}
	add := func(r memory.Record, year int) {
		if !seen[r.ID] && strings.HasPrefix(r.ID, prefix) {
			seen[r.ID] = true
			all = append(all, StoredRecord{Record: r, Member: council.MemberID(o), Year: year})
		}
	}
	v, err := s.read(files, o)
	failed = append(failed, err)
	for _, r := range v.book.Records {
		add(r, 0)
	}
	years, err := archiveYears(files, o)
	failed = append(failed, err)
	for _, year := range slices.Backward(years) {
		name := o.path(o.archive(year))
		text, err := atomicfile.Read(files, name)
		if err != nil {
			failed = append(failed, unreadable(name, err))
			continue
		}
		archived, bad, ended := readArchive(name, text, prefix)
		for _, m := range slices.Backward(archived) {
			add(m.Record, year)
		}
		failed = append(append(failed, bad...), ended)
	}
	return all, slices.DeleteFunc(failed, func(err error) bool { return err == nil })
}

func archiveYears(files atomicfile.Files, o owner) (found []int, err error) {
	entries, err := atomicfile.ListFolder(files, cmp.Or(o.folder(), "."))
	for _, e := range entries {
		if m := archiveForm.FindStringSubmatch(e.Name()); m != nil && strings.HasPrefix(e.Name(), o.stem()) {
			year, _ := strconv.Atoi(m[1]) // four digits
			found = append(found, year)
		}
	}
	return found, unreadable(o.folder(), err)
}

// owner is the owner of a book: a member, or the council when it is empty.
type owner council.MemberID

// ownerOf checks the id of an owner before any file is touched.
func ownerOf(member council.MemberID) (owner, error) {
	if member != "" && !member.Valid() {
		return "", fmt.Errorf("%w: %.80q", ErrNoMember, string(member))
	}
	return owner(member), nil
}

func (o owner) folder() string { return memory.Folder(council.MemberID(o)) }

// ownerOfFolder returns the member of a folder; false for a folder of the user's.
func ownerOfFolder(name string) (owner, bool) {
	o := owner(strings.TrimPrefix(name, "member."))
	return o, council.MemberID(o).Valid() && o.folder() == name
}

// The names of an owner's files.
func (o owner) stem() string                { return memory.Stem(council.MemberID(o)) }
func (o owner) book() string                { return o.stem() + ".json" }
func (o owner) page() string                { return o.stem() + ".md" }
func (o owner) archive(year int) string     { return fmt.Sprintf("%s-%04d.json", o.stem(), year) }
func (o owner) archivePage(year int) string { return fmt.Sprintf("%s-%04d.md", o.stem(), year) }
func (o owner) path(name string) string     { return path.Join(o.folder(), name) }

const profile = "AGENT.md"

var archiveForm = regexp.MustCompile(`^(?:COUNCIL|MEMORY)-([0-9]{4})\.json$`)

// isOurs reports whether a file is one of the owner's, or was kept beside one.
func (o owner) isOurs(name string) bool {
	beside := profile
	if o == "" {
		beside = journalFile
	}
	return slices.ContainsFunc([]string{o.book(), o.page(), o.stem() + "-", beside}, func(begins string) bool {
		return strings.HasPrefix(strings.TrimPrefix(name, "."), begins)
	})
}

// IsOurs reports whether council made a file of memory, by its path within the folder. The others are a person's own.
func IsOurs(name string) bool {
	dir, base := path.Split(name)
	if dir == categoriesFolder+"/" {
		kind, _, _ := strings.Cut(base, ".")
		return slices.Contains(memory.Kinds(), memory.Kind(kind))
	}
	o, ok := ownerOfFolder(strings.TrimSuffix(dir, "/"))
	return (ok || dir == "") && o.isOurs(base)
}

// FindingKind is the kind of a finding.
type FindingKind string

// The kinds of findings.
const (
	Unreadable  FindingKind = "unreadable"  // a file is damaged, newer, or not permitted to be read
	Behind      FindingKind = "behind"      // a book lacks steps of the journal
	Differs     FindingKind = "differs"     // a book or archive differs from the journal
	Edited      FindingKind = "edited"      // a person changed a page
	Torn        FindingKind = "torn"        // an append to the journal was cut off; the next one repairs it
	LogLost     FindingKind = "log-lost"    // the log of a session in memory cannot be read
	Interrupted FindingKind = "interrupted" // a rebuild was cut off
	TooOpen     FindingKind = "too-open"    // others on this machine may read or write the file
	Leftover    FindingKind = "leftover"    // the temporary file of a write that was cut off
	Kept        FindingKind = "kept"        // a file that was kept aside
)

// Found is one finding of a check.
type Found struct {
	Path    string           `json:"path"` // within the folder of memory
	Member  council.MemberID `json:"member,omitempty"`
	Kind    FindingKind      `json:"kind"`
	Problem string           `json:"problem"` // a sentence
	Err     error            `json:"-"`
}

// Check folds the journal again and compares it with the files. It changes nothing and takes no lock, so it may find
// unfinished work of another process. The error says why nothing could be checked.
func (s *Store) Check() ([]Found, error) {
	return inFolder(s, func(files atomicfile.Files) ([]Found, error) {
		c := &checker{Store: s, files: files}
		err := c.run()
		return c.found, err
	})
}

type checker struct {
	*Store
	files atomicfile.Files
	found []Found
}

func (c *checker) add(o owner, name string, kind FindingKind, format string, args ...any) {
	c.found = append(c.found, Found{Path: name, Member: council.MemberID(o), Kind: kind,
		Problem: fmt.Sprintf(format, args...)})
}

func (c *checker) fail(o owner, name string, err error) {
	c.found = append(c.found, Found{Path: name, Member: council.MemberID(o), Kind: Unreadable, Problem: err.Error(),
		Err: err})
}

func (c *checker) run() error {
	if err := checkNoRebuild(c.files); err != nil {
		c.add("", rebuildingFile, Interrupted, "A rebuild was interrupted. Until it is done again nothing is remembered.")
	}
	j, journalErr := readJournal(c.files)
	if journalErr != nil {
		c.fail("", journalFile, journalErr)
	} else if j.Torn {
		c.add("", journalFile, Torn, "Its last line was not written to its end. The next write mends it.")
	}
	found, err := listOwners(c.files)
	if err != nil {
		return unreadable(c.dir, err)
	}
	if err := c.folder(""); err != nil {
		return err
	}
	var report Report
	var steps []memory.Step
	if journalErr == nil {
		steps = j.steps()
	}
	yield := c.refold(steps, &report)
	for _, o := range slices.Sorted(maps.Keys(yield)) {
		if !slices.Contains(found, o) {
			found = append(found, o)
		}
	}
	for _, l := range report.Lacks {
		c.found = append(c.found, Found{Path: journalFile, Kind: LogLost, Err: l.Err,
			Problem: fmt.Sprintf("Memory holds session %s, and its log cannot be read: %v.", l.Session, l.Err)})
	}
	for _, o := range found {
		if o != "" {
			if err := c.folder(o); err != nil {
				c.fail(o, o.folder(), unreadable(o.folder(), err))
				continue
			}
		}
		c.book(o, yield[o], journalErr)
	}
	pages, err := c.categoryPages(c.files)
	c.compare("", categoriesFolder, pages, false)
	return err
}

func (c *checker) book(o owner, g *bookUpdate, journalErr error) {
	name := o.path(o.book())
	v, err := c.read(c.files, o)
	if err != nil {
		c.fail(o, name, err)
	}
	_, failed := c.heldRecords(c.files, o, "")
	for _, bad := range failed {
		if err == nil || bad.Error() != err.Error() {
			c.fail(o, o.folder(), bad)
		}
	}
	if err != nil || journalErr != nil || g != nil && g.failure != nil {
		return
	}
	if g == nil {
		c.add(o, name, Differs, "The journal does not speak of it.")
		return
	}
	if v.book.Step < g.book.Step {
		c.add(o, name, Behind, "It holds memory up to step %d of the journal and lacks what came until step %d.",
			v.book.Step, g.book.Step)
		return
	}
	wanted, err := g.allFiles()
	if err != nil {
		c.fail(o, o.folder(), err)
		return
	}
	c.compare(o, o.folder(), wanted, v.edit != nil)
}

func (c *checker) compare(o owner, in string, wanted []derivedFile, edited bool) {
	for _, d := range wanted {
		name := path.Join(in, d.name)
		text, err := atomicfile.Read(c.files, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.add(o, name, Differs, "It is missing.")
		case err != nil:
			c.fail(o, name, unreadable(name, err))
		case bytes.Equal(text, d.text):
		case d.page && !d.ours(text), edited && d.name == o.book():
			c.add(o, name, Edited, "It was changed since it was written.")
		default:
			c.add(o, name, Differs, "It is not what the journal yields.")
		}
	}
}

func (c *checker) folder(o owner) error {
	name := cmp.Or(o.folder(), ".")
	info, err := c.files.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	entries, failed := atomicfile.ListFolder(c.files, name)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		c.add(o, name, TooOpen, "Others on this machine may look into the folder (mode %04o).", info.Mode().Perm())
	}
	for _, e := range entries {
		if !o.isOurs(e.Name()) || e.IsDir() {
			continue
		}
		where := o.path(e.Name())
		switch {
		case atomicfile.Temporary(e.Name()):
			c.add(o, where, Leftover, "It is what an interrupted write has left. The next write that catches up removes it.")
		case atomicfile.IsAside(e.Name()):
			c.add(o, where, Kept, "It was kept aside. Delete it when it is of no use.")
		}
		if info, err := c.files.Lstat(where); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			c.add(o, where, TooOpen, "Others on this machine may read it (mode %04o).", info.Mode().Perm())
		}
	}
	return nil
}
