package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
)

// sumShown returns the sum of the brief that approve shows.
func sumShown(shown string) string {
	found := regexp.MustCompile(`(?m)^SHA-256 of the brief: ([0-9a-f]{64})$`).FindStringSubmatch(shown)
	if found == nil {
		return ""
	}
	return found[1]
}

// approve reads the brief of a session and approves it, as a program does.
func (d *workplace) approve(args ...string) {
	d.Helper()
	show := []string{"approve", "--show"}
	for i, arg := range args {
		if arg != "--note" && (i == 0 || args[i-1] != "--note") {
			show = append(show, arg)
		}
	}
	d.run(cli.ExitOK, show...)
	d.run(cli.ExitOK, append([]string{"approve", "--yes", "--sha256", sumShown(d.out.String())}, args...)...)
}

// briefed returns a workplace with a closed session whose brief awaits approval, and the session's folder.
func briefed(t *testing.T) (*workplace, string) {
	d := newWorkplace(t, "")
	d.env = map[string]string{"XDG_STATE_HOME": t.TempDir()}
	d.run(cli.ExitOK, "convene", "Shall we keep the queue?", "--model", deciding, "--output", "none")
	return d, onlySession(t, d.root)
}

// onlySession returns the folder of the only session in a record.
func onlySession(t *testing.T, root string) string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "sessions", "*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	return folders[0]
}

// forgeLog changes the words of the first position in a log, and makes every digest and sum again.
func forgeLog(t *testing.T, folder string) {
	t.Helper()
	name := filepath.Join(folder, "events.json")
	text := check.Get(os.ReadFile(name))(t)
	id := council.SessionID(filepath.Base(folder))
	log := check.Get(wire.Scan(id, text))(t)
	w, forged, changed := &wire.Log{Session: id}, []byte(wire.Empty), false
	for _, e := range log.Entries {
		if p, ok := e.Payload.(council.PositionSealed); ok && !changed {
			p.Position.Position, changed = "We sell the queue.", true
			e.Payload = p
		}
		_, line, err := w.Next(e.Event, e.Time, e.Salt)
		check.OK(t, err)
		forged = append(forged[:len(forged)-wire.Overlap], line...)
	}
	if err := os.WriteFile(name, forged, 0o600); err != nil || !changed {
		t.Fatal(changed, err)
	}
}

// alterConversation changes words in every conversation of a session.
func alterConversation(t *testing.T, folder string) {
	t.Helper()
	for name, text := range check.Files(t, filepath.Join(folder, "conversations")) {
		put(t, name, strings.Replace(text, "load", "loot", 1))
	}
}

// With the log rewritten and everything rendered again, and with only a conversation altered, verify found damage and
// approve approved.
func TestApprove_NobodyRulesOnARecordThatDoesNotVerify(t *testing.T) {
	counciltest.NotUnderRace(t)
	d, folder := briefed(t)
	d.run(cli.ExitOK, "approve", "--show")
	sum := sumShown(d.out.String())
	brief := filepath.Join(t.TempDir(), "brief.json")
	put(t, brief, `{"objective": "Sell it", "recommendedExecutorProfile": "engineer"}`)
	restore := func(good map[string]string) {
		check.OK(t, os.RemoveAll(folder))
		for name, text := range good {
			put(t, name, text)
		}
	}
	waiting := check.Files(t, folder)
	d.approve()
	approved := check.Files(t, folder)
	for name, tamper := range map[string]func(){
		"the log rewritten":                func() { forgeLog(t, folder); d.run(cli.ExitOK, "record", "rebuild") },
		"only the conversations altered":   func() { alterConversation(t, folder) },
		"the anchors of another log added": func() { forgeAnchor(t, folder) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				stands map[string]string
				tries  [][]string
			}{
				{waiting, [][]string{{"--yes", "--sha256", sum}, {"--amend", brief}, {"--reject", "No."}, {"--show"}}},
				{approved, [][]string{{"--started"}}},
			} {
				restore(test.stands)
				tamper()
				d.run(cli.ExitDamaged, "verify")
				before := check.Files(t, folder)
				for _, args := range test.tries {
					d.run(cli.ExitDamaged, append([]string{"approve"}, args...)...)
					d.says(&d.errs, "does not verify: the record is damaged: ")
					if diff := cmp.Diff(before, check.Files(t, folder)); diff != "" || d.out.Len() > 0 {
						t.Fatalf("%v changed the session or printed something:\n%s%s", args, diff, &d.out)
					}
				}
			}
		})
	}
}

// forgeAnchor puts the anchor of another log of this session into its folder.
func forgeAnchor(t *testing.T, folder string) {
	t.Helper()
	name := filepath.Join(folder, "anchors")
	text := readFile(t, name)
	lines := strings.SplitN(text, "\n", 4)
	lines[2] = "AAAA" + lines[2][4:]
	put(t, name, strings.Join(lines, "\n"))
}

func TestApprove_ApprovalIsAskedForAtATerminal(t *testing.T) {
	d, folder := briefed(t)
	before := check.Files(t, folder)
	for _, typed := range []string{"", "n\n", "yikes\n"} {
		d.types(typed, cli.ExitNotDecided, "approve")
		d.says(&d.out, "Approve this brief? [y/N] Not approved. Nothing was changed.")
	}
	d.run(cli.ExitUsage, "approve")
	d.run(cli.ExitUsage, "approve", "--yes")
	check.Equal(t, "it was changed", before, check.Files(t, folder))
	d.types("", cli.ExitOK, "approve", "--reject", "Too risky.")
	d.run(cli.ExitOK, "approve", "--show")
	d.says(&d.out, "tester rejected this brief: Too risky.")
	sum := sumShown(d.out.String())
	d.run(cli.ExitError, "approve", "--yes", "--sha256", sum)
	d.says(&d.errs, "tester rejected this brief: Too risky.\nTo approve it all the same, add --despite-rejection.")
	d.types("n\n", cli.ExitNotDecided, "approve")
	d.types("y\n", cli.ExitOK, "approve")
	check.Says(d, d.out.String(), "Approve it all the same? [y/N] ", "execution approved")
	d.run(cli.ExitOK, "approve", "--reject", "On second thoughts.")
	d.run(cli.ExitOK, "approve", "--yes", "--sha256", sum, "--despite-rejection")
	d.says(&d.out, "execution approved")
}
