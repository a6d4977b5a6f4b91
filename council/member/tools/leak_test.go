package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
)

// A secret was shown in part where a line was cut for its length, or where a member read only some of the lines of a
// key: neither part is known for one. Nor can a member find out a secret by searching for it.
func TestAPartOfASecretIsNotShown(t *testing.T) {
	dir := t.TempDir()
	key := "-----BEGIN PRIVATE KEY-----\n"
	for i := range 8 {
		key += strings.Repeat(fmt.Sprintf("MIIEvQ%dBADANBgkqhkiG9w0", i), 3)[:64] + "\n"
	}
	key += "-----END PRIVATE KEY-----\n"
	const token = "ghp_" + "Zq3dXvNkLw7t2MpB9sRfYc4hJg6uEa8iTn1o"
	for name, text := range map[string]string{"deploy.md": "The key:\n" + key + "The end.\n",
		"long.md": strings.Repeat("x ", 235) + token + "\n"} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	k, _ := equip(t, func(s *council.Tools) { s.Workspace.Root = dir })
	for name, arguments := range map[string]string{
		"some lines of a key":                           `{"path": "deploy.md", "from": 4, "to": 6}`,
		"a token at the end of what is shown of a line": `{"path": "long.md"}`,
	} {
		if u := use(t, k, council.ToolRead, arguments); u.Failed || strings.Contains(u.Result, "MIIEvQ") ||
			strings.Contains(u.Result, "ghp_") {
			t.Errorf("%s: %+v", name, u)
		}
	}
	for _, query := range []string{"MIIEvQ3", "ghp_Zq3d"} {
		if u := use(t, k, council.ToolSearch, `{"query": "`+query+`"}`); u.Failed ||
			!strings.Contains(u.Result, "No line holds it") {
			t.Errorf("%s: %+v", query, u)
		}
	}
	if u := use(t, k, council.ToolRead, `{"path": "deploy.md"}`); len(u.Secrets) != 1 || u.Secrets[0].Count != 1 ||
		strings.Count(u.Result, "[cut: ") != 1 {
		t.Errorf("%+v", u)
	}
}

// Of a key of ours that has several lines, such as one of a server's, each line keeps its number.
func TestAKeyOfSeveralLinesLeavesThemTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	const key = "first line of it\nsecond line of it\nthird line"
	for name, text := range map[string]string{"a.md": "The key:\n" + key + "\nThe end, by the lines.\n", "empty.md": ""} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	wallet := &credential.Wallet{}
	wallet.Note(key)
	k := check.Get(New(&council.Tools{Workspace: &council.Workspace{Root: dir}}, Options{Now: time.Now, Wallet: wallet,
		Cut: func(text string) (string, []council.Cut) { return text, nil }}))(t)
	own := []council.Cut{{Kind: ownSecret, Count: 1}}
	for _, test := range []struct {
		tool, arguments, want string
		secrets               []council.Cut
	}{
		{council.ToolRead, `{"path": "a.md", "from": 2, "to": 5}`,
			"a.md, lines in all: 5\n2| [cut]\n3| \n4| \n5| The end, by the lines.", own},
		{council.ToolSearch, `{"query": "line"}`, "a.md:5| The end, by the lines.", nil},
		{council.ToolSearch, `{"query": "^$", "regexp": true, "path": "empty.md"}`,
			"No line holds it. Files that were searched: 1.", nil},
	} {
		if u := use(t, k, test.tool, test.arguments); u.Result != test.want || !slices.Equal(u.Secrets, test.secrets) {
			t.Errorf("%s: %+v", test.arguments, u)
		}
	}
}
