package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/value"
)

var prefixText = value.NewClass("-_.~", "09", "az", "AZ")

// prefixed finds what has the looks of a key of an issuer that is not known: a short prefix or more of them, and a long word
// drawn by lot.
func (v *view) prefixed() []candidate {
	var found []candidate
	s := v.Text
	for i := 0; i < len(s); i++ {
		n := prefixText.Run(s[i:], len(s))
		if n >= 24 && n <= 512 && (i == 0 || strings.IndexByte("/+@#=%&", s[i-1]) < 0 || s[i-1] == '=') && (i+n == len(s) || strings.IndexByte("/+@(", s[i+n]) < 0) {
			if word := strings.TrimRight(s[i:i+n], "."); value.Opens(word) && v.whole(i, i+len(word)) {
				found = append(found, v.found("token", i, i+len(word), byName))
			}
		}
		i += n
	}
	return found
}

// whole reports whether nothing was left out of text[from:to].
func (v *view) whole(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if v.Omitted(i) != "" {
			return false
		}
	}
	return true
}
