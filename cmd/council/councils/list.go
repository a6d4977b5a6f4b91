package councils

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/templates"
)

// line is what --json says of a council.
type line struct {
	Name     string             `json:"name"`
	Path     string             `json:"path,omitempty"`  // absent: ready-made
	Hides    []string           `json:"hides,omitempty"` // what else has the name
	Title    string             `json:"title,omitempty"`
	Purpose  string             `json:"purpose,omitempty"`
	Members  []council.MemberID `json:"members,omitempty"`
	Phases   []council.PhaseID  `json:"phases,omitempty"`
	Document string             `json:"document,omitempty"` // its skeleton, or its sections; absent: it writes none
	Problem  string             `json:"problem,omitempty"`  // why it cannot be used
}

func (d Desk) newList(places func() Places) *cobra.Command {
	var machine bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Say what each council is for, who sits on it and what it writes",
		Args:  desk.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p := places()
			names, err := p.names()
			if err != nil {
				return err
			}
			for i, name := range names {
				l := p.line(name)
				if machine {
					if err := terminal.JSON(d.Out, l); err != nil {
						return err
					}
					continue
				}
				if i > 0 {
					fmt.Fprintln(d.Out)
				}
				l.tell(d)
			}
			if !machine {
				fmt.Fprintf(d.Out, "\nOne in full: council councils show NAME. To convene it: council convene --council NAME \"your topic\"\n"+
					"Skeletons of documents: %s.\n", strings.Join(templates.Skeletons(), ", "))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&machine, "json", false, "one JSON object a line")
	return cmd
}

// line reads a council of a name that is known. Whatever is wrong with one keeps nobody from seeing the others.
func (p Places) line(name string) line {
	found, err := p.Find(name)
	if err != nil {
		return line{Name: name, Problem: err.Error()}
	}
	l := line{Name: name, Path: filepath.ToSlash(found.Path), Hides: found.Hides}
	c, err := config.Parse(found.Doc)
	if err != nil {
		first, _, more := strings.Cut(err.Error(), "\n")
		if more {
			first += " (and more)"
		}
		l.Problem = first
		return l
	}
	l.Title, l.Purpose, l.Document = c.CouncilName, c.Purpose, document(&c)
	for _, phase := range c.Phases {
		l.Phases = append(l.Phases, phase.ID)
	}
	l.Members = c.Seats()
	return l
}

func (l line) tell(d Desk) {
	from := "ready-made"
	if l.Path != "" {
		from = l.Path
	}
	if len(l.Hides) > 0 {
		from += ", in place of " + strings.Join(l.Hides, " and ")
	}
	if l.Problem != "" {
		d.say("%s (%s)", l.Name, from)
		d.say("  It cannot be used: %s", l.Problem)
		d.say("  All that is wrong: council councils check %s", l.Name)
		return
	}
	d.say("%s (%s)", l.Name, from)
	d.say("  %s", l.Purpose)
	d.say("  Members: %s", joined(l.Members))
	d.say("  Phases: %s. Document: %s.", joined(l.Phases), orNone(l.Document))
}

// document is what a council writes, in a few words.
func document(c *council.Charter) string {
	review := c.DocumentationReview
	switch {
	case c.Output.Type != council.OutputDocumentation:
		return ""
	case review.Skeleton != "":
		return review.Skeleton
	case len(review.Sections) > 0:
		return strings.Join(review.Sections, ", ")
	}
	return "without given sections"
}

func orNone(words string) string {
	if words == "" {
		return "none"
	}
	return words
}

func joined[S ~string](all []S) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
