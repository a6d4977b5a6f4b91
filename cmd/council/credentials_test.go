package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// gatehouse is a model server that lets in who shows the right key, and tells everybody what was shown, in its errors,
// in its headers and in the replies themselves.
type gatehouse struct {
	url string

	mu      sync.Mutex
	right   string
	refused map[string]int
	entered int
}

func newGatehouse(t *testing.T, right string) *gatehouse {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	g := &gatehouse{right: right, refused: map[string]int{}}
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.entered++
		reply := talk.Reply(r)
		return strings.Replace(reply, "It depends on the costs.", "My key is "+g.right+".", 1)
	})
	g.url = counciltest.NewFront(t, server, func(w http.ResponseWriter, c counciltest.Call) bool {
		w.Header().Set("X-Request-Id", "r-"+c.Key)
		g.mu.Lock()
		defer g.mu.Unlock()
		if c.Key == g.right {
			return false
		}
		g.refused[c.Key]++
		counciltest.Refuse(w, http.StatusUnauthorized, fmt.Sprintf(
			`{"error": {"message": "Wrong key %s, shown as Bearer %[1]s", "code": "bad_%[1]s"}}`, c.Key))
		return true
	})
	return g
}

// planted begins every secret of these tests. Its form is not one by which secrets are told.
const planted = "zq7planted"

// office is a workplace whose members have credentials.
type office struct {
	*workplace
	all strings.Builder // whatever was printed
}

func newOffice(t *testing.T, g *gatehouse, auth func(*council.Model)) *office {
	d := &office{workplace: newWorkplace(t, g.url)}
	d.env = map[string]string{}
	c := shortCharter(g.url + "/v1")
	for i := range c.Members {
		auth(&c.Members[i].Model)
	}
	d.write(c)
	return d
}

func (d *office) run(want int, args ...string) {
	d.Helper()
	d.workplace.run(want, args...)
	d.all.WriteString(d.out.String() + d.errs.String())
}

// keepsQuiet holds that no secret is anywhere but in the file of credentials.
func (d *office) keepsQuiet() {
	d.Helper()
	check.NeverSays(d, d.all.String(), planted)
	for path, text := range check.Files(d, d.root) {
		if i := strings.Index(text, planted); i >= 0 && filepath.Base(path) != credential.VaultFile {
			d.Errorf("a secret is in %s: …%s…", path, text[max(0, i-60):min(len(text), i+60)])
		}
	}
}

func TestCredentials_ASecretIsNowhereButWhereItIsKept(t *testing.T) {
	counciltest.NotUnderRace(t)
	convene := func(d *office) []string { return []string{"convene", "Shall we?", "--config", d.config} }
	t.Run("api-key-env", func(t *testing.T) {
		g := newGatehouse(t, planted+"-right")
		d := newOffice(t, g, func(m *council.Model) {
			m.Auth = &council.Auth{Method: "api-key-env", APIKeyEnv: "MINE"}
			m.Headers = map[string]string{"X-Team": "Team ${TEAM}"}
		})
		d.env["MINE"], d.env["TEAM"] = planted+"-wrong", planted+"-team"
		d.run(cli.ExitSuspended, convene(d)...)
		d.env["MINE"] = g.right
		d.run(cli.ExitOK, "resume")
		if len(g.refused) != 1 || g.refused[planted+"-wrong"] > 3 {
			t.Errorf("refused: %v", g.refused)
		}
		d.keepsQuiet()
	})
	t.Run("credential-ref", func(t *testing.T) {
		g := newGatehouse(t, planted+"-right")
		d := newOffice(t, g, func(m *council.Model) {
			m.Auth = &council.Auth{Method: "credential-ref", CredentialID: "gate"}
		})
		d.run(cli.ExitError, convene(d)...)
		d.env["GATE"] = planted + "-wrong"
		d.run(cli.ExitOK, "login", "--config", d.config, "--credential", "gate=GATE")
		d.run(cli.ExitSuspended, convene(d)...)
		d.env["GATE"] = g.right
		d.run(cli.ExitOK, "login", "--config", d.config, "--credential", "gate=GATE")
		d.run(cli.ExitOK, "resume")
		d.run(cli.ExitOK, "record", "fsck")
		d.keepsQuiet()
	})
	t.Run("command", func(t *testing.T) {
		g := newGatehouse(t, planted+"-2")
		folder := t.TempDir()
		script := filepath.Join(folder, "token.sh")
		// The first token is stale; every other one is right.
		body := "env >>" + folder + "/env\nif test -e " + folder + "/ran; then echo " + planted + "-2; else touch " + folder +
			"/ran; echo " + planted + "-1; fi\n"
		check.OK(t, os.WriteFile(script, []byte(body), 0o700))
		d := newOffice(t, g, func(m *council.Model) {
			m.Auth = &council.Auth{Method: "command",
				Command: council.Printer{Args: []string{"sh", script}}, CacheTTLSeconds: 60}
		})
		d.run(cli.ExitOK, convene(d)...)
		if len(g.refused) != 1 || g.refused[planted+"-1"] > 3 {
			t.Errorf("refused: %v", g.refused)
		}
		if env, err := os.ReadFile(filepath.Join(folder, "env")); err != nil || bytes.Contains(env, []byte(planted)) {
			t.Errorf("%v, the program was given:\n%s", err, env)
		}
		d.keepsQuiet()
	})
	t.Run("oauth-device-code", func(t *testing.T) {
		g, renewed := newGatehouse(t, planted+"-access-2"), 0
		login := counciltest.NewFront(t, nil, func(w http.ResponseWriter, c counciltest.Call) bool {
			w.Header().Set("Content-Type", "application/json")
			tokens := `{"access_token": "%[1]s-access-%[2]d", "refresh_token": "%[1]s-refresh-%[2]d", "expires_in": 3600}`
			switch refresh := c.FormValue("refresh_token"); {
			case c.URL.Path == "/device":
				fmt.Fprintf(w, `{"device_code": "%s-device", "user_code": "WDJB-MJHT", "verification_uri": "https://login.example/device", "expires_in": 60, "interval": 1}`, planted)
			case refresh == "":
				fmt.Fprintf(w, tokens, planted, 1)
			case refresh == planted+"-refresh-1":
				renewed++
				fmt.Fprintf(w, tokens, planted, 2)
			default:
				counciltest.Refuse(w, http.StatusBadRequest, `{"error": "invalid_grant", "error_description": "what is `+refresh+`?"}`)
			}
			return true
		})
		d := newOffice(t, g, func(m *council.Model) {
			m.Auth = &council.Auth{Method: "oauth-device-code", ClientID: "c", DeviceAuthorizationEndpoint: login + "/device",
				TokenEndpoint: login + "/token"}
		})
		d.run(cli.ExitError, convene(d)...) // nobody is there to log in
		check.Says(t, d.all.String(), "Log in with council login, on a terminal.")
		d.terminal = true // the token of the login is stale, and renewed once
		d.run(cli.ExitOK, convene(d)...)
		check.Says(t, d.all.String(),
			"To log in for openai-compatible, open https://login.example/device\nand enter the code WDJB-MJHT within 1m0s.")
		if len(g.refused) != 1 || renewed != 1 {
			t.Errorf("refused: %v, renewed %d times", g.refused, renewed)
		}

		// A token that nothing renews suspends the session, with the login server's words.
		g.mu.Lock()
		g.right = planted + "-access-3"
		g.mu.Unlock()
		d.terminal = false
		d.run(cli.ExitSuspended, "convene", "And now?", "--config", d.config)
		check.Says(t, d.all.String(), "council login stores keys and logs in", "what is [cut]?")
		d.keepsQuiet()
	})
}
