package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/ledger"
)

// TestNothingIsArchivedUnnoted: when the ledger cannot be written, nothing is moved.
func TestNothingIsArchivedUnnoted(t *testing.T) {
	tr, _ := newMarket(t, 3).kept(t)
	tr.wants(tr.run(nil, "approve", crashSession, "--reject", "Not now."), cli.ExitOK)
	check.OK(t, os.RemoveAll(filepath.Join(tr.root(), ledger.Folder)))
	check.OK(t, os.WriteFile(filepath.Join(tr.root(), ledger.Folder), nil, 0o600))
	tr.later = 91 * 24 * time.Hour
	before := tr.unlocked()
	tr.wants(tr.run(nil, "record", "gc", "--apply"), cli.ExitError)
	check.Equal(t, "it", before, tr.unlocked())
}
