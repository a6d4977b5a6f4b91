package member

import (
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/secrets"
)

// discreet is c without secrets. A reply is cut before it is taped, so that what is cut stands nowhere, and what is on the
// tape is the reply.
func discreet(c prompt.Completion) prompt.Completion {
	for _, said := range []*string{&c.Text, &c.RequestID, &c.Usage.Model} {
		*said, _ = secrets.Cut(*said)
	}
	return c
}
