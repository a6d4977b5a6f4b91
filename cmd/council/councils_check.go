package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/doctor"
	"github.com/council-engine/council/council/config"
)

// errMisnamed: the name of a file among the councils cannot be the name of a council.
var errMisnamed = errors.New("no council can be called so: rename the file to 1 to 64 of a-z, 0-9, _ and -, " +
	"beginning with a letter or a digit, and .json")

// errCannotConvene: a council cannot be convened. Why was printed.
var errCannotConvene = errors.New("a council cannot be convened")

func (a *app) newCouncilsCheck(places func() councilPlaces) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE|NAME]",
		Short: "Say everything that is wrong or doubtful in a council",
		Long: `check reads a council and names all that is wrong in it at once, each with its place: fields that are not known, missing or of
the wrong kind. Of one that can be convened it names what is doubtful: phases that no session reaches, votes that cannot
carry, members that are told the same, sections of its skeleton that are missing. Without a name it checks ` +
			cli.ConfigFile + `
and all councils of your own. Keys, models and budgets are looked at by council doctor.

Exit codes: 0 nothing was found · 1 a council cannot be convened · 3 something is doubtful.`,
		Args: cli.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := places().named(args)
			if err != nil {
				return err
			}
			if len(all) == 0 && !asJSON {
				a.Say("There is no %s and no council of your own to check. To check a ready-made one, name it.", cli.ConfigFile)
			}
			return a.checkCouncils(all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line for each council, with its problems and findings")
	return cmd
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
	doc, err := readCouncil(cli.ConfigFile)
	if !errors.Is(err, fs.ErrNotExist) {
		all = append(all, candidate{cli.ConfigFile, doc, err})
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

func (a *app) checkCouncils(all []candidate, asJSON bool) error {
	worst := map[fitness]bool{}
	for _, one := range all {
		c := one.check()
		worst[c.Verdict] = true
		if asJSON {
			a.JSON(c)
		} else {
			a.tellCheck(c)
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

func (a *app) tellCheck(c councilCheck) {
	a.sayWords("%s"+map[fitness]string{councilFit: ": nothing is wrong, and nothing doubtful was found.",
		councilDoubtful: " is doubtful:", councilWrong: " cannot be convened:"}[c.Verdict], c.Council)
	for _, p := range c.Problems {
		a.sayWords("  %s", p.Error())
	}
	for _, f := range c.Findings {
		a.sayWords("  %s: %s\n      %s %s", f.Where, f.Problem, f.Why, f.Do)
	}
}
