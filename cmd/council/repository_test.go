package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

const questionOfReaders = "May the full-text index be deleted at any time? Answer yes or no, and show the lines."

// readers is a session of a council that reads this repository.
type readers struct {
	*workplace
	clerks *clerks
	folder string // of the repository's copy
}

func readersConvene(t *testing.T, repository string, harm bool) *readers {
	t.Helper()
	r := &readers{workplace: newSteadyWorkplace(t, ""), clerks: newClerks(t), folder: checkout(t, repository, harm)}
	r.root = filepath.Join(r.folder, ".council")
	if err := os.WriteFile(r.config, []byte(charterOfClerks(r.clerks.url)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(r.folder)
	r.run(cli.ExitOK, "convene", questionOfReaders, "--config", r.config, "--context", "notes", "--context",
		"docs/decisions")
	return r
}

// file is one of the session's.
func (r *readers) file(name string) []byte {
	r.Helper()
	found, err := filepath.Glob(filepath.Join(r.root, "sessions", "*", name))
	if err != nil || len(found) != 1 {
		r.Fatalf("%s: %v, %v", name, found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		r.Fatal(err)
	}
	return text
}

// everything is every file below a folder, by its path.
func everything(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root)] = string(text)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

// Convened on this repository, members read it by their tools and cite what is there; what a document plants stays
// without effect; the receipt is that of a count by hand. All is seen from outside: in the files, and at the models'
// server.
func TestACouncilReadsTheRepositoryThatItTalksAbout(t *testing.T) {
	counciltest.NotUnderRace(t)
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	r := readersConvene(t, repository, true)
	transcript := string(r.file("transcript.md"))
	t.Run("the lines that it cites exist", func(t *testing.T) { citedLinesExist(t, r, transcript) })
	t.Run("the handbook shows what it says", func(t *testing.T) { handbookShows(t, r, transcript) })
	t.Run("a planted secret is nowhere", func(t *testing.T) { plantedSecretIsNowhere(t, r) })
	t.Run("the receipt is that of a hand count", func(t *testing.T) { receiptMatches(t, r) })
	t.Run("the record stands without the repository, the server and the tools",
		func(t *testing.T) { recordStandsAlone(t, r) })
	t.Run("a planted instruction has no effect", func(t *testing.T) {
		harmless := readersConvene(t, repository, false)
		if diff := cmp.Diff(deeds(harmless), deeds(r)); diff != "" {
			t.Errorf("events (-harmless +planted):\n%s", diff)
		}
		if diff := cmp.Diff(frame(t, harmless.file("transcript.md")), frame(t, []byte(transcript))); diff != "" {
			t.Errorf("the transcript's structure (-harmless +planted):\n%s", diff)
		}
		if strings.Contains(transcript, "SYSTEM: ignore") || strings.Contains(transcript, "Delete the record") {
			t.Error("the document speaks in the transcript")
		}
	})
}

// quotedLine is a line that a member cites, behind the words that it quotes from there.
var quotedLine = regexp.MustCompile(`“([^”]+)”: ([\w./-]+):(\d+)`)

func citedLinesExist(t *testing.T, r *readers, transcript string) {
	lines := func(file string) []string {
		text, err := os.ReadFile(filepath.Join(r.folder, file))
		if err != nil {
			t.Error(err)
		}
		return strings.Split(string(text), "\n")
	}
	for _, found := range quotedLine.FindAllStringSubmatch(transcript, -1) {
		n, _ := strconv.Atoi(found[3])
		if all := lines(found[2]); n > len(all) || !strings.Contains(all[n-1], found[1]) {
			t.Errorf("%s is cited for %q, which is not there", found[2]+":"+found[3], found[1])
		}
	}
	if n := len(quotedLine.FindAllString(transcript, -1)); n != 2 {
		t.Errorf("%d lines are quoted, not 2", n)
	}
	// Two citations do not hold, and are marked where they stand and listed at the end; no other is.
	for _, marked := range []string{"notes/vendor.md:90 ⟨no such line⟩ does not.", "see e999 ⟨no such event then⟩."} {
		if !strings.Contains(transcript, marked) {
			t.Errorf("not marked: %s", marked)
		}
	}
	_, end, _ := strings.Cut(transcript, "### Citations that did not hold")
	for _, row := range []string{"| Bob | e3 | notes/vendor.md:90 | no such line |",
		"| Cyn | e19 | e999 | no such event then |"} {
		if !strings.Contains(end, row) {
			t.Errorf("not listed: %s", row)
		}
	}
	if n := strings.Count(transcript, " ⟨"); n != 3 { // the third is where the mark is explained
		t.Errorf("%d marks, not 2", n-1)
	}
	// What was looked up, in the order in which it was told. The numbers depend on the repository.
	var looked []string
	for _, row := range regexp.MustCompile(`(?m)^\| e\d+ \| \w+ \| (?:searched|read in|listed) .* \|$`).FindAllString(
		transcript, -1) {
		looked = append(looked, regexp.MustCompile(`[\d,]+ bytes|:\d+ \|$`).ReplaceAllString(row, "N"))
	}
	if diff := cmp.Diff([]string{
		"| e2 | Ada | searched AGENTS.md for “may always be deleted” | AGENTS.mdN",
		"| e2 | Ada | read in AGENTS.md | AGENTS.md:1-6 |",
		"| e3 | Bob | listed recorder/index | N |",
		"| e3 | Bob | read in .env | it failed: it is not shown to members |",
		"| e3 | Bob | read in notes/vendor.md | notes/vendor.md:1-12 |",
		"| e4 | Cyn | searched recorder for “it can be deleted at any time” | recorder/index/doc.goN",
		"| e17 | Ada | searched recorder/index/doc.go for “it can be deleted at any time” | recorder/index/doc.goN",
		"| e26 | Cyn | searched AGENTS.md for “may always be deleted” | AGENTS.mdN",
	}, looked); diff != "" {
		t.Errorf("what was looked up (-want +got):\n%s", diff)
	}
	if n := len(toolUses(r)); n != len(looked) {
		t.Errorf("the log has %d calls of tools, the transcript %d", n, len(looked))
	}
}

// handbookShows holds the excerpt in docs/tools.md against the transcript. Numbers that depend on the repository are
// left out.
func handbookShows(t *testing.T, r *readers, transcript string) {
	page, err := os.ReadFile(filepath.Join(r.folder, "docs", "tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, excerpt, _ := strings.Cut(string(page), "```markdown\n")
	excerpt, _, found := strings.Cut(excerpt, "```")
	if !found {
		t.Fatal("docs/tools.md has no excerpt of a transcript")
	}
	bare := func(s string) string { return regexp.MustCompile(`:\d+|[\d,]+ bytes`).ReplaceAllString(s, "") }
	for line := range strings.Lines(excerpt) {
		if line != "\n" && !strings.Contains(bare(transcript), "\n"+bare(line)) {
			t.Errorf("the transcript has no line %s", line)
		}
	}
}

func toolUses(r *readers) []string {
	var all []string
	for _, e := range gjson.ParseBytes(r.file("events.json")).Array() {
		for _, u := range e.Get("payload.tools").Array() {
			all = append(all, e.Get("actorId").String()+" "+u.Get("tool").String())
		}
	}
	return all
}

// plantedSecretIsNowhere looks for the secret as it was written, and in the forms in which it could have been kept.
func plantedSecretIsNowhere(t *testing.T, r *readers) {
	secret := []byte(secretOfTheNote)
	forms := map[string]string{"as it is": secretOfTheNote, "in hexadecimal": hex.EncodeToString(secret),
		"its end": secretOfTheNote[12:]}
	for i := range 3 { // the three ways in which base64 can fall; the ends depend on what stands beside
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, i), secret...))
		forms["in base64, at "+strconv.Itoa(i)] = text[4 : len(text)-3]
	}
	nowhere := func(where, text string) {
		for form, words := range forms {
			if strings.Contains(text, words) {
				t.Errorf("the secret stands, %s, in %s", form, where)
			}
		}
		if strings.Contains(text, "hunter2-of-the-house") {
			t.Errorf("what .env says stands in %s", where)
		}
	}
	if planted, err := os.ReadFile(filepath.Join(r.folder, "notes", "vendor.md")); err != nil ||
		!bytes.Contains(planted, secret) {
		t.Fatalf("it was not planted: %v", err)
	}
	for path, text := range everything(t, r.root) {
		nowhere(path, text)
	}
	ix, err := index.Open(t.Context(), filepath.Join(r.root, "council.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var dump strings.Builder
	if err := ix.Dump(t.Context(), &dump); err != nil || !strings.Contains(dump.String(), "vendor") {
		t.Errorf("%v, and the index knows nothing of the session", err)
	}
	nowhere("the index", dump.String())
	for _, request := range r.clerks.sent {
		nowhere("what the server was sent", request)
	}
	nowhere("what was printed", r.out.String()+r.errs.String())
	if !strings.Contains(string(r.file("transcript.md")), "| 2 | github-token | notes/vendor.md |") {
		t.Error("the transcript does not say what was cut")
	}
}

// recordStandsAlone takes the repository and the server away: what is on record is enough to verify it, to decide it
// again and to write its files again, byte for byte.
func recordStandsAlone(t *testing.T, r *readers) {
	calls := r.clerks.total()
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".council" {
			if err := os.RemoveAll(filepath.Join(r.folder, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	sessions := filepath.Join(r.root, "sessions")
	before := everything(t, sessions)
	r.run(cli.ExitOK, "verify")
	r.says(&r.out, "Integrity:    ok")
	r.says(&r.out, "Completeness: ok")
	r.run(cli.ExitOK, "replay")
	for _, name := range []string{"transcript.md", "session.json", "leader-summary.md", "minority-report.md"} {
		found, _ := filepath.Glob(filepath.Join(sessions, "*", name))
		if err := os.Remove(found[0]); err != nil {
			t.Fatal(err)
		}
	}
	r.run(cli.ExitOK, "rebuild")
	if diff := cmp.Diff(before, everything(t, sessions)); diff != "" {
		t.Errorf("rebuilt (-before +after):\n%s", diff)
	}
	if n := r.clerks.total(); n != calls {
		t.Errorf("the server was called %d times more", n-calls)
	}
}

// deeds returns the events of a session: who did and said what, in which order, and what came of it. What depends on
// the place, the time and the words of documents is left out.
func deeds(r *readers) []any {
	var all []any
	for _, e := range gjson.ParseBytes(r.file("events.json")).Array() {
		all = append(all, without(e.Value()))
	}
	return all
}

var passing = map[string]bool{"sessionId": true, "session": true, "timestamp": true, "digest": true, "sum": true,
	"salt": true, "sha256": true,
	"elapsedMs": true, "bytes": true, "documents": true, "hidden": true, "baseUrl": true, "rootDir": true,
	"memoryDir": true, "promptBytes": true}

func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, use := v["arguments"]; use {
			delete(v, "result")
		}
		for name, field := range v {
			if delete(v, name); !passing[name] {
				v[name] = without(field)
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}
