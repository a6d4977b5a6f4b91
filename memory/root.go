package memory

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// RootApart stands for a way to the record that is not known: the folders do not tell it, or sessions of several
// records are in one book.
const RootApart = "-"

// rootAbove is the usual way: memory stands in the folder of the record. A book leaves it out.
const rootAbove = ".."

// RootOf returns what a book keeps of where a session's record is: the way there from the folder of memory, with
// slashes; nothing for the usual one, or [RootApart].
func RootOf(s council.Storage) string {
	if way := between(s.MemoryDir, s.RootDir); way != rootAbove {
		return way
	}
	return ""
}

// Way returns the way from the folder of memory to that of the record for what a book keeps of it; ok is false when it
// is not known.
func Way(root string) (way string, ok bool) {
	if root == "" {
		return rootAbove, true
	}
	return root, root != RootApart
}

// ownFolders are the folders of memory that are no member's.
var ownFolders = []string{"daily", "items", "categories", "members"}

// Folder returns the folder of a member's book in the folder of memory: the member's id, or "member." before it where
// another folder is called so. No id has a dot.
func Folder(member council.MemberID) string {
	if slices.Contains(ownFolders, string(member)) {
		return "member." + string(member)
	}
	return string(member)
}

// Stem returns what the names of the files of an owner's book begin with.
func Stem(member council.MemberID) string {
	if member == "" {
		return "COUNCIL"
	}
	return "MEMORY"
}

// between returns the way from one folder to another by their names alone, so that it is the same on every machine.
func between(from, to string) string {
	way, err := filepath.Rel(path.Clean(from), path.Clean(to))
	if err != nil || strings.ContainsAny(from+to, `\:`) {
		return RootApart
	}
	return filepath.ToSlash(way)
}
