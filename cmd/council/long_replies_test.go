package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// TestLongRepliesAreRefusedAndNotKept has a member answer at every turn with more than is taken: the session ends
// without it, says what sets the limit, and keeps little of it. With a larger limit the same replies are taken.
func TestLongRepliesAreRefusedAndNotKept(t *testing.T) {
	long := strings.Repeat("Long. ", 16<<10/6)
	for _, test := range []struct {
		limit, most int
		faulted     bool
	}{{4 << 10, 400 << 10, true}, {64 << 10, 4 << 20, false}} {
		talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "Yes."}
		server := counciltest.NewServer(t, func(r counciltest.Request) string {
			if r.Model == "m2" && r.Contract == "reply_turn" {
				return fmt.Sprintf(`{"action":"CONTRIBUTE","message":%q}`, long)
			}
			return talk.Reply(r)
		})
		c := shortCharter(server.URL)
		for i := range c.Members {
			c.Members[i].Model.MaxReplyBytes = test.limit
		}
		doc, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		config, root := filepath.Join(dir, site.ConfigFile), filepath.Join(dir, ".council")
		if err := os.WriteFile(config, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := runLine(testOnlyApp(&out, &errs), context.Background(),
			[]string{"convene", "Shall we?", "--quiet", "--config", config, "--root", root}); code != cli.ExitOK {
			t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
		}
		logs, _ := filepath.Glob(filepath.Join(root, "sessions", "*", "events.json"))
		log, err := os.ReadFile(logs[0])
		if err != nil {
			t.Fatal(err)
		}
		faulted := bytes.Contains(log,
			[]byte(`"kind":"truncated","message":"the last of 3 tries: the reply is longer than is taken of one (maxReplyBytes`))
		if faulted != test.faulted {
			t.Errorf("with a limit of %d, said to be too long: %t", test.limit, faulted)
		}
		if kept := folderSize(t, root); kept > int64(test.most) {
			t.Errorf("with a limit of %d, %d bytes are kept", test.limit, kept)
		}
	}
}
