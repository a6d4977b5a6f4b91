package config_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
)

// placed returns a whole configuration with a storage of its own.
func placed(t *testing.T, storage string) []byte {
	t.Helper()
	doc, _ := templates.Council("general")
	return []byte(strings.Replace(string(doc), "{", `{ "storage": `+storage+`,`, 1))
}

func TestStorage_MemoryLiesInTheFolderOfTheRecordUnlessItIsSaid(t *testing.T) {
	for storage, want := range map[string]council.Storage{
		`{}`:                          {RootDir: ".council", MemoryDir: ".council/memory"},
		`{"rootDir": "minutes"}`:      {RootDir: "minutes", MemoryDir: "minutes/memory"},
		`{"memoryDir": "notes"}`:      {RootDir: ".council", MemoryDir: "notes"},
		`{"rootDir": "minutes/../b"}`: {RootDir: "minutes/../b", MemoryDir: "b/memory"},
		`{"rootDir": "/srv/council/", "memoryDir": "notes"}`: {RootDir: "/srv/council/", MemoryDir: "notes"},
	} {
		check.Is(t, storage, want, check.Get(config.Parse(placed(t, storage)))(t).Storage)
	}
	for _, storage := range []string{`{"memoryDir": ""}`, `{"rootDir": " "}`,
		`{"rootDir": ".council/../../z"}`, `{"rootDir": ".."}`, `{"memoryDir": "../notes"}`, `{"memoryDir": "a/../../b"}`} {
		if _, err := config.Parse(placed(t, storage)); err == nil {
			t.Errorf("%s was taken", storage)
		}
	}
}

func TestStorage_TheFolderOfTheRecordIsKnownWithoutTheRest(t *testing.T) {
	for doc, want := range map[string]string{
		`{"storage": {"rootDir": "minutes"}}`:                                             "minutes",
		"\ufeff{ /* here */ \"storage\": {\"rootDir\": \"min\\u0075tes\" /* it is */,},}": "minutes",
		`{"storage": {"rootDir": "minutes"}, "members": 7}`:                               "minutes",
		`{"storage": {"rootDir": ".council/../../z"}}`:                                    "",
		`{"storage": {"rootDir": 7}}`:                                                     "",
		`{"storage": {"rootDir": "  "}}`:                                                  "",
		`{"storage": {}}`:                                                                 "",
		`{"storage": {"rootDir": "minutes"`:                                               "",
		``:                                                                                "",
	} {
		check.Is(t, doc, want, config.RootDir([]byte(doc)))
	}
}
