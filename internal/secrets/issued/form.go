// Package issued lists the forms of the keys and tokens that their issuers mark by a prefix.
package issued

import (
	"slices"

	"github.com/council-engine/council/internal/secrets/value"
)

// Form is how the tokens of one kind look.
type Form struct {
	Kind   string
	Prefix string
	Body   *value.Class
	Min    int               // characters of the body
	Max    int               // 0: as many as Min, no fewer and no more
	Check  func(string) bool // of the body; nil: [value.Drawn]
}

// longest bounds the body of a token that has no length of its own.
const longest = 1024

// Forms returns all of them.
func Forms() []Form { return slices.Concat(cloud, models, work) }
