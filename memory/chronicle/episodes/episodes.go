package episodes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/wire"
)

// maxFile is the size of the largest file that is read as an episode or a turn, in bytes. JSON may write a byte as six.
const maxFile = 8 * chronicle.MaxText

// Files is the episodes and turns of one record.
type Files struct{ root atomicfile.Files }

// New returns the files in the folder of the record, which stays the caller's.
func New(root atomicfile.Files) *Files { return &Files{root} }

// Episode reads the episode of a session. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Episode(id council.SessionID) (chronicle.Episode, error) {
	p, err := placeOf(episodes, id, string(id))
	if err != nil {
		return chronicle.Episode{}, err
	}
	data, from, err := c.read(p)
	if err != nil {
		return chronicle.Episode{}, err
	}
	return parseEpisode(p, from, data)
}

// Turn reads one turn. It opens at most two files, packed or not. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Turn(id string) (chronicle.Turn, error) {
	session, _, err := chronicle.ParseTurnID(id)
	if err != nil {
		return chronicle.Turn{}, err
	}
	p, err := placeOf(turns, session, id)
	if err != nil {
		return chronicle.Turn{}, err
	}
	data, from, err := c.read(p)
	if err != nil {
		return chronicle.Turn{}, err
	}
	return parseTurn(p, from, data)
}

// read returns what the file of a place holds, and for messages where that was: alone, or in the pack of its month.
func (c *Files) read(p place) (data []byte, from string, err error) {
	data, err = c.alone(p.file())
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return data, p.file(), err
	}
	z, err := c.openPack(p.tree, p.month)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%w: %s", ErrUnknown, strings.TrimSuffix(p.name, ".json"))
	}
	if err != nil {
		return nil, "", err
	}
	defer z.Close()
	for _, f := range z.entries {
		if f.Name == p.packed() {
			data, err := z.read(f)
			return data, z.within(f.Name), err
		}
	}
	return nil, "", fmt.Errorf("%w: %s", ErrUnknown, strings.TrimSuffix(p.name, ".json"))
}

// alone reads a file that stands alone. The error is [fs.ErrNotExist], or says that it is unreadable.
func (c *Files) alone(name string) ([]byte, error) {
	return lone(c.root, name, name)
}

// lone is alone for a file in any folder, which messages call by its path at.
func lone(in atomicfile.Files, name, at string) ([]byte, error) {
	data, err := readBounded(in, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(at, err)
	}
	return data, err
}

// errTooLarge: nothing of ours is that large.
var errTooLarge = errors.New("it is larger than any that council writes")

// readBounded reads a file unless it is larger than any of ours.
func readBounded(files atomicfile.Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if size > maxFile {
		return nil, errTooLarge
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

func parseEpisode(p place, from string, data []byte) (chronicle.Episode, error) {
	var e chronicle.Episode
	if err := parse(data, &e); err != nil {
		return chronicle.Episode{}, unreadable(from, err)
	}
	if string(e.ID)+".json" != p.name {
		return chronicle.Episode{}, unreadable(from, fmt.Errorf("it says that it is %.120q", e.ID))
	}
	return e, nil
}

func parseTurn(p place, from string, data []byte) (chronicle.Turn, error) {
	var t chronicle.Turn
	if err := parse(data, &t); err != nil {
		return chronicle.Turn{}, unreadable(from, err)
	}
	if session, _, err := chronicle.ParseTurnID(t.ID); err != nil || t.ID+".json" != p.name || session != t.EpisodeID {
		return chronicle.Turn{}, unreadable(from, fmt.Errorf("it says that it is %.120q of %.120q", t.ID, t.EpisodeID))
	}
	return t, nil
}

// parse reads what encode wrote. Fields that this version does not know are passed over: the log has all there is.
func parse(data []byte, into any) error {
	var form struct{ Format int }
	if err := json.Unmarshal(data, &form); err != nil {
		return errors.New("it is not what council writes")
	}
	switch {
	case form.Format > chronicle.Format:
		return fmt.Errorf("%w: its format is %d, and this version reads formats up to %d", ErrNewer, form.Format, chronicle.Format)
	case form.Format < 1:
		return errors.New("it says no format")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return errors.New("it is not what council writes")
	}
	return nil
}

// encode writes an episode or a turn as one line.
func encode(v any) ([]byte, error) {
	out, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}
