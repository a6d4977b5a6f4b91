package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
)

// TestCrashRivals_CouncilsMeetSideBySide convenes two to eight councils in one empty workspace at the same time.
func TestCrashRivals_CouncilsMeetSideBySide(t *testing.T) {
	m := newMarket(t, 3)
	dir := filepath.Join(t.TempDir(), "site")
	for n := range counciltest.Often(2, 500) {
		tr := m.trial(t, dir, "")
		rivals := 2 + 3*n%7
		codes := make([]int, rivals)
		all := make([]*trial, rivals)
		var together sync.WaitGroup
		for i := range all {
			all[i] = tr.apart(fmt.Sprintf("side-%d-%d", n, i))
			together.Go(func() {
				one := all[i]
				one.layer = (&filetest.Plan{NoSync: true}).Watch
				a := one.app()
				a.Now, a.Random = time.Now, rand.Reader
				codes[i] = runLine(a, context.Background(),
					[]string{"convene", "Shall we?", "--quiet", "--config", tr.config(), "--root", tr.root()})
			})
		}
		together.Wait()
		for i, one := range all {
			one.wants(codes[i], cli.ExitOK)
			id := filepath.Base(strings.TrimSpace(one.out.String()))
			tr.wants(tr.run(nil, "verify", id), cli.ExitOK)
			if calls, again := m.bill(one.key); calls == 0 || len(again) != 0 {
				t.Errorf("%d calls, again %v", calls, again)
			}
		}
		tr.wants(tr.run(nil, "sessions"), cli.ExitOK)
		if got := strings.Count(tr.out.String(), " awaits approval"); got != rivals {
			t.Errorf("%d of %d sessions are listed:\n%s", got, rivals, &tr.out)
		}
		tr.clear()
	}
}
