package chronicles

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
)

func (d Desk) newTurns() *cobra.Command {
	show := d.verb("show ID", "Show one turn in full", "the turn as its file has it",
		desk.One("the id of a turn, such as latest.e12"), func(p place, r *recorder.Root, c *episodes.Files, args []string) error {
			t, err := turn(r, c, args[0])
			if err != nil {
				return err
			}
			if p.json {
				return d.line(t)
			}
			d.tellTurn(t)
			return nil
		})
	list := d.verb("list [SESSION]", "List the turns of a closed session, the latest unless one is named", "one turn a line, as its file has it",
		desk.AtMostOne, func(p place, r *recorder.Root, c *episodes.Files, args []string) error {
			id, err := session(r, c, desk.NameOf(args))
			if err != nil {
				return err
			}
			return d.listTurns(c, id, p.json)
		})
	return group("turns", "Show single things that were said, of any closed session",
		`turns reads what was said in closed sessions one thing at a time, without the session's log. A turn is named by its
session and its event: 20261121-081500-shall-we-7f3k2a.e12, or a unique beginning of the session's id, or latest.e12.`, show, list)
}

// turn reads a turn that was named in full, or by a beginning of its session's id.
func turn(r *recorder.Root, c *episodes.Files, name string) (chronicle.Turn, error) {
	t, err := c.Turn(name)
	if !errors.Is(err, episodes.ErrUnknown) {
		return t, err
	}
	end := strings.LastIndex(name, ".e")
	if end <= 0 {
		return t, err
	}
	id, found := session(r, c, name[:end])
	if found != nil {
		return t, found
	}
	return c.Turn(string(id) + name[end:])
}

func (d Desk) tellTurn(t chronicle.Turn) {
	words := []string{speaker(t), string(t.Kind)}
	if t.About != "" {
		words[1] += " on " + t.About
	}
	if t.Phase != "" {
		words = append(words, "phase "+string(t.Phase))
	}
	if t.Round > 0 {
		words = append(words, fmt.Sprintf("round %d", t.Round))
	}
	words = append(words, t.CreatedAt.UTC().Format("2 January 2006, 15:04:05 UTC"))
	fmt.Fprintln(d.Out, terminal.Sprintf("%s", hostile.Line(t.ID)))
	fmt.Fprintln(d.Out, terminal.Sprintf("%s", hostile.Line(strings.Join(words, " · "))))
	fmt.Fprintf(d.Out, "\n      %s\n", hostile.Terminal(terminal.Words(t.Text)))
}

// speaker is who spoke, as people call them.
func speaker(t chronicle.Turn) string {
	if t.Name != "" && t.Name != t.Speaker {
		return t.Name + " (" + t.Speaker + ")"
	}
	return t.Speaker
}

func (d Desk) listTurns(c *episodes.Files, id council.SessionID, asJSON bool) error {
	all, unread := c.Turns(id)
	if len(all) == 0 && unread == nil {
		_, err := c.Episode(id) // says that there is none
		return err
	}
	for _, t := range all {
		if err := d.listTurn(t, asJSON); err != nil {
			return err
		}
	}
	return d.named(apart(unread))
}

func (d Desk) listTurn(t chronicle.Turn, asJSON bool) error {
	if asJSON {
		return d.line(t)
	}
	_, event, _ := strings.Cut(t.ID, ".")
	who := hostile.Line(t.Speaker)
	_, err := fmt.Fprintln(d.Out, terminal.Sprintf("%-6s %-12s %-16s %s", event, t.Kind, who, beginning(t.Text)))
	return err
}

// beginning is how a text begins, on one line.
func beginning(text string) string {
	const shown = 80
	if len(text) > 8*shown {
		text = text[:8*shown]
	}
	runes := []rune(strings.Join(strings.Fields(hostile.Line(text)), " "))
	if len(runes) <= shown {
		return string(runes)
	}
	return string(runes[:shown-1]) + "…"
}

// apart takes joined errors apart, so that each is told on a line of its own.
func apart(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}
