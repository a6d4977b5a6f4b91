package reading

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// decisionRecord is a decision record in a folder of them.
type decisionRecord struct {
	name, number string            // 0007-queue.md, 0007
	session      council.SessionID // "": a person's own
	text         []byte
}

var (
	recordName    = regexp.MustCompile(`^(\d{4,8})-.*\.md$`)
	recordSession = regexp.MustCompile(`^---\n(?:.+\n)*council-session: ([0-9a-z-]+)\n(?:.+\n)*---\n`)
	recordStatus  = regexp.MustCompile(`(?m)^status: .*$`)
)

// replacedBy begins the status of a record that was superseded.
const replacedBy = "status: superseded by ADR-"

// ExportRecord writes a session as a decision record into a folder of them, and changes the status of those that it
// replaces. It returns the path of the record once it is written, and the names of those.
func ExportRecord(id council.SessionID, entries []wire.Entry, folder string) (path string, replaced []string,
	err error) {
	text, title, replaces, err := render.DecisionRecord(entries)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return "", nil, err
	}
	files, err := atomicfile.OpenDir(folder)
	if err != nil {
		return "", nil, err
	}
	defer files.Close()
	records, last, err := decisionRecords(files)
	if err != nil {
		return "", nil, err
	}
	mine := decisionRecord{number: fmt.Sprintf("%04d", last+1)}
	mine.name = mine.number + "-" + cmp.Or(recorder.Slug(title), "session") + ".md"
	found := slices.IndexFunc(records, func(r decisionRecord) bool { return r.session == id })
	if found >= 0 {
		mine = records[found]
	}
	path = filepath.Join(folder, mine.name)
	old := slices.DeleteFunc(slices.Clone(records), func(r decisionRecord) bool {
		return !slices.Contains(replaces, r.session)
	})
	for _, r := range old {
		text = fmt.Appendf(text, "- Supersedes [ADR-%s](%s).\n", r.number, r.name)
	}
	if found >= 0 {
		if status := recordStatus.Find(mine.text); bytes.HasPrefix(status, []byte(replacedBy)) {
			text = withStatus(text, string(status))
		}
		err = atomicfile.Write(files, mine.name, text)
	} else {
		err = atomicfile.CreateFile(path, text)
	}
	if err != nil {
		return "", nil, err
	}
	for _, r := range old {
		if err := atomicfile.Write(files, r.name, withStatus(r.text, replacedBy+mine.number)); err != nil {
			return path, replaced, err
		}
		replaced = append(replaced, r.name)
	}
	return path, replaced, nil
}

// decisionRecords lists the numbered files of a folder of decision records, and returns the highest number.
func decisionRecords(files atomicfile.Files) (all []decisionRecord, last int, err error) {
	entries, err := files.List()
	for _, e := range entries {
		named := recordName.FindStringSubmatch(e.Name())
		if named == nil || !e.Type().IsRegular() || err != nil {
			continue
		}
		number, _ := strconv.Atoi(named[1])
		r := decisionRecord{name: e.Name(), number: named[1]}
		if r.text, err = atomicfile.Read(files, r.name); err != nil {
			continue
		}
		if of := recordSession.FindSubmatch(r.text); of != nil {
			r.session = council.SessionID(of[1])
		}
		all, last = append(all, r), max(last, number)
	}
	return all, last, err
}

// withStatus returns a record with another line for its status.
func withStatus(text []byte, status string) []byte {
	if at := recordStatus.FindIndex(text); at != nil {
		return slices.Concat(text[:at[0]], []byte(status), text[at[1]:])
	}
	return text
}
