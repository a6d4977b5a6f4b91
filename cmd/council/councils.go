package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/doctor"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/site"
)

// usualCouncil returns the council that is taken when none is named.
func usualCouncil() string { return templates.Councils()[0] }

func newCouncils(a *cli.Env) *cobra.Command {
	var root string
	places := func() councilPlaces { return placesOfCouncils(a, root) }
	cmd := newGroup("councils",
		newCouncilsList(a, places), newCouncilsShow(a, places), newCouncilsNew(a, places), newCouncilsCheck(a, places))
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

// sayWords prints a line, at a terminal not wider than that. Texts in it may come from anywhere, so further lines of
// them are indented.
func sayWords(a *cli.Env, format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = hostile.Words(text)
		}
	}
	text := terminal.Sprintf(format, args...)
	if a.Terminal {
		text = terminal.Fold(text, terminal.Columns(a.Width))
	}
	fmt.Fprintln(a.Out, text)
}

// sayPage prints a page of templates/tellings/pages.tmpl, at a terminal not wider than that.
func sayPage(a *cli.Env, page string, of any) {
	text := terminal.Tell(page, of)
	if a.Terminal {
		text = terminal.Fold(text, terminal.Columns(a.Width))
	}
	fmt.Fprint(a.Out, terminal.Paint(text, a.Terminal))
}

// keepTrust notes that the user trusts what a council names that was copied at the user's wish, unless the one that it
// was copied from lay in the working folder.
func keepTrust(a *cli.Env, from foundCouncil, doc []byte) {
	if c, err := config.Parse(doc); err == nil && from.own {
		trustGate(a).Keep(&c)
	}
}

type councilLine struct {
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

func newCouncilsList(a *cli.Env, places func() councilPlaces) *cobra.Command {
	var asJSON bool
	return withFlags(vars{"json": &asJSON}, standalone("councils list", func(*cobra.Command, []string) error {
		names, err := places().names()
		for _, name := range names {
			l := places().line(name)
			if asJSON {
				a.JSON(l)
			} else {
				sayPage(a, "council of a list", l)
			}
		}
		if err == nil && !asJSON {
			sayWords(a, "One in full: council councils show NAME.\n"+
				"To convene it: council convene --council NAME \"your topic\"\n"+
				"Skeletons of documents: %s.", strings.Join(templates.Skeletons(), ", "))
		}
		return err
	}))
}

// line reads a council of a known name. An error stands in the line, so that the other councils are still listed.
func (p councilPlaces) line(name string) councilLine {
	found, err := p.find(name)
	if err != nil {
		return councilLine{Name: name, Problem: err.Error()}
	}
	l := councilLine{Name: name, Path: filepath.ToSlash(found.path), Hides: found.hides}
	c, err := config.Parse(found.doc)
	if err != nil {
		var more bool
		if l.Problem, _, more = strings.Cut(err.Error(), "\n"); more {
			l.Problem += " (and more)"
		}
		return l
	}
	l.Title, l.Purpose, l.Document = c.CouncilName, c.Purpose, documentWords(&c)
	for _, phase := range c.Phases {
		l.Phases = append(l.Phases, phase.ID)
	}
	l.Members = c.Seats()
	return l
}

// documentWords describes in a few words the document that a council writes.
func documentWords(c *council.Charter) string {
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

func newCouncilsShow(a *cli.Env, places func() councilPlaces) *cobra.Command {
	var raw bool
	return withFlags(vars{"json": &raw}, standalone("councils show", func(_ *cobra.Command, args []string) error {
		found, err := places().find(args[0])
		if err != nil {
			return err
		}
		c, err := config.Parse(found.doc)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", found.of(), err)
		case raw:
			_, err = a.Out.Write(hostile.JSON(found.doc))
		default:
			sayPage(a, "council", councilPage{&c, found.name, found.from(), documentWords(&c)})
		}
		return err
	}))
}

// councilPage is a council as the template "council" shows it.
type councilPage struct {
	*council.Charter
	Name, From, Document string
}

// Weighs lists what a member cares about, the most first.
func (councilPage) Weighs(of map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(of),
		func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(a, b)) })
	for i, name := range names {
		names[i] += " " + strconv.FormatFloat(of[name], 'g', -1, 64)
	}
	return strings.Join(names, ", ")
}

// Carries says what a motion needs to carry.
func (p councilPage) Carries(g council.Governance) string {
	rule := g.Rule(len(p.Members))
	words := fmt.Sprintf("a motion needs %s, with %d valid ballots", rule.Words(), rule.Required())
	if g.RequireSeconding {
		words += " and a second"
	}
	return words
}

// errMisnamed: the name of a file among the councils cannot be the name of a council.
var errMisnamed = errors.New("no council can be called so: rename the file to 1 to 64 of a-z, 0-9, _ and -, " +
	"beginning with a letter or a digit, and .json")

// errCannotConvene: a council cannot be convened. Why was printed.
var errCannotConvene = errors.New("a council cannot be convened")

func newCouncilsCheck(a *cli.Env, places func() councilPlaces) *cobra.Command {
	var asJSON bool
	return withFlags(vars{"json": &asJSON}, standalone("councils check", func(_ *cobra.Command, args []string) error {
		all, err := places().named(args)
		if err != nil {
			return err
		}
		if len(all) == 0 && !asJSON {
			a.Say("There is no %s and no council of your own to check. To check a ready-made one, name it.", site.ConfigFile)
		}
		return checkCouncils(a, all, asJSON)
	}))
}

// candidate is a council that is to be checked, or why it cannot be read.
type candidate struct {
	from string
	doc  []byte
	err  error
}

// named returns the councils that the command line names: a file, a council, or all that the user could have changed.
func (p councilPlaces) named(args []string) ([]candidate, error) {
	if len(args) == 0 {
		return p.own()
	}
	name := args[0]
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json") {
		doc, err := readCouncil(name)
		return []candidate{{filepath.ToSlash(name), doc, err}}, err
	}
	found, err := p.find(name)
	return []candidate{{found.from(), found.doc, err}}, err
}

func (p councilPlaces) own() ([]candidate, error) {
	var all []candidate
	doc, err := readCouncil(site.Config())
	if !errors.Is(err, fs.ErrNotExist) {
		all = append(all, candidate{filepath.ToSlash(site.Config()), doc, err})
	}
	files, err := p.files()
	for _, path := range files {
		doc, err := readCouncil(path)
		if !plainName.MatchString(strings.TrimSuffix(filepath.Base(path), ".json")) {
			err = errMisnamed
		}
		all = append(all, candidate{filepath.ToSlash(path), doc, err})
	}
	return all, err
}

// councilCheck is the result for one council, as --json prints it.
type councilCheck struct {
	Council  string           `json:"council"`            // its file, or the ready-made council that it is
	Verdict  fitness          `json:"verdict"`            // the worst of what follows
	Problems config.Problems  `json:"problems,omitempty"` // why it cannot be convened
	Findings []doctor.Finding `json:"findings,omitempty"` // what is doubtful in one that can
}

// fitness is the verdict on a council.
type fitness string

const (
	councilFit      fitness = "fit"
	councilDoubtful fitness = "doubtful"
	councilWrong    fitness = "wrong" // it cannot be convened
)

func checkCouncils(a *cli.Env, all []candidate, asJSON bool) error {
	worst := map[fitness]bool{}
	for _, one := range all {
		c := one.check()
		worst[c.Verdict] = true
		if asJSON {
			a.JSON(c)
		} else {
			sayPage(a, "council that was checked", c)
		}
	}
	switch {
	case worst[councilWrong]:
		return &cli.Told{Err: errCannotConvene}
	case worst[councilDoubtful]:
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

func (one candidate) check() councilCheck {
	found := councilCheck{Council: one.from, Verdict: councilWrong}
	if one.err != nil {
		found.Problems = config.Problems{{Text: one.err.Error()}}
		return found
	}
	c, err := config.Parse(one.doc)
	if errors.As(err, &found.Problems) {
		return found
	}
	found.Findings = doctor.Sound(&c)
	if len(found.Findings) == 0 {
		found.Verdict = councilFit
	} else if found.Findings[0].Severity != doctor.Stops { // they are sorted
		found.Verdict = councilDoubtful
	}
	return found
}
