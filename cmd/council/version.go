package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council/rules"
)

func (a *app) newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  desk.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.stdout, version())
			return err
		},
	}
}

// version is the line that tells the version.
func version() string {
	return fmt.Sprintf("council %s (rules %d, %s, %s/%s)\n", buildVersion(), rules.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the module's version when it was installed as one, else the commit it was built from.
func buildVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			return "built from " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "development build"
}
