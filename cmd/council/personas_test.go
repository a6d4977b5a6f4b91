package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

// A persona is taken from the file that the configuration names, else from the member's SOUL.md, else from the
// configuration; it is frozen into the record.
func TestAPersonaIsKeptApartFromTheConfiguration(t *testing.T) {
	o := listen(t)
	o.put("memory/members/m1/SOUL.md", "You are the soul of m1.\n")
	o.put("memory/members/m2/SOUL.md", "You are the soul of m2.\n")
	o.point("m1", "personas/one.md")
	dir := filepath.Dir(o.config)
	check.OK(t, os.MkdirAll(filepath.Join(dir, "personas"), 0o700))
	file := filepath.Join(dir, "personas", "one.md")
	check.OK(t, os.WriteFile(file, []byte("You are the file of m1.\r\n"), 0o600))
	prompts, recorded := o.convene()
	for _, want := range []string{"the file of m1.", "the soul of m2.", "You look at things from side m3."} {
		if !strings.Contains(prompts, want) || !strings.Contains(recorded, want) {
			t.Errorf("%q is not told and recorded", want)
		}
	}
	if strings.Contains(prompts, "soul of m1") || strings.Contains(prompts, "from side m2") {
		t.Error("a persona is told that another stands before")
	}
	if page, err := os.ReadFile(filepath.Join(o.root, "memory/m1/AGENT.md")); err != nil ||
		!strings.Contains(string(page), "Persona from: personas/one.md") {
		t.Errorf("AGENT.md says %s, %v", page, err)
	}
}

func TestPersona_ThatCannotBeReadIsRefusedWithItsPath(t *testing.T) {
	o := listen(t)
	dir := filepath.Dir(o.config)
	outside := filepath.Join(t.TempDir(), "x.md")
	for name, text := range map[string]string{outside: "Outside.", "bad.md": "\xff\xfe\xfd", "empty.md": " ",
		"key.pem": "Key."} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		check.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for link, to := range map[string]string{"link.md": outside, "secret.md": "key.pem"} {
		check.OK(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	for _, name := range []string{"none.md", "bad.md", "empty.md", "key.pem", "link.md", "secret.md", "../x.md", outside,
		"."} {
		o.point("m1", name)
		o.run(cli.ExitError, "convene", "Shall we?", "--config", o.config)
		o.says(&o.errs, "the persona of m1 cannot be taken from ")
		if name != "." {
			o.says(&o.errs, filepath.Base(name))
		}
	}
	check.ErrorIs(t, "a session was begun", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(o.root, "sessions"))))
}

// point has a member's persona taken from a file.
func (d *workplace) point(member, file string) {
	d.Helper()
	doc := check.Get(os.ReadFile(d.config))(d)
	before, rest, _ := strings.Cut(string(doc), `"id":"`+member+`"`)
	if _, old, ok := strings.Cut(rest, `,"systemPromptFile":`); ok && strings.HasPrefix(rest, `,"systemPromptFile"`) {
		_, rest, _ = strings.Cut(old, `",`)
		rest = "," + rest
	}
	doc = []byte(before + `"id":"` + member + `","systemPromptFile":"` + file + `"` + rest)
	check.OK(d, os.WriteFile(d.config, doc, 0o600))
}
