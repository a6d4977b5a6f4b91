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

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/site"
)

// exportSuffix is how the name of a file in a format ends.
var exportSuffix = map[string]string{"md": ".md", "html": ".html", "adr": ".md", "json": ".json", "bundle": ".zip"}

// NewExport returns the command export.
func NewExport(a *cli.Env) *cobra.Command {
	var format, out string
	cmd := cli.SessionVerb(a, &cobra.Command{Use: "export [SESSION]",
		Short: "Write a session as a page, a decision record, JSON or a bundle",
		Long: `
export writes a session (the latest, unless one is named) in one piece, to standard output or to --out:

  md      the minutes and the document in one file
  html    one page with the outcome, the votes, the dissents and the document, which needs nothing beside it and prints
  adr     an architectural decision record in the form of MADR
  json    every file of the session in one object; council schema export describes it
  bundle  a zip file of the whole session with its conversations, its anchors and SHA256SUMS, which council verify FILE
          checks on any machine

--out names a file, or a folder in which the file is called by the session. With adr a folder, such as docs/adr, is that
of your decision records, and is made where there is none: the record gets the next free number there. Exported again,
it is found by its session and written anew; where memory says that the session replaces the decision of another one,
the status of that one's record says so. A file that is something else is never overwritten.`,
		Example: `  council export --format html --out queue.html
  council export latest --format adr --out docs/adr
  council export --format bundle --out queue.zip && council verify queue.zip`,
	}, func(c *cli.Command, id council.SessionID) error {
		if err := site.KnownWord("format", format, reading.Formats); err != nil {
			return err
		}
		return exportSession(c, id, format, out)
	})
	cmd.Flags().StringVar(&format, "format", reading.Formats[0], "one of "+site.Join(reading.Formats))
	cmd.Flags().StringVar(&out, "out", "", "file or folder to write to (default: standard output)")
	return cmd
}

// exportSession writes a session in a format.
func exportSession(c *cli.Command, id council.SessionID, format, out string) error {
	switch {
	case format == "bundle" && out == "" && c.Terminal:
		return site.Refuse("a bundle is not text, so it is not printed at a terminal", "Name a file: --out SESSION.zip")
	case format == "adr" && out != "" && filepath.Ext(out) != ".md":
		entries, err := c.Root.Read(id)
		if err != nil {
			return err
		}
		return ExportRecord(c, id, entries, out)
	}
	text, err := reading.Export(c.World, c.Root, id, format)
	if err != nil {
		return err
	}
	if out == "" {
		return cli.PrintFile(c.Env, c.Ctx, "export"+exportSuffix[format], text, cli.PageOptions{Raw: true, NoPager: true})
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		out = filepath.Join(out, string(id)+exportSuffix[format])
	}
	if err := cli.CreateFile(out, text); err != nil {
		return fmt.Errorf("the session cannot be exported: %w", err)
	}
	c.Say("Wrote %s.", hostile.Line(filepath.ToSlash(out)))
	return nil
}

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

// ExportRecord writes a session as a decision record into a folder of them, and says in those that it replaces that it
// does.
func ExportRecord(c *cli.Command, id council.SessionID, entries []wire.Entry, folder string) error {
	text, title, replaces, err := render.DecisionRecord(entries)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return err
	}
	files, err := atomicfile.OpenDir(folder)
	if err != nil {
		return err
	}
	defer files.Close()
	records, last, err := decisionRecords(files)
	if err != nil {
		return err
	}
	mine := decisionRecord{number: fmt.Sprintf("%04d", last+1)}
	mine.name = mine.number + "-" + cmp.Or(recorder.Slug(title), "session") + ".md"
	replaced := slices.DeleteFunc(slices.Clone(records), func(r decisionRecord) bool {
		return !slices.Contains(replaces, r.session)
	})
	for _, old := range replaced {
		text = fmt.Appendf(text, "- Supersedes [ADR-%s](%s).\n", old.number, old.name)
	}
	if i := slices.IndexFunc(records, func(r decisionRecord) bool { return r.session == id }); i >= 0 {
		mine = records[i]
		if status := recordStatus.Find(mine.text); bytes.HasPrefix(status, []byte(replacedBy)) {
			text = withStatus(text, string(status))
		}
		err = atomicfile.Write(files, mine.name, text)
	} else {
		err = cli.CreateFile(filepath.Join(folder, mine.name), text)
	}
	if err == nil {
		c.Say("Wrote %s.", hostile.Line(filepath.ToSlash(filepath.Join(folder, mine.name))))
	}
	for _, old := range replaced {
		if err == nil {
			err = atomicfile.Write(files, old.name, withStatus(old.text, replacedBy+mine.number))
			c.Say("%s is superseded by it.", hostile.Line(old.name))
		}
	}
	return err
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
