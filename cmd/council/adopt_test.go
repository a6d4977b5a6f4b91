package main

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// A configuration of roundtable's convenes as it is, but for where its servers are: each of them is asked in its own
// protocol, and shown the stored key.
func TestAdopt_AConfigurationOfRoundtablesConvenesAsItIs(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]string{} // the last part of the path, by the model
	url := counciltest.NewFront(t, nil, func(w http.ResponseWriter, c counciltest.Call) bool {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(fmt.Sprint(c.Header), plantedKey) {
			asked[c.Model] = path.Base(c.URL.Path)
		}
		counciltest.Refuse(w, http.StatusUnauthorized, `{"error":{"message":"Not today."}}`)
		return true
	})
	d := newWorkplace(t, url)
	d.env = map[string]string{"KEY": plantedKey}
	doc := strings.NewReplacer("https://chat.boats.example", url, "https://gateway.boats.example", url)
	check.OK(t, os.WriteFile(d.config, []byte(doc.Replace(readFile(t, "testdata/roundtable.config.json"))), 0o600))
	convene := []string{"convene", "Where do the shells lie?", "--config", d.config}
	d.run(cli.ExitError, append(convene, "--dry-run")...)
	d.says(&d.errs, `buyer cannot be seated: no usable credential: openai-codex needs the credential "boats"`)
	d.run(cli.ExitOK, "login", "--config", d.config, "--credential", "boats=KEY")
	d.run(cli.ExitOK, append(convene, "--dry-run")...)
	d.run(cli.ExitSuspended, convene...)
	check.Equal(t, "asked", map[string]string{"codex-mini": "completions", "ferry-mini": "completions",
		"claude-oar": "messages"}, asked)
}
