package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

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
