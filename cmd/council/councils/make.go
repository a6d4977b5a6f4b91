package councils

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

func (d Desk) newNew(places func() Places) *cobra.Command {
	from, own := Usual(), false
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a council of your own to start from",
		Long: `new copies a council to .council/councils/NAME.json, or with --user to councils/NAME.json of ~/.config/council, for you to
change. convene --council NAME finds it from then on. A file that exists is left alone.`,
		Example: `  council councils new queue-review --from architecture`,
		Args:    desk.One("a name for the council"),
		RunE: func(_ *cobra.Command, args []string) error {
			return d.make(places(), args[0], from, own)
		},
	}
	cmd.Flags().StringVar(&from, "from", from, "council to start from")
	cmd.Flags().BoolVar(&own, "user", false, "for all workspaces: in your folder of configurations")
	return cmd
}

func (d Desk) make(p Places, name, from string, own bool) error {
	if !plainName.MatchString(name) {
		return desk.Refuse("a council cannot be called "+desk.Quote(name), "Use 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit.")
	}
	origin, err := p.Find(from)
	if err != nil {
		return err
	}
	doc := named(origin.Doc, name)
	if _, err := config.Parse(doc); err != nil {
		return fmt.Errorf("%s is not a council to start from: %w", origin.Of(), err)
	}
	in, err := d.folder(p, own)
	if err != nil {
		return err
	}
	path := filepath.Join(in, name+".json")
	if err := create(path, doc); err != nil {
		return err
	}
	d.vouch(origin, doc)
	made, err := p.Find(name)
	if err != nil {
		return err
	}
	d.say("Wrote %s from the %s.", filepath.ToSlash(path), origin.From())
	switch {
	case made.Path != path:
		d.say("In this workspace %s has its name, and is taken instead.", filepath.ToSlash(made.Path))
	case len(made.Hides) > 0:
		d.say("It is taken in place of %s.", strings.Join(made.Hides, " and "))
	}
	d.say("Change it, then run: council councils check %s\nTo convene it: council convene --council %s \"your topic\"", name, name)
	return nil
}

// folder makes sure of the folder into which a council is written, and returns its path.
func (d Desk) folder(p Places, own bool) (string, error) {
	if !own {
		path := p.folders()[0]
		root, err := recorder.OpenRoot(filepath.Dir(path), d.Record...) // else the workspace would not be one
		if err != nil {
			return "", err
		}
		defer root.Close()
		return path, atomicfile.EnsureFolder(root.Files(), folder)
	}
	config := desk.ConfigFolder(d.Getenv)
	if config == "" {
		return "", errors.New("there is no folder for it: neither XDG_CONFIG_HOME nor HOME names one")
	}
	path := filepath.Join(config, folder)
	return path, os.MkdirAll(path, 0o700)
}

// councilName matches the first field of the name, and the text that is its value.
var councilName = regexp.MustCompile(`("councilName"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// named gives the configuration a title that follows from the council's new name.
func named(doc []byte, name string) []byte {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	title, _ := json.Marshal(strings.Join(words, " "))
	at := councilName.FindSubmatchIndex(doc)
	if at == nil || len(words) == 0 {
		return doc
	}
	return append(append(append([]byte{}, doc[:at[3]]...), title...), doc[at[1]:]...)
}

// create writes a file that must not exist. What could not be written whole is taken away again.
func create(path string, doc []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and was left as it is", filepath.ToSlash(path))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
