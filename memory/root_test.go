package memory

import (
	"testing"

	"github.com/council-engine/council/council"
)

func TestTheWayFromMemoryToTheRecord(t *testing.T) {
	for _, tt := range []struct{ memory, root, want string }{
		{".council/memory", ".council", ""},
		{"./.council/memory/", "./.council", ""},
		{"/srv/council/memory", "/srv/council", ""},
		{"memory", ".", ""},
		{"memory", ".council", "../.council"},
		{"docs/memory", ".council", "../../.council"},
		{"../shared/memory", ".council", UnknownRoot}, // what the folder here is called is not known
		{"../shared/memory", "../shared", ""},
		{"../memory", "../records/one", "../records/one"},
		{".", ".council", ".council"},
		{".council", ".council", "."},
		{"/srv/memory", ".council", UnknownRoot},
		{"memory", "/srv/council", UnknownRoot},
		{"/srv/memory", "/home/kim/council", "../../home/kim/council"},
		{`C:\memory`, `C:\council`, UnknownRoot},
	} {
		if got := RootOf(council.Storage{RootDir: tt.root, MemoryDir: tt.memory}); got != tt.want {
			t.Errorf("memory in %s, record in %s: %q, want %q", tt.memory, tt.root, got, tt.want)
		}
	}
}
