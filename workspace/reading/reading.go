// Package reading reads single sessions, and the database of a record.
package reading

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

// File returns a file of a session as its entries give it.
func File(id council.SessionID, entries []wire.Entry, name string) ([]byte, error) {
	if name == render.FileTranscript { // the other files are not needed for it
		_, text := render.NewTranscript(entries)
		return text, nil
	}
	all, err := render.Artifacts(entries)
	if err != nil {
		return nil, err
	}
	text, ok := all[name]
	if !ok {
		return nil, noSuchFile(id, name, slices.Sorted(maps.Keys(all)))
	}
	return text, nil
}

// InAdopted calls do with the folder of the session of roundtable that has a name, and the names of its files. ok is
// false where no session was taken over that has it.
func InAdopted(root *recorder.Root, name string,
	do func(s roundtable.Session, folder atomicfile.Files, names []string) error) (ok bool, err error) {
	err = roundtable.In(root.Files(), func(r *roundtable.Record) error {
		s, found := r.Find(name)
		if ok = found; !ok {
			return nil
		}
		folder, err := r.Folder(s)
		if err != nil {
			return err
		}
		defer folder.Close()
		entries, err := folder.List()
		if err != nil {
			return err
		}
		return do(s, folder, council.Map(entries, fs.DirEntry.Name))
	})
	return ok, err
}

// AdoptedFile returns a file out of the folder that [InAdopted] opened.
func AdoptedFile(s roundtable.Session, folder atomicfile.Files, names []string, name string) ([]byte, error) {
	if !slices.Contains(names, name) {
		return nil, noSuchFile(s.ID, name, names)
	}
	return atomicfile.Read(folder, name)
}

func noSuchFile(id council.SessionID, name string, names []string) error {
	return site.Refuse("session "+string(id)+" has no file "+site.Quote(name),
		site.DidYouMean(name, names, "It has: "+strings.Join(names, ", ")+"."))
}

// Formats lists the formats of [Export].
var Formats = []string{"md", "html", "adr", "json", "bundle"}

// Export returns a session in one of [Formats]. A bundle holds the anchors that this machine keeps of the session.
func Export(world *site.World, root *recorder.Root, id council.SessionID, format string) ([]byte, error) {
	if err := site.KnownWord("format", format, Formats); err != nil {
		return nil, err
	}
	entries, err := root.Read(id)
	if err != nil {
		return nil, err
	}
	switch format {
	case "html":
		return render.HTMLPage(entries)
	case "json":
		return render.JSONExport(entries)
	case "bundle":
		trust, err := world.Anchors().Trust(id)
		if err != nil {
			return nil, err
		}
		var held []byte
		for _, kept := range trust.Anchors {
			held = append(held, kept.Text...)
		}
		var b bytes.Buffer
		err = root.Bundle(id, held, &b)
		return b.Bytes(), err
	case "adr":
		text, _, _, err := render.DecisionRecord(entries)
		return text, err
	}
	return render.FullMinutes(entries)
}

// Drafts are two drafts of the document of a session, and how many it has. Both are nil where it has less than two.
type Drafts struct {
	Before, After *minutes.Draft
	Minutes       *minutes.Minutes
	Readable      int // drafts that were not erased
}

// Diff returns the drafts with the two versions, or the last two where versions is empty.
func Diff(root *recorder.Root, id council.SessionID, versions ...int) (Drafts, error) {
	entries, err := root.Read(id)
	if err != nil {
		return Drafts{}, err
	}
	d := Drafts{Minutes: render.MinutesOf(entries)}
	var found []*minutes.Draft
	for _, one := range d.Minutes.Drafts {
		if one.Erased {
			continue
		}
		d.Readable++
		if len(versions) == 0 || slices.Contains(versions, one.Version) {
			found = append(found, one)
		}
	}
	if n := len(found); n >= 2 {
		d.Before, d.After = found[n-2], found[n-1]
	} else if len(versions) > 0 {
		words := strings.ReplaceAll(strings.Trim(fmt.Sprint(versions), "[]"), " ", " and ")
		return d, site.Refuse("session "+root.Short(id)+" has no two drafts "+words+" to compare",
			"It has "+plural.Things(len(d.Minutes.Drafts), "draft")+".")
	}
	return d, nil
}

// WithHistory calls do with the database of a record, in step with its sessions and its ledger. unread are the sessions
// and entries that could not be read and are missing in it.
func WithHistory(ctx context.Context, root *recorder.Root, do func(*index.Index) error) (unread []error, err error) {
	ix, err := history.Open(ctx, root, func(err error) { unread = append(unread, err) })
	if err != nil {
		return nil, err
	}
	return unread, errors.Join(do(ix), ix.Close())
}

// Runs lists runs as [index.Index.Runs] does. One without an end is running if its session is held, else interrupted.
func Runs(ctx context.Context, root *recorder.Root, ix *index.Index, id council.SessionID, limit int) (
	runs []index.Run, all int, err error) {
	runs, all, err = ix.Runs(ctx, id, limit)
	latest := map[council.SessionID]bool{}
	for i := range runs {
		run := &runs[i]
		if run.Status == "" {
			run.Status = string(minutes.StateInterrupted)
			if _, held := root.Holder(run.Session); held && !latest[run.Session] {
				run.Status = string(minutes.StateRunning)
			}
		}
		latest[run.Session] = true
	}
	return runs, all, err
}

// CheckUsage returns the time from which usage counts, see [site.Since], and refuses what is not of [index.Groups].
func CheckUsage(by, since string, now time.Time) (time.Time, error) {
	if !slices.Contains(index.Groups(), by) {
		return time.Time{}, site.Refuse("--by is "+strings.Join(index.Groups(), ", ")+", not "+site.Quote(by),
			site.DidYouMean(by, index.Groups(), "Nothing was added up."))
	}
	return site.Since("since", since, now)
}

// Episode returns the episode of a closed session.
func Episode(root *recorder.Root, name string) (chronicle.Episode, error) {
	id, err := ClosedSession(root, name)
	if err != nil {
		return chronicle.Episode{}, err
	}
	return episodes.New(root.Files()).Episode(id)
}

// ClosedSession returns the session that is meant: one that has an episode of that very name, else what the record
// makes of it. A session whose folder was moved away still has its episode.
func ClosedSession(root *recorder.Root, name string) (council.SessionID, error) {
	if id := council.SessionID(name); chronicle.CheckEpisodeID(id) == nil {
		if _, err := episodes.New(root.Files()).Episode(id); !errors.Is(err, episodes.ErrUnknown) {
			return id, nil
		}
	}
	id, err := root.Find(name)
	if errors.Is(err, recorder.ErrUnknownSession) {
		_ = roundtable.In(root.Files(), func(r *roundtable.Record) error {
			if s, ok := r.Find(name); ok {
				id, err = s.ID, nil
			}
			return nil
		})
	}
	return id, err
}

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

const replacedBy = "status: superseded by ADR-"

// ExportRecord writes a session as a decision record into a folder of them, and changes the status of those that it
// replaces. It returns the path of the record once it is written, and the names of those.
func ExportRecord(id council.SessionID, entries []wire.Entry, dir string) (path string, replaced []string, err error) {
	text, title, replaces, err := render.DecisionRecord(entries)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return "", nil, err
	}
	files, err := atomicfile.OpenDir(dir)
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
	path = filepath.Join(dir, mine.name)
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
