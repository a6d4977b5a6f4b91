package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/site"
)

type showOptions struct {
	file, event                     string // event is the id of the one to show; "": the session
	path, list, cost, events, votes bool
	page                            cli.PageOptions
}

// NewShow returns the command show.
func NewShow(a *cli.Env) *cobra.Command {
	var o showOptions
	cmd := cli.Verb(a, &cobra.Command{Use: "show [SESSION] [EVENT]",
		Short:       "Read a session: what it came to, its minutes, its votes, an event, or another of its files",
		Annotations: cli.JSON("print session.json: the session in one piece, for programs"), Long: `
show tells what a session came to (the latest, unless one is named), and then its minutes, as the log tells them. With
the id of an event, such as e16, it tells that one: what was said, to which question, and who cited it. --votes tells
every vote with all ballots and their reasons, what was counted and what was needed. --json is the session in one piece.

--file prints another file of the session, --list names them, and --path prints where the session is. --events prints
the log as events.json has it, with whole events alone, also while the session runs: what it prints always parses.
--cost says what the session has cost, and what was paid beside that and is in no file but the conversations: answers
that came too late, questions that were cut off.`,
		Example: `  council show
  council show a6rzfx e16
  council show --votes
  council show --file documentation.md --raw > documentation.md`,
	}, func(c *cli.Command) error {
		if n := len(c.Args); n > 0 && eventID.MatchString(c.Args[n-1]) {
			o.event, c.Args = c.Args[n-1], c.Args[:n-1]
			for _, other := range []string{"file", "list", "path", "cost", "events", "votes", "json"} {
				if c.Cmd.Flags().Changed(other) {
					return cli.Usage(c.Cmd, errors.New("an event is shown by itself: leave --"+other+" out"))
				}
			}
		}
		if len(c.Args) == 2 {
			return cli.Usage(c.Cmd, errors.New("an event is named like e16, not "+site.Quote(c.Args[1])))
		}
		id, err := c.Root.Find(cli.NameOf(c.Args))
		if errors.Is(err, recorder.ErrUnknownSession) {
			if shown, failed := showAdopted(c, cli.NameOf(c.Args), o); shown || failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
		a.WarnAll(c.Workspace.Later(id))
		return showSession(c, id, o)
	})
	f := cmd.Flags()
	f.StringVar(&o.file, "file", render.FileTranscript, "file to print")
	f.BoolVar(&o.list, "list", false, "name the session's files")
	f.BoolVar(&o.path, "path", false, "print the path of the session's folder, or of the archive that it is in")
	f.BoolVar(&o.events, "events", false, "print the events as a JSON array, without one that is being appended")
	f.BoolVar(&o.cost, "cost", false, "say what the session has cost so far")
	f.BoolVar(&o.votes, "votes", false, "tell every vote: all ballots with their reasons, the count, and what it needed")
	f.BoolVar(&o.page.Raw, "raw", false, "print Markdown as it is written, as in a pipe")
	o.page.AddFlags(f)
	cmd.MarkFlagsMutuallyExclusive("file", "list", "path", "cost", "events", "votes", "json")
	return cmd
}

var eventID = regexp.MustCompile(`^e[1-9][0-9]*$`)

func showSession(c *cli.Command, id council.SessionID, o showOptions) error {
	a, ctx := c.Env, c.Ctx
	if o.path {
		fmt.Fprintln(a.Out, c.Root.Location(id))
		return nil
	}
	if o.cost {
		s, err := site.Replay(c.Root, id)
		if err != nil {
			return err
		}
		a.SayAll(cli.BillLines(c.Root, s))
		return nil
	}
	entries, err := c.Root.Read(id)
	switch {
	case err != nil:
		return err
	case o.events:
		return printEvents(a, entries)
	case o.event != "":
		return showEvent(a, ctx, entries, o.event, o.page)
	case o.votes:
		return cli.PageText(a, ctx, cli.One(cmp.Or(render.Votes(entries), "Nothing has been voted on.\n")), o.page)
	case o.list:
		artifacts, err := render.Artifacts(entries)
		for _, name := range slices.Sorted(maps.Keys(artifacts)) {
			fmt.Fprintln(a.Out, name)
		}
		return err
	case c.AsJSON:
		o.file = render.FileSession
	case o.file == render.FileTranscript: // each piece is shown as soon as it is written
		return cli.PageText(a, ctx, render.Stream(entries), o.page)
	}
	text, err := reading.File(id, entries, o.file)
	if err != nil {
		return err
	}
	return cli.PrintFile(a, ctx, o.file, text, o.page)
}

// printEvents prints entries as events.json has them, with hidden and control characters escaped.
func printEvents(a *cli.Env, entries []wire.Entry) error {
	lead := "[\n"
	for _, e := range entries {
		line, err := e.Line()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Out, "%s%s\n", lead, line); err != nil {
			return err
		}
		lead = ","
	}
	_, err := fmt.Fprintln(a.Out, "]")
	return err
}

// showEvent prints an event: its words or effect, its question, and the events that it cites or that cite it.
func showEvent(a *cli.Env, ctx context.Context, entries []wire.Entry, event string, o cli.PageOptions) error {
	i := slices.IndexFunc(entries, func(e wire.Entry) bool { return e.ID == event })
	if i < 0 {
		return site.Refuse("the session has no event "+event, "Its last is "+entries[len(entries)-1].ID+".")
	}
	e, m := entries[i].Event, render.MinutesOf(entries)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", event)
	_, turns := chronicle.Of(entries)
	id := chronicle.TurnID(entries[i].Session, e.Seq)
	at := slices.IndexFunc(turns, func(t chronicle.Turn) bool { return t.ID == id })
	if at >= 0 {
		said := strings.ReplaceAll("> "+strings.ReplaceAll(hostile.Prose(turns[at].Text), "\n", "\n> "), "> \n", ">\n")
		fmt.Fprintf(&b, "%s\n\n%s\n", hostile.Inline(terminal.Tell("speaker of a turn", turns[at])), said)
	} else {
		b.WriteString(render.TranscriptOf(entries, func(told council.Event) bool { return told.Seq == e.Seq }))
	}
	if answered, ok := e.Answered(); ok {
		r, _ := e.Reply()
		fmt.Fprintf(&b, "\nAsked for %s, with the record up to %s before it.\n", render.AskWords(r.Ask.Kind()),
			answered.AsOf.ID())
	}
	var cited []council.Event
	if e.Payload != nil {
		for _, text := range council.Texts(e.Payload) {
			cited = append(cited, minutes.CitedIn(m.Events, text, e.Seq)...)
		}
	}
	listEvents(&b, m, "It cites", cited)
	listEvents(&b, m, "It is cited in", minutes.Citing(m.Events, e.Seq))
	return cli.PageText(a, ctx, cli.One(b.String()), o)
}

func listEvents(b *strings.Builder, m *minutes.Minutes, head string, events []council.Event) {
	slices.SortFunc(events, func(x, y council.Event) int { return int(x.Seq - y.Seq) })
	for i, e := range slices.CompactFunc(events, func(x, y council.Event) bool { return x.Seq == y.Seq }) {
		if i == 0 {
			fmt.Fprintf(b, "\n%s:\n\n", head)
		}
		by := ""
		if e.Actor != "" {
			by = " by " + hostile.Inline(terminal.Name(&m.Started.Charter, e.Actor))
		}
		fmt.Fprintf(b, "- %s: %s%s\n", e.Seq.ID(), strings.ToLower(strings.ReplaceAll(string(e.Type()), "_", " ")), by)
	}
}

// showAdopted prints a file of a session that was taken over. ok is false when none is meant.
func showAdopted(c *cli.Command, name string, o showOptions) (ok bool, err error) {
	return reading.InAdopted(c.Root, name, func(s roundtable.Session, folder atomicfile.Files, names []string) error {
		switch {
		case o.path:
			_, err := fmt.Fprintln(c.Out, folder.Path())
			return err
		case o.list:
			_, err := fmt.Fprintln(c.Out, hostile.Clean(strings.Join(names, "\n")))
			return err
		case o.cost:
			return site.Refuse("session "+string(s.ID)+" is of roundtable, which records no costs", "")
		case o.votes:
			return site.Refuse("session "+string(s.ID)+" is of roundtable: its votes are in its transcript.md", "")
		case o.events:
			o.file = wire.File
		case c.AsJSON:
			o.file = render.FileSession
		}
		text, err := reading.AdoptedFile(s, folder, names, o.file)
		if err != nil {
			return err
		}
		return cli.PrintFile(c.Env, c.Ctx, o.file, text, o.page)
	})
}

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
	})
	cmd.Flags().StringVar(&format, "format", reading.Formats[0], "one of "+site.Join(reading.Formats))
	cmd.Flags().StringVar(&out, "out", "", "file or folder to write to (default: standard output)")
	return cmd
}
