package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/setup"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/site"
)

// registering returns the command of a user with a home, and a workspace of that user.
func registering(t *testing.T) (*cli.Env, registry.Entry) {
	t.Helper()
	home := t.TempDir()
	a := testOnlyApp(&bytes.Buffer{}, &bytes.Buffer{})
	a.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
	t.Cleanup(a.World.Close)
	folder := t.TempDir()
	root := check.Get(recorder.OpenRoot(filepath.Join(folder, ".council")))(t)
	defer root.Close()
	w := check.Get(registry.Register(a.World, folder, root))(t)
	return a, w
}

func TestWorkspace_AWorkspaceInUseIsNotRemoved(t *testing.T) {
	a, w := registering(t)
	files := check.Get(atomicfile.OpenDir(w.Record))(t)
	defer files.Close()
	lock := check.Get(atomicfile.TakeLock(files, "daemon.pid"))(t)
	check.ErrorIs(t, "it", atomicfile.ErrLocked, setup.RemoveWorkspace(a, w.Name, true))
	check.OK(t, lock.Release())
	check.OK(t, setup.RemoveWorkspace(a, w.Name, true))
	check.ErrorIs(t, "the record is still there", os.ErrNotExist, check.Err(os.Stat(w.Record)))
}

// A workspace whose ledger cannot be written is neither renamed nor removed.
func TestWorkspace_NoChangeOfAWorkspaceWithoutItsLedger(t *testing.T) {
	a, w := registering(t)
	audit := filepath.Join(w.Record, "audit")
	if err := errors.Join(os.RemoveAll(audit), os.WriteFile(audit, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Rename(a.World, w.Name, "other"); err == nil || setup.RemoveWorkspace(a, w.Name, true) == nil {
		t.Error("it was changed")
	}
	if r, err := registry.Read(a.World); err != nil || len(r.Workspaces) != 1 || r.Workspaces[0] != w {
		t.Errorf("the list is %v, %v", r, err)
	}
	check.Is(t, "the record is gone", w.ID, registry.IDIn(w.Record))
}

// A removal that is killed at any operation on the disk is finished by the next.
func TestWorkspace_ARemovalThatIsKilledIsFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	for at := 1; ; at++ {
		a, w := registering(t)
		plan := &filetest.Plan{At: at, NoSync: true}
		a.Layer = plan.Watch
		err := setup.RemoveWorkspace(a, w.Name, true)
		if plan.Struck() == "" {
			if err != nil || at < 15 {
				t.Errorf("%d operations: %v", at, err)
			}
			return
		}
		a.World = site.NewWorld(*a.World)
		a.Layer = nil
		if r, _ := registry.Read(a.World); len(r.Workspaces) > 0 {
			if err := setup.RemoveWorkspace(a, w.Name, true); err != nil {
				t.Errorf("after %s: %v", plan.Struck(), err)
			}
		}
		left, _ := os.ReadDir(w.Record)
		if r, err := registry.Read(a.World); err != nil || len(r.Workspaces) > 0 || len(left) > 1 {
			t.Errorf("after %s there is %v in the list, %v in the folder, %v", plan.Struck(), r, left, err)
		}
		a.World.Close()
	}
}
