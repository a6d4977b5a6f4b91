package councils

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/doctor"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
)

// errWrong: a council cannot be convened. Why was printed.
var errWrong = errors.New("a council cannot be convened")

func (d Desk) newCheck(places func() Places) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE|NAME]",
		Short: "Say everything that is wrong or doubtful in a council",
		Long: `check reads a council and names all that is wrong in it at once, each with its place: fields that are not known, missing or of
the wrong kind. Of one that can be convened it names what is doubtful: phases that no session reaches, votes that cannot
carry, members that are told the same, sections of its skeleton that are missing. Without a name it checks ` + ConfigFile + `
and all councils of your own. Keys, models and budgets are looked at by council doctor.

Exit codes: 0 nothing was found · 1 a council cannot be convened · 3 something is doubtful.`,
		Args: desk.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := places().named(args)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				d.say("There is no %s and no council of your own to check. To check a ready-made one, name it.", ConfigFile)
			}
			return d.check(all)
		},
	}
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
	doc, err := read(ConfigFile)
	if !errors.Is(err, fs.ErrNotExist) {
		all = append(all, candidate{ConfigFile, doc, err})
	}
	names, err := p.names()
	if err != nil {
		return nil, err
	}
	for _, in := range p.folders() {
		for _, name := range names {
			path := filepath.Join(in, name+".json")
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			doc, err := read(path)
			all = append(all, candidate{filepath.ToSlash(path), doc, err})
		}
	}
	return all, nil
}

func (d Desk) check(all []candidate) error {
	wrong, doubtful := false, false
	for _, one := range all {
		c, problems := one.parse()
		if len(problems) > 0 {
			wrong = true
			d.say("%s cannot be convened:", one.from)
			for _, p := range problems {
				d.say("  %s", p)
			}
			continue
		}
		found := doctor.Sound(c)
		if len(found) == 0 {
			d.say("%s: nothing is wrong, and nothing doubtful was found.", one.from)
			continue
		}
		doubtful = true
		d.say("%s is doubtful:", one.from)
		for _, f := range found {
			if f.Severity == doctor.Stops {
				wrong = true
			}
			d.say("  %s: %s", f.Where, f.Problem)
			d.say("      %s %s", f.Why, f.Do)
		}
	}
	switch {
	case wrong:
		return &desk.Told{Err: errWrong}
	case doubtful:
		return &desk.Told{Err: desk.ErrFindings}
	}
	return nil
}

// parse reads the configuration, or says what is wrong in it, one line each.
func (one candidate) parse() (*council.Charter, []string) {
	if one.err != nil {
		return nil, []string{one.err.Error()}
	}
	c, err := config.Parse(one.doc)
	var problems config.Problems
	if !errors.As(err, &problems) {
		return &c, nil
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Error())
	}
	return nil, lines
}
