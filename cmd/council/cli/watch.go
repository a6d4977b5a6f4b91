package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// ComposeNote returns a note or a question of a person as members are told it, and what was cut from it. A length that
// it may not have is wrong use.
func ComposeNote(a *Env, root *recorder.Root, what, text string, most int) (said string, cut council.Topic,
	err error) {
	lawful, err := a.Policy(root.Path())
	if err != nil {
		return "", cut, err
	}
	text = strings.TrimSpace(hostile.Clean(site.NoteCuts(&cut, "the "+what, text, lawful.Redactions()...)))
	if n := utf8.RuneCountInString(text); n == 0 || n > most {
		return "", cut, site.Refuse(fmt.Sprintf("a %s has 1 to %s characters, and this one has %s", what,
			plural.Thousands(most), plural.Thousands(n)), "Say it in a few sentences.")
	}
	return text, cut, nil
}
