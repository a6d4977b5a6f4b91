package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/templates"
)

// configFile is what convene reads when it stands in the working folder.
const configFile = "council.config.json"

func (a *app) newInit() *cobra.Command {
	name := "general"
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a " + configFile + " to start from",
		Long: "init copies one of the ready-made councils to " + configFile + " in this folder, for you to change: members,\n" +
			"models, phases, rules. council convene reads it from then on. An existing file is left alone.",
		Args: desk.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.init(name) },
	}
	cmd.Flags().StringVar(&name, "council", name, "ready-made council to copy: "+strings.Join(templates.Councils(), ", "))
	return cmd
}

func (a *app) init(name string) error {
	doc, err := readyMade(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(configFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and was left as it is", configFile)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(configFile))
	}
	fmt.Fprintf(a.stdout, "Wrote %s from the ready-made council %s.\nChange it, then run: council convene \"your topic\"\n", configFile, name)
	return nil
}

// readyMade returns the configuration of a ready-made council.
func readyMade(name string) ([]byte, error) {
	doc, ok := templates.Council(name)
	if !ok {
		known := templates.Councils()
		return nil, desk.Refuse("there is no ready-made council "+desk.Quote(name),
			desk.DidYouMean(name, known, "There are: "+strings.Join(known, ", ")+"."))
	}
	return doc, nil
}
