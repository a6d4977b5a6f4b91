package councils

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/doctor"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
)

// errMisnamed: a file lies where councils are found by their names, and its own is none.
var errMisnamed = errors.New("no council can be called so: rename the file to 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit, and .json")

// errWrong: a council cannot be convened. Why was printed.
var errWrong = errors.New("a council cannot be convened")

func (d Desk) newCheck(places func() Places) *cobra.Command {
	var machine bool
	cmd := &cobra.Command{
		Use:   "check [FILE|NAME]",
		Short: "Say everything that is wrong or doubtful in a council",
		Long: `check reads a council and names all that is wrong in it at once, each with its place: fields that are not known, missing or of
the wrong kind. Of one that can be convened it names what is doubtful: phases that no session reaches, votes that cannot
carry, members that are told the same, sections of its skeleton that are missing. Without a name it checks ` + desk.ConfigFile + `
and all councils of your own. Keys, models and budgets are looked at by council doctor.

Exit codes: 0 nothing was found · 1 a council cannot be convened · 3 something is doubtful.`,
		Args: desk.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := places().named(args)
			if err != nil {
				return err
			}
			if len(all) == 0 && !machine {
				d.say("There is no %s and no council of your own to check. To check a ready-made one, name it.", desk.ConfigFile)
			}
			return d.check(all, machine)
		},
	}
	cmd.Flags().BoolVar(&machine, "json", false, "one JSON object a line for each council, with its problems and findings")
	return cmd
}

// candidate is a council that is to be checked, or why it cannot be read.
type candidate struct {
	from string
	doc  []byte
	err  error
}

// named are the councils that the command line names: a file, a council, or all that the user could have changed.
func (p Places) named(args []string) ([]candidate, error) {
	if len(args) == 0 {
		return p.own()
	}
	name := args[0]
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json") {
		doc, err := read(name)
		return []candidate{{filepath.ToSlash(name), doc, err}}, err
	}
	found, err := p.Find(name)
	return []candidate{{found.From(), found.Doc, err}}, err
}

func (p Places) own() ([]candidate, error) {
	var all []candidate
	doc, err := read(desk.ConfigFile)
	if !errors.Is(err, fs.ErrNotExist) {
		all = append(all, candidate{desk.ConfigFile, doc, err})
	}
	files, err := p.files()
	for _, path := range files {
		doc, err := read(path)
		if !plainName.MatchString(strings.TrimSuffix(filepath.Base(path), ".json")) {
			err = errMisnamed
		}
		all = append(all, candidate{filepath.ToSlash(path), doc, err})
	}
	return all, err
}

// checked is what --json says of a council that was looked at.
type checked struct {
	Council  string           `json:"council"`            // its file, or the ready-made council that it is
	Verdict  verdict          `json:"verdict"`            // the worst of what follows
	Problems []problem        `json:"problems,omitempty"` // why it cannot be convened
	Findings []doctor.Finding `json:"findings,omitempty"` // what is doubtful in one that can
}

// verdict is what comes of a look at a council.
type verdict string

const (
	fit      verdict = "fit"
	doubtful verdict = "doubtful"
	wrong    verdict = "wrong" // it cannot be convened
)

// problem is one thing for which a council cannot be convened.
type problem struct {
	Line    int    `json:"line,omitempty"` // from 1; absent where the problem is the whole file's
	Column  int    `json:"column,omitempty"`
	Where   string `json:"where,omitempty"` // a JSON pointer into the configuration
	Problem string `json:"problem"`
	words   string // all of it, for people
}

func (d Desk) check(all []candidate, machine bool) error {
	worst := map[verdict]bool{}
	for _, one := range all {
		c := one.check()
		worst[c.Verdict] = true
		if !machine {
			c.tell(d)
		} else if err := terminal.JSON(d.Out, c); err != nil {
			return err
		}
	}
	switch {
	case worst[wrong]:
		return &desk.Told{Err: errWrong}
	case worst[doubtful]:
		return &desk.Told{Err: desk.ErrFindings}
	}
	return nil
}

// check looks at one council.
func (one candidate) check() checked {
	c, problems := one.parse()
	if len(problems) > 0 {
		return checked{Council: one.from, Verdict: wrong, Problems: problems}
	}
	found := checked{Council: one.from, Verdict: fit, Findings: doctor.Sound(c)}
	for _, f := range found.Findings {
		if found.Verdict != wrong {
			found.Verdict = doubtful
		}
		if f.Severity == doctor.Stops {
			found.Verdict = wrong
		}
	}
	return found
}

// tell says it to people.
func (c checked) tell(d Desk) {
	switch {
	case len(c.Problems) > 0:
		d.say("%s cannot be convened:", c.Council)
	case len(c.Findings) > 0:
		d.say("%s is doubtful:", c.Council)
	default:
		d.say("%s: nothing is wrong, and nothing doubtful was found.", c.Council)
	}
	for _, p := range c.Problems {
		d.say("  %s", p.words)
	}
	for _, f := range c.Findings {
		d.say("  %s: %s", f.Where, f.Problem)
		d.say("      %s %s", f.Why, f.Do)
	}
}

// parse reads the configuration, or says what is wrong in it.
func (one candidate) parse() (*council.Charter, []problem) {
	if one.err != nil {
		return nil, []problem{{Problem: one.err.Error(), words: one.err.Error()}}
	}
	c, err := config.Parse(one.doc)
	var found config.Problems
	if !errors.As(err, &found) {
		return &c, nil
	}
	var problems []problem
	for _, p := range found {
		problems = append(problems, problem{p.Line, p.Column, p.Pointer, p.Text, p.Error()})
	}
	return nil, problems
}
