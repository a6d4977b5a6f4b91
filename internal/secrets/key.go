package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

const (
	maxKey    = 64 << 10 // bytes of a private key with its frame
	leastKey  = 24       // characters of base64 below which a frame is only being talked about
	keySample = 256
)

// privateKey matches a key in PEM or armour, to the end of its frame; without one, to the end of what can be a key.
func privateKey(v *view, at int) []candidate {
	s := v.text[at:min(len(v.text), at+maxKey)]
	label, ok := frameLabel(s)
	if !ok {
		return nil
	}
	body := strings.Index(s, label) + len(label)
	body += len(s[body:]) - len(strings.TrimLeft(s[body:], "-"))
	close := "END " + label
	if strings.Contains(label, "+") { // an address of a form, where a plus is a blank
		close = "END+" + label
	}
	if next := strings.Index(s[body:], "BEGIN"); next >= 0 {
		s = s[:body+next] // what ends after it is another
	}
	end := strings.Index(s[body:], close)
	if end < 0 {
		end = keyRun(s[body:])
	}
	if key := sampleOf(s[body : body+end]); len(key) < leastKey || !looks.Drawn(key) {
		return nil
	}
	end += body
	if rest, closed := strings.CutPrefix(s[end:], close); closed {
		end += len(close) + min(len(rest)-len(strings.TrimLeft(rest, "-")), len("-----"))
	}
	return []candidate{v.found(keyKind(label), at, at+end, byForm)}
}

// frameLabel returns what a frame says it holds: "RSA PRIVATE KEY".
func frameLabel(s string) (string, bool) {
	line := strings.TrimLeft(s[:min(len(s), 80)], "-")
	line = strings.TrimSpace(line)
	line = line[min(len(line), len("BEGIN ")):]
	label, _, ok := strings.Cut(line, "--")
	label = strings.TrimSpace(label)
	return label, ok && strings.Contains(strings.ReplaceAll(label, "+", " "), "PRIVATE KEY")
}

func keyKind(label string) string {
	for _, k := range []struct{ word, kind string }{
		{"PGP", "pgp-private-key"}, {"OPENSSH", "openssh-private-key"}, {"SSH2", "openssh-private-key"},
		{"ENCRYPTED", "encrypted-private-key"},
		{"RSA", "rsa-private-key"}, {"EC", "ec-private-key"}, {"DSA", "dsa-private-key"},
	} {
		if strings.Contains(label, k.word) {
			return k.kind
		}
	}
	return "private-key"
}

var keyText = looks.NewClass("+/=\n\r\t \\\"',:->#|*", "09", "az", "AZ")

// keyRun measures how far a key without an end may reach: over lines that hold one word of base64 each, or a header of
// armour. A quote ends a literal, and the key with it.
func keyRun(s string) int {
	end := 0
	for line := range strings.Lines(s) {
		text := strings.Trim(line, " \t\r\n\"'`,\\+>#|*")
		words := strings.Fields(text)
		if text != "" && (keyText.Run(text, len(text)) != len(text) || len(words) > 1 && !strings.Contains(words[0], ":")) {
			break
		}
		if text != "" {
			end += len(strings.TrimRight(line, "\r\n"))
			end += len(line) - len(strings.TrimRight(line, "\r\n"))
		} else {
			end += len(line)
		}
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
		if looks.Base64[s[i]] {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// puttyKey matches the private part of a PuTTY key file.
func puttyKey(v *view, at int) []candidate {
	s := v.text[at:min(len(v.text), at+maxKey)]
	begin := strings.Index(s, "Private-Lines:")
	if begin < 0 {
		return nil
	}
	end := strings.Index(s[begin:], "Private-MAC:")
	if end < 0 {
		end = keyRun(s[begin:])
	} else {
		end = min(end+len("Private-MAC: "), len(s)-begin)
		end += looks.AnyHex.Run(s[begin+end:], 128)
	}
	if key := sampleOf(s[min(begin+len("Private-Lines:"), begin+end) : begin+end]); len(key) < leastKey ||
		!looks.Drawn(key) {
		return nil
	}
	return []candidate{v.found("putty-private-key", at+begin, at+begin+end, byForm)}
}
