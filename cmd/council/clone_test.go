package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// Git keeps no empty folders, so a clone lacked the folder of the locks, and nothing could be written.
func TestClone_WorksWithoutItsEmptyFolders(t *testing.T) {
	counciltest.NotUnderRace(t)
	s := newStreet(t)
	d, _ := cutOff(t, s)
	s.open()
	d.run(cli.ExitOK, "convene", "Who is called?", "--config", d.config)
	cloned := func() {
		t.Helper()
		for _, ignored := range []string{"locks", "open", "live", "council.db", "ID"} {
			check.OK(t, os.RemoveAll(filepath.Join(d.root, ignored)))
		}
		for again := true; again; {
			again = false
			check.OK(t, filepath.WalkDir(d.root, func(name string, e fs.DirEntry, err error) error {
				if err == nil && e.IsDir() && os.Remove(name) == nil { // of a folder that is not empty it fails
					again = true
					return fs.SkipDir
				}
				return err
			}))
		}
	}
	for _, line := range []string{"rebuild latest", "memory check", "memory rebuild", "verify latest",
		"anchor latest", "fsck", "gc --apply", "resume", "sessions"} {
		cloned()
		d.run(cli.ExitOK, strings.Fields(line)...)
	}
	cloned()
	calls := s.server.Calls.Load()
	d.run(cli.ExitError, "ask", "latest", "m2", "Why?") // the server does not know the form
	if s.server.Calls.Load() == calls {
		t.Errorf("ask reached no member:\n%s", &d.errs)
	}
	cloned()
	d.approve("latest")
}
