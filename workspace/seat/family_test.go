package seat

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// Of a program of the user's own the session opened without a word about what council cannot know of it.
func TestWhatIsUnknownOfAProgramIsSaid(t *testing.T) {
	c := &council.Charter{Members: []council.Member{
		{ID: "ada", Model: council.Model{Provider: "command", Model: "claude", Program: "/opt/claude"}},
		{ID: "bob", Model: council.Model{Provider: "openai", Model: "m"}},
	}}
	check.Is(t, "of an agent and a server", "", UnknownProgramsWarning(c))
	own := council.Model{Provider: "command", Model: "clerk", Command: []string{"./bin/clerk", "--brief"}}
	c.Members[1].Model.Fallbacks = []council.Model{own}
	words := UnknownProgramsWarning(c)
	check.Says(t, words, "answers for bob (./bin/clerk).", "which tools it uses", "what it costs",
		"whether it remembers")
}
