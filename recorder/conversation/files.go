// Package conversation keeps what was sent to one member and what came back: the write-ahead of paid replies. Each
// member has a file of lines that are chained by sums (see package chain).
package conversation

import (
	"regexp"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
)

// Folder holds the conversations in a session's folder, one file a member.
const Folder = "conversations"

// Doubts is the name of the file beside the log that counts how often questions were put again after a crash had cut
// them off. It is evidence, not part of the record: a question that is answered in the end leaves no trace there of
// having been put before, and yet may have been billed each time.
const Doubts = "doubts.json"

const suffix = ".jsonl"

// memberForm matches the ids of members, which name files.
var memberForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func fileName(member council.MemberID) string { return string(member) + suffix }

// FileName returns the name of a member's conversation within the session's folder.
func FileName(member council.MemberID) string { return Folder + "/" + fileName(member) }

// Members lists the members that have a conversation in the session's folder, sorted.
func Members(session atomicfile.Files) ([]council.MemberID, error) {
	entries, err := atomicfile.ListFolder(session, Folder) // without one no member has been asked anything
	var members []council.MemberID
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), suffix); ok && memberForm.MatchString(id) {
			members = append(members, council.MemberID(id))
		}
	}
	return members, err
}

// Read scans the conversation of a member and changes nothing. A [*chain.DamageError] if it is damaged;
// [fs.ErrNotExist] if there is none.
func Read(session atomicfile.Files, id council.SessionID, member council.MemberID) (found *Log, err error) {
	err = atomicfile.Within(session, Folder, func(files atomicfile.Files) error {
		found, _, err = read(files, id, member)
		return err
	})
	return found, err
}

// Mend is Read, after it has repaired the end of the conversation if a crash tore it.
func Mend(session atomicfile.Files, id council.SessionID, member council.MemberID) (found *Log, err error) {
	err = atomicfile.Within(session, Folder, func(files atomicfile.Files) error {
		found, _, err = mend(files, id, member)
		return err
	})
	return found, err
}

// mend scans a conversation in its folder and repairs its end. It returns the length of the file.
func mend(files atomicfile.Files, id council.SessionID, member council.MemberID) (*Log, int64, error) {
	found, data, err := read(files, id, member)
	if err != nil || !found.Torn {
		return found, int64(len(data)), err
	}
	size, err := atomicfile.Mend(files, fileName(member), data, found.Good, found.Mended())
	return found, size, err
}

// read scans a conversation in its folder.
func read(files atomicfile.Files, id council.SessionID, member council.MemberID) (*Log, []byte, error) {
	data, err := atomicfile.Read(files, fileName(member))
	if err != nil {
		return nil, nil, err
	}
	found, err := Scan(id, member, data)
	return found, data, chain.InFile(FileName(member), err)
}
