package reading

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
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

func exportSession(c *cli.Command, id council.SessionID, format, out string) error {
	switch {
	case format == "bundle" && out == "" && c.Terminal:
		return site.Refuse("a bundle is not text, so it is not printed at a terminal", "Name a file: --out SESSION.zip")
	case format == "adr" && out != "" && filepath.Ext(out) != ".md":
		entries, err := c.Root.Read(id)
		if err != nil {
			return err
		}
		path, replaced, err := reading.ExportRecord(id, entries, out)
		if path != "" {
			c.Say("Wrote %s.", hostile.Line(filepath.ToSlash(path)))
		}
		for _, name := range replaced {
			c.Say("%s is superseded by it.", hostile.Line(name))
		}
		return err
	}
	text, err := c.Workspace.Export(id, format)
	if err != nil {
		return err
	}
	if out == "" {
		return cli.PrintFile(c.Env, c.Ctx, "export"+exportSuffix[format], text, cli.PageOptions{Raw: true, NoPager: true})
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		out = filepath.Join(out, string(id)+exportSuffix[format])
	}
	if err := atomicfile.CreateFile(out, text); err != nil {
		return fmt.Errorf("the session cannot be exported: %w", err)
	}
	c.Say("Wrote %s.", hostile.Line(filepath.ToSlash(out)))
	return nil
}
