package secrets

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

// token matches what has the form of an issuer.
type token struct {
	looks.Form
	prefix string
}

func (t token) match(v *view, at int) []candidate {
	s := v.text
	begin := at + len(t.prefix)
	if s[at:begin] != t.prefix || !v.beginsAt(at, t.prefix) {
		return nil
	}
	limit := t.Max
	if limit == 0 {
		limit = t.Min
	}
	end := begin + t.Body.Run(s[begin:], limit)
	if end-begin < t.Min || end < len(s) && t.Max == 0 && t.Body[s[end]] && v.omitted(end) == "" && !sentenceEnd(s[end:]) {
		return nil
	}
	if t.Max > 0 {
		end = v.untilProse(begin+t.Min, end)
	}
	for end-begin > t.Min && s[end-1] == '.' {
		end--
	}
	check := t.Check
	if check == nil {
		check = looks.Drawn
	}
	return v.foundUnless(!check(s[begin:end]), t.Kind, at, end, byForm)
}

// beginsAt reports whether a word with this prefix can begin at a place: not in the middle of another. Short
// ones such as "sk-" are parts of many a word with hyphens.
func (v *view) beginsAt(at int, prefix string) bool {
	if at == 0 || v.omitted(at) != "" {
		return true
	}
	c := v.text[at-1]
	return !alnum(c) && c != '_' && (c != '-' || len(prefix) > 4 || prefix[len(prefix)-1] != '-')
}

// sentenceEnd reports whether a dot or a hyphen ends a sentence rather than going on with a word.
func sentenceEnd(s string) bool {
	return s[0] == '.' && (len(s) == 1 || !alnum(s[1]))
}

// untilProse shortens a word that was put together over line ends, beyond its shortest length, to what does not look
// like the beginning of the next line.
func (v *view) untilProse(shortest, end int) int {
	for at := v.nextBreak(shortest-1, end); at < end; {
		next := v.nextBreak(at, end)
		if t := looks.TraitsOf(v.text[at:next]); t.Turns < 2 && (t.Digit == 0 || t.Turns == 0) ||
			next-at >= 12 && looks.Reference(v.text[at:next]) && !strings.ContainsAny(v.omitted(at), "\"'") {
			return at
		}
		at = next
	}
	return end
}

// foundUnless makes a finding of text[start:end] unless something speaks against it.
func (v *view) foundUnless(against bool, kind string, start, end int, r rank) []candidate {
	if against {
		return nil
	}
	return []candidate{v.found(kind, start, end, r)}
}

func (v *view) found(kind string, start, end int, r rank) candidate {
	from, to := v.origin(start, end)
	return candidate{Finding{kind, from, to}, r}
}

var prefixText = looks.NewClass("-_.~", "09", "az", "AZ")

// prefixed finds what has the looks of a key of an issuer that is not known: a short prefix or more of them, and a long
// word drawn by lot.
func (v *view) prefixed() []candidate {
	var found []candidate
	s := v.text
	for i := 0; i < len(s); i++ {
		n := prefixText.Run(s[i:], len(s))
		if n >= 24 && n <= 512 && (i == 0 || strings.IndexByte("/+@#=%&", s[i-1]) < 0 || s[i-1] == '=') &&
			(i+n == len(s) || strings.IndexByte("/+@(", s[i+n]) < 0) {
			if word := strings.TrimRight(s[i:i+n], "."); looks.Opens(word) && v.whole(i, i+len(word)) {
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
		if v.omitted(i) != "" {
			return false
		}
	}
	return true
}

// shape is a family with a form of its own: match looks at the places where its words stand.
type shape struct {
	words []string // in small letters
	kinds []string
	match func(v *view, at int) []candidate
}

var markedShapes = []shape{
	{[]string{"-----begin ", "-----begin+", "---- begin ssh2 encrypted private key ----"},
		[]string{"private-key", "rsa-private-key",
			"ec-private-key", "dsa-private-key", "openssh-private-key", "encrypted-private-key", "pgp-private-key"}, privateKey},
	{[]string{"putty-user-key-file-"}, []string{"putty-private-key"}, puttyKey},
	{[]string{"eyj"}, []string{"json-web-token"}, webToken},
	{[]string{":aa"}, []string{"telegram-token"},
		around("telegram-token", looks.Digits, 8, 10, ":AA", looks.Base64URL, 32, 35)},
	{[]string{".atlasv1."}, []string{"terraform-token"},
		around("terraform-token", looks.Base62, 14, 14, ".atlasv1.", looks.Base64URL, 60, 70)},
	{[]string{"-us"}, []string{"mailchimp-key"}, around("mailchimp-key", looks.LowHex, 32, 32, "-us", looks.Digits, 1, 2)},
	{[]string{"nral"}, []string{"newrelic-key"}, around("newrelic-key", looks.AnyHex, 36, 36, "NRAL", looks.Digits, 0, 0)},
	{[]string{"q~"}, []string{"azure-ad-secret"}, around("azure-ad-secret", azureText, 4, 4, "Q~", azureText, 31, 34)},
	{[]string{"_mmk"}, []string{"maxmind-key"}, around("maxmind-key", looks.Word, 36, 36, "_mmk", looks.Digits, 0, 0)},
	{[]string{"azdo"}, []string{"azure-devops-token"},
		around("azure-devops-token", looks.Base62, 76, 76, "AZDO", looks.Base62, 4, 4)},
	{[]string{"jqqj9"}, []string{"azure-key"}, around("azure-key", looks.Base62, 40, 52, "JQQJ9", looks.Base62, 20, 27)},
	{[]string{"+ast"}, []string{"azure-storage-key"},
		around("azure-storage-key", looks.Base64, 76, 76, "+ASt", looks.Base64, 8, 8)},
	{[]string{"+as", "+ac", "+ae", "+ar", "+ab", "+am", "acdb", "azfu", "azse", "azca", "apim"}, []string{"azure-key"},
		identifiable},
	{[]string{"sig="}, []string{"azure-sas-token"}, sharedSignature},
	// a digit in base64
	{[]string{"md", "mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"}, []string{"discord-token"}, discord},
}

var azureText = looks.NewClass("-_~.", "09", "az", "AZ")

// around matches what has its sure sign in the middle.
func around(kind string, before *looks.Class, fewest, most int, sign string, after *looks.Class, min,
	max int) func(*view, int) []candidate {
	return func(v *view, at int) []candidate {
		s := v.text
		rest := at + len(sign)
		if s[at:rest] != sign {
			return nil
		}
		start := at
		for start > 0 && at-start < most && before[s[start-1]] {
			start--
		}
		end := rest + after.Run(s[rest:], max)
		if max > min {
			end = v.untilProse(rest+min, end)
		}
		for end-rest > min && s[end-1] == '.' {
			end--
		}
		if at-start < fewest || end-rest < min || !v.beginsAt(start, sign) && !strings.HasSuffix(s[:start], "/bot") ||
			end < len(s) && alnum(s[end]) && v.omitted(end) == "" {
			return nil
		}
		if body := s[start:at] + s[rest:end]; !looks.Drawn(body) {
			return nil
		}
		return []candidate{v.found(kind, start, end, byForm)}
	}
}

// identifiable matches a key of Azure with the mark of a service near its end: 32 or 64 bytes, of which the last hold
// it.
func identifiable(v *view, at int) []candidate {
	s := v.text
	mark := s[at:min(len(s), at+4)]
	if len(mark) < 4 || !slices.Contains(azureMarks, mark) {
		return nil
	}
	start := at
	for start > 0 && at-start < 80 && looks.AnyBase64[s[start-1]] && s[start-1] != '=' && s[start-1] != '%' {
		start--
	}
	end := at + 4 + looks.AnyBase64.Run(s[at+4:], 12)
	if n := at - start; n != 33 && n != 42 && n != 43 && n != 44 && n != 46 && n != 72 && n != 76 && n != 80 ||
		end-at < 8 || !looks.Random(s[start:end]) {
		return nil
	}
	return []candidate{v.found("azure-key", start, end, byForm)}
}

var azureMarks = strings.Fields("+ASb +AEh +ARm +ABa +AMC +ACR ACDb AzFu AzSe AzCa AzEG APIM AIoT")

// jwtExample is the signature of the token that jwt.io shows, and half of all manuals.
const jwtExample = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

// webToken matches a JSON web token, signed or encrypted (RFC 7519): a header that names an algorithm, and two parts or
// four after it.
func webToken(v *view, at int) []candidate {
	s := v.text
	if s[at:at+3] != "eyJ" || at > 0 && v.omitted(at) == "" && (wordy(s[at-1]) && s[at-1] != '/') {
		return nil
	}
	var parts []string
	end := at
	for len(parts) < 5 {
		n := looks.Base64URL.Run(s[end:], 8192)
		if n == 0 && len(parts) != 1 { // an encrypted token may have no key of its own
			break
		}
		parts = append(parts, s[end:end+n])
		if end += n; end == len(s) || s[end] != '.' {
			break
		}
		end++
	}
	if len(parts) < 3 || len(parts[2]) < 10 || strings.HasPrefix(parts[2], jwtExample) {
		return nil
	}
	if s[end-1] == '.' {
		end--
	}
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	return v.foundUnless(err != nil || !strings.Contains(string(header), `"alg"`), "json-web-token", at,
		v.untilProse(at+len(parts[0])+len(parts[1])+10, end), byForm)
}

// discord matches the token of a bot: its number in base64, a time, and a signature.
func discord(v *view, at int) []candidate {
	s := v.text
	if !v.beginsAt(at, "M") || len(s)-at < 50 {
		return nil
	}
	first := looks.Base64URL.Run(s[at:], 29)
	second := at + first + 1
	if first < 23 || first > 28 || second >= len(s) || s[second-1] != '.' {
		return nil
	}
	third := second + 7
	if looks.Base64URL.Run(s[second:], 7) != 6 || third >= len(s) || s[third-1] != '.' {
		return nil
	}
	last := v.untilProse(third+27, third+looks.Base64URL.Run(s[third:], 60)) - third
	number, err := base64.RawURLEncoding.DecodeString(s[at : second-1])
	return v.foundUnless(last < 27 || last > 38 || err != nil ||
		looks.Digits.Run(string(number), len(number)) != len(number), "discord-token", at, third+last, byForm)
}

// sharedSignature matches the signature in an Azure address, which alone grants access.
func sharedSignature(v *view, at int) []candidate {
	s := v.text
	if at == 0 || strings.IndexByte("?&;", s[at-1]) < 0 {
		return nil
	}
	begin := at + len("sig=")
	n := v.untilProse(begin+40, begin+looks.AnyBase64.Run(s[begin:], 200)) - begin
	return v.foundUnless(n < 40 || !looks.Drawn(s[begin:begin+n]), "azure-sas-token", begin, begin+n, byForm)
}
