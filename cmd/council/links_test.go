package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// Whichever folder of the record is a link, nothing behind the link is written or removed.
func TestNoFolderOfTheRecordMayBeALink(t *testing.T) {
	counciltest.NotUnderRace(t)
	server := counciltest.NewServer(t, counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1",
		Contribution: "A remark."}.Reply)
	made := newWorkplace(t, server.URL)
	made.run(cli.ExitOK, "convene", "Shall we?", "--quiet", "--config", made.config)
	made.run(cli.ExitOK, "memory", "rebuild")
	entries := check.Get(os.ReadDir(made.root))(t)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			folder := e.Name()
			base := t.TempDir()
			root, outside := filepath.Join(base, "in", ".council"), filepath.Join(base, "out")
			check.OK(t, os.CopyFS(root, os.DirFS(made.root)))
			check.OK(t, os.Rename(filepath.Join(root, folder), outside))
			check.OK(t, os.Symlink(outside, filepath.Join(root, folder)))
			before := photograph(t, outside)
			for _, args := range [][]string{
				{"convene", "Must we?", "--quiet", "--output", "none", "--config", made.config}, {"memory", "rebuild"},
				{"fsck", "--repair"}, {"recall", "remark"},
			} {
				rebuilt := slices.Contains([]string{"episodes", "memory", "sessions", "turns"}, folder)
				if args[0] != "convene" && !rebuilt && !counciltest.Long() {
					continue
				}
				d := &workplace{T: t, root: root}
				code := runLine(testOnlyApp(&d.out, &d.errs), t.Context(), append(args, "--root", root))
				if diff := cmp.Diff(before, photograph(t, outside)); diff != "" {
					t.Fatalf("%v (exit code %d) changed what is behind the link:\n%s%s", args, code, diff, &d.errs)
				}
				if folder == "memory" && args[0] != "fsck" && code == cli.ExitOK {
					t.Errorf("%v: exit code 0\n%s", args, &d.out)
				}
			}
		})
	}
}

// A record that would lie outside of the working folder by way of .. is refused before anything is made.
func TestARecordThatLeavesTheFolderIsNotMade(t *testing.T) {
	base := t.TempDir()
	check.OK(t, os.Mkdir(filepath.Join(base, "in"), 0o700))
	t.Chdir(filepath.Join(base, "in"))
	d := newWorkplace(t, "http://127.0.0.1:1")
	for _, storage := range []string{`{"rootDir": ".council/../../z"}`, `{"memoryDir": "../z"}`} {
		doc := strings.Replace(readAll(t, filepath.Dir(d.config)), `{"rootDir":".council","memoryDir":".council/memory"}`,
			storage, 1)
		check.OK(t, os.WriteFile(site.ConfigFile, []byte(doc), 0o600))
		for _, args := range [][]string{{"convene", "Shall we?", "--model", "rehearsal"}, {"councils", "new", "mine"},
			{"memory", "add", "It rains."}} {
			d.out.Reset()
			d.errs.Reset()
			code := runLine(testOnlyApp(&d.out, &d.errs), t.Context(), args)
			if args[0] == "convene" {
				d.says(&d.errs, "it leads out of the working folder")
			}
			if all, err := os.ReadDir(base); err != nil || len(all) != 1 {
				t.Fatalf("%v (exit code %d) made %v, %v", args, code, all, err)
			}
		}
	}
}
