package secrets

import (
	"regexp"
	"strings"
)

const (
	maxKey    = 64 << 10 // bytes of a private key with its frame
	leastKey  = 24       // characters of base64 below which a frame is only being talked about
	keySample = 256
)

// frames begin the private keys that people store: PEM and armour with a label, and PuTTY's.
var (
	frame   = regexp.MustCompile(`^-{4,5}[ ]?(?i:begin)[ +]([A-Z0-9 +]*PRIVATE[ +]KEY[A-Z +]*?) ?-{4,5}`)
	keyText = newClass("a-zA-Z0-9+/=\n\r\t \\\"',:>#|*-")
)

// privateKey matches a key from its frame's beginning to the end; without one, to the end of what can be a key.
func privateKey(v *view, at int, said string) []candidate {
	s := v.text[at:min(len(v.text), at+maxKey)]
	kind, body, end := "putty-private-key", strings.Index(s, "Private-Lines:"), "Private-MAC:"
	if m := frame.FindStringSubmatchIndex(s); m != nil {
		label := s[m[2]:m[3]]
		kind, body, end = keyKind(label), m[1], "END "+label
		if strings.Contains(label, "+") { // an address of a form, where a plus is a blank
			end = "END+" + label
		}
		if next := strings.Index(s[body:], "BEGIN"); next >= 0 {
			s = s[:body+next] // what ends after it is another
		}
	} else if said[0] == '-' || body < 0 {
		return nil
	}
	stop := strings.Index(s[body:], end)
	closed := stop >= 0
	if !closed {
		stop = keyRun(s[body:])
	}
	if key := sampleOf(strings.TrimPrefix(s[body:body+stop], "Private-Lines:")); len(key) < leastKey || !drawn(key) {
		return nil
	}
	if stop += body; closed {
		stop += len(end)
		rest := strings.TrimLeft(s[stop:], "- ")
		stop = min(len(s)-len(rest), stop+len("-----"))
		if kind == "putty-private-key" {
			stop += anyHex.run(rest, 128)
		}
	}
	return []candidate{v.found(kind, at, at+stop, byForm)}
}

// keyKinds are what a frame's label may say before "PRIVATE KEY".
var keyKinds = [][2]string{{"PGP", "pgp-"}, {"OPENSSH", "openssh-"}, {"SSH2", "openssh-"}, {"ENCRYPTED", "encrypted-"},
	{"RSA", "rsa-"}, {"EC", "ec-"}, {"DSA", "dsa-"}}

func keyKind(label string) string {
	for _, k := range keyKinds {
		if strings.Contains(label, k[0]) {
			return k[1] + "private-key"
		}
	}
	return "private-key"
}

// keyRun measures how far a key without an end may reach: over lines that hold one word of base64 each, or a header of
// armour. A quote ends a literal, and the key with it.
func keyRun(s string) int {
	end := 0
	for row := range strings.Lines(s) {
		text := strings.Trim(row, " \t\r\n\"'`,\\+>#|*")
		words := strings.Fields(text)
		if !keyText.only(text) || len(words) > 1 && !strings.Contains(words[0], ":") {
			break
		}
		end += len(row)
		if text != "" && len(text) < 40 && end > keySample && !strings.Contains(text, ":") {
			break // the last line of a block is shorter than the others
		}
	}
	return len(strings.TrimRight(s[:end], " \t\r\n\"'`,\\"))
}

// sampleOf returns the beginning of a key without what lays it out.
func sampleOf(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < keySample; i++ {
		if base64Any[s[i]] {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
