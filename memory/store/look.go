package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// Owned is the book of the council or of a member.
type Owned struct {
	Member council.MemberID // empty for the council
	Path   string           // of the book within the folder of memory
	Book   memory.Book
	Err    error // why it cannot be read: [ErrDamaged], [ErrNewer] or [ErrUnreadable]
}

// Book returns the book of a member, or the council's when the id is empty. It is a fresh one when there is none.
// [ErrDamaged], [ErrNewer], [ErrUnreadable], [ErrNoMember].
func (s *Store) Book(member council.MemberID) (memory.Book, error) {
	o, err := ownerOf(member)
	if err != nil {
		return memory.Book{}, err
	}
	b := fresh(o)
	err = s.look(func(files atomicfile.Files) error {
		v, err := s.read(files, o)
		b = v.book
		return err
	})
	return b, err
}

// Books returns all books, the council's first and then by member. One that cannot be read is among them and says why.
func (s *Store) Books() ([]Owned, error) {
	var all []Owned
	err := s.look(func(files atomicfile.Files) (err error) {
		all, err = s.owned(files)
		return err
	})
	return all, err
}

func (s *Store) owned(files atomicfile.Files) (all []Owned, err error) {
	found, err := owners(files)
	if err != nil {
		return nil, unread(s.dir, err)
	}
	for _, o := range found {
		v, err := s.read(files, o)
		all = append(all, Owned{Member: council.MemberID(o), Path: o.path(o.book()), Book: v.book, Err: err})
	}
	return all, nil
}

// Held is a record and where it was found.
type Held struct {
	memory.Record
	Member council.MemberID // whose book or archive it is in; empty for the council's
	Year   int              // of the archive; 0 when it is in the book
}

// Record finds a record by its id or the beginning of it, in any book or archive, as it stands now. [ErrNoRecord], an
// [*AmbiguousError]. With a record that was found the error says which files could not be searched.
func (s *Store) Record(prefix string) (Held, error) {
	found := map[string]Held{}
	var unsearched []error
	err := s.look(func(files atomicfile.Files) error {
		all, err := owners(files)
		if err != nil {
			return unread(s.dir, err)
		}
		for _, o := range all {
			for h, err := range s.held(files, o, prefix) {
				if err != nil {
					unsearched = append(unsearched, err)
				} else if _, ok := found[h.ID]; !ok {
					found[h.ID] = h
				}
			}
		}
		return nil
	})
	if err != nil {
		return Held{}, err
	}
	if exact, ok := found[prefix]; ok {
		return exact, errors.Join(unsearched...)
	}
	switch len(found) {
	case 0:
		return Held{}, errors.Join(append([]error{fmt.Errorf("%w: %.80q", ErrNoRecord, prefix)}, unsearched...)...)
	case 1:
		for _, h := range found {
			return h, errors.Join(unsearched...)
		}
	}
	return Held{}, &AmbiguousError{Prefix: prefix, Candidates: slices.Sorted(maps.Keys(found))}
}

// All goes through every record that a member's memory ever held, or the council's: the book, then what left it, the
// newest year first. Each stands once, as it stands now. A file that cannot be read comes as an error and hides no
// other.
func (s *Store) All(member council.MemberID) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		o, err := ownerOf(member)
		if err != nil {
			yield(memory.Record{}, err)
			return
		}
		err = s.look(func(files atomicfile.Files) error {
			for h, err := range s.held(files, o, "") {
				if !yield(h.Record, err) {
					return errStopped
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(memory.Record{}, err)
		}
	}
}

var errStopped = errors.New("enough")

// held goes through an owner's records whose id begins with prefix: each once, its newest version.
func (s *Store) held(files atomicfile.Files, o owner, prefix string) iter.Seq2[Held, error] {
	return func(yield func(Held, error) bool) {
		seen := map[string]bool{}
		v, err := s.read(files, o)
		if err != nil && !yield(Held{}, err) {
			return
		}
		for _, r := range v.book.Records {
			if strings.HasPrefix(r.ID, prefix) {
				seen[r.ID] = true
				if !yield(Held{Record: r, Member: council.MemberID(o)}, nil) {
					return
				}
			}
		}
		years, err := years(files, o)
		if err != nil && !yield(Held{}, err) {
			return
		}
		for _, year := range slices.Backward(years) {
			name := o.path(o.archive(year))
			data, err := atomicfile.Read(files, name)
			if err != nil {
				if !yield(Held{}, unread(name, err)) {
					return
				}
				continue
			}
			a := scanArchive(name, data)
			for i := range slices.Backward(a.Raw) {
				if !bytes.Contains(a.Raw[i], []byte(`"id":"`+prefix)) {
					continue
				}
				m, err := a.Record(i)
				if err == nil && (seen[m.ID] || !strings.HasPrefix(m.ID, prefix)) {
					continue
				}
				seen[m.ID] = err == nil || seen[m.ID]
				if !yield(Held{Record: m.Record, Member: council.MemberID(o), Year: year}, err) {
					return
				}
			}
			if err := a.Ended(); err != nil && !yield(Held{}, err) {
				return
			}
		}
	}
}

// years lists the archives of an owner, oldest first.
func years(files atomicfile.Files, o owner) ([]int, error) {
	room := files
	if o != "" {
		inner, err := files.Folder(o.folder())
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, unread(o.folder(), err)
		}
		defer inner.Close()
		room = inner
	}
	entries, err := room.List()
	if err != nil {
		return nil, unread(o.folder(), err)
	}
	var found []int
	for _, e := range entries {
		if m := archiveForm.FindStringSubmatch(e.Name()); m != nil && strings.HasPrefix(e.Name(), o.stem()) {
			year, _ := strconv.Atoi(m[1]) // four digits
			found = append(found, year)
		}
	}
	return found, nil
}
