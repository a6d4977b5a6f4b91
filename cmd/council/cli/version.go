package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/council/rules"
)

// VersionCommand returns the command version, which prints to out.
func VersionCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(out, Version())
			return err
		},
	}
}

// Version returns the line that version prints.
func Version() string {
	return fmt.Sprintf("council %s (rules %d, %s, %s/%s)\n", buildVersion(), rules.Version, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
}

// buildVersion returns the module's version when it was installed as one, else the commit it was built from.
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
