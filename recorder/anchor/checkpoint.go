// Package anchor signs how a log stood: an anchor is a signed note with the number of a session's events and the root
// of the Merkle tree over them. Kept where a writer of the record cannot write, it shows later that those events were
// not changed, dropped, reordered or cut off.
//
// It makes a record tamper-evident, not tamper-proof: the owner of the key and of every copy of the anchors can rewrite
// all three. No anchor covers what happened after it.
//
// The tree is that of RFC 6962 and the note that of golang.org/x/mod/sumdb/note, in the form that C2SP calls a
// checkpoint, so that other tools can check both.
package anchor

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// originPrefix begins the first line of every checkpoint; the session's id follows.
const originPrefix = "council session "

// Checkpoint is the state of a log: a pure function of its first Size events.
type Checkpoint struct {
	Session council.SessionID
	Size    int    // how many events
	Root    string // of the tree over them, in base64
}

// Origin names the log for which a checkpoint speaks.
func (c Checkpoint) Origin() string { return originPrefix + string(c.Session) }

// Text returns the text that is signed: origin, size and root, each on a line of its own.
func (c Checkpoint) Text() string { return fmt.Sprintf("%s\n%d\n%s\n", c.Origin(), c.Size, c.Root) }

// parse reads what Text writes, and nothing else.
func parse(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 {
		return Checkpoint{}, errors.New("it is not a checkpoint of a session")
	}
	size, err := strconv.Atoi(lines[1])
	c := Checkpoint{Session: council.SessionID(strings.TrimPrefix(lines[0], originPrefix)), Size: size, Root: lines[2]}
	root, bad := base64.StdEncoding.DecodeString(c.Root)
	if err != nil || bad != nil || size < 1 || len(root) != tlog.HashSize || c.Text() != text {
		return Checkpoint{}, errors.New("it is not a checkpoint of a session")
	}
	return c, nil
}

// Tree is the Merkle tree over a log. Its leaves are the sums of the events, as they are written: each covers the event
// and all before it. The zero Tree is that of a log without events.
type Tree struct {
	session council.SessionID
	size    int
	hashes  []tlog.Hash // as tlog stores them
}

// NewTree grows the tree over a log.
func NewTree(id council.SessionID, entries []wire.Entry) *Tree {
	t := &Tree{session: id}
	for _, e := range entries {
		t.Grow(e)
	}
	return t
}

// Grow takes in the next event of the log.
func (t *Tree) Grow(e wire.Entry) {
	grown, err := tlog.StoredHashes(int64(t.size), []byte(e.Sum), t)
	if err != nil {
		panic(err) // the reader below cannot fail
	}
	t.session = e.Session
	t.hashes = append(t.hashes, grown...)
	t.size++
}

// ReadHashes returns how tlog looks up what it stored.
func (t *Tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		found[i] = t.hashes[at]
	}
	return found, nil
}

// Checkpoint returns how the log stood after its first events, or now when the number is that of all.
func (t *Tree) Checkpoint(events int) Checkpoint {
	root, err := tlog.TreeHash(int64(events), t)
	if err != nil {
		panic(err) // the reader above cannot fail
	}
	return Checkpoint{Session: t.session, Size: events, Root: root.String()}
}

// Size returns the number of events in the tree.
func (t *Tree) Size() int { return t.size }
