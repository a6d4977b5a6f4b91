package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// owner is whose book it is: a member, or the council when it is empty.
type owner council.MemberID

// ownerOf refuses what can be no member before any file is touched.
func ownerOf(member council.MemberID) (owner, error) {
	if member != "" && !member.Valid() {
		return "", fmt.Errorf("%w: %.80q", ErrNoMember, string(member))
	}
	return owner(member), nil
}

// folder returns where the owner's files are; empty at the top.
func (o owner) folder() string { return memory.Folder(council.MemberID(o)) }

// inFolder returns the member whose files a folder holds. It is false for a folder of the user's.
func inFolder(name string) (owner, bool) {
	o := owner(strings.TrimPrefix(name, "member."))
	return o, council.MemberID(o).Valid() && o.folder() == name
}

// The names of an owner's files in its folder.
func (o owner) stem() string             { return memory.Stem(council.MemberID(o)) }
func (o owner) book() string             { return o.stem() + ".json" }
func (o owner) page() string             { return o.stem() + ".md" }
func (o owner) archive(year int) string  { return fmt.Sprintf("%s-%04d.json", o.stem(), year) }
func (o owner) archived(year int) string { return fmt.Sprintf("%s-%04d.md", o.stem(), year) }
func (o owner) path(name string) string  { return path.Join(o.folder(), name) }

// profile is who a member is.
const profile = "AGENT.md"

// archiveForm matches the archives of any owner.
var archiveForm = regexp.MustCompile(`^(?:COUNCIL|MEMORY)-([0-9]{4})\.json$`)

// ours reports whether a file is one of the owner's, or what was kept beside one.
func (o owner) ours(name string) bool {
	beside := profile
	if o == "" {
		beside = journalFile
	}
	return slices.ContainsFunc([]string{o.book(), o.page(), o.stem() + "-", beside}, func(begins string) bool {
		return strings.HasPrefix(strings.TrimPrefix(name, "."), begins)
	})
}

// Ours reports whether council made a file of memory, by its path within the folder. The others are a person's own.
func Ours(name string) bool {
	dir, base := path.Split(name)
	if dir == categoriesFolder+"/" {
		kind, _, _ := strings.Cut(base, ".")
		return slices.Contains(memory.Kinds(), memory.Kind(kind))
	}
	o, ok := inFolder(strings.TrimSuffix(dir, "/"))
	return (ok || dir == "") && o.ours(base)
}

// owners lists whose books there are: the council first, then the members.
func owners(files atomicfile.Files) ([]owner, error) {
	entries, err := files.List()
	if err != nil {
		return nil, err
	}
	var found []owner
	for _, e := range entries {
		if e.Name() == owner("").book() {
			found = slices.Insert(found, 0, owner(""))
		}
		o, ok := inFolder(e.Name())
		if !ok || o == "" || !e.IsDir() {
			continue
		}
		// What cannot be looked into may hold a book.
		if _, err := files.Lstat(o.path(o.book())); !errors.Is(err, fs.ErrNotExist) {
			found = append(found, o)
		}
	}
	return found, nil
}
