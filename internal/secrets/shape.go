package secrets

import (
	"encoding/base64"
	"strings"
)

// shape is a family with a form of its own: match looks at the place where its word stands.
type shape struct {
	word  string // in small letters
	kinds []string
	match func(v *view, at int) (candidate, bool)
}

var shapes = []shape{
	{"eyj", []string{"json-web-token"}, webToken},
	{":aa", []string{"telegram-token"}, around("telegram-token", digits, 8, 10, ":AA", base64url, 32, 35)},
	{".atlasv1.", []string{"terraform-token"}, around("terraform-token", base62, 14, 14, ".atlasv1.", base64url, 60, 70)},
	{"-us", []string{"mailchimp-key"}, around("mailchimp-key", lowHex, 32, 32, "-us", digits, 1, 2)},
	{"nral", []string{"newrelic-key"}, around("newrelic-key", anyHex, 36, 36, "NRAL", digits, 0, 0)},
	{"q~", []string{"azure-ad-secret"}, around("azure-ad-secret", newClass("-_~.", "09", "az", "AZ"), 4, 4, "Q~", newClass("-_~.", "09", "az", "AZ"), 31, 34)},
	{"sig=", []string{"azure-sas-token"}, sharedSignature},
}

func init() {
	for _, begin := range []string{"md", "mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"} {
		shapes = append(shapes, shape{begin, []string{"discord-token"}, discord})
	}
}

// around matches what has its sure sign in the middle.
func around(kind string, before *class, fewest, most int, sign string, after *class, min, max int) func(*view, int) (candidate, bool) {
	return func(v *view, at int) (candidate, bool) {
		s := v.text
		rest := at + len(sign)
		if s[at:rest] != sign {
			return candidate{}, false
		}
		start := at
		for start > 0 && at-start < most && before[s[start-1]] {
			start--
		}
		end := rest + after.run(s[rest:], max)
		for end-rest > min && s[end-1] == '.' {
			end--
		}
		if at-start < fewest || end-rest < min || !v.beginsAt(start, sign) || end < len(s) && alnum(s[end]) && v.omitted(end) == "" {
			return candidate{}, false
		}
		if body := s[start:at] + s[rest:end]; !drawn(body) {
			return candidate{}, false
		}
		return v.found(kind, start, end, byForm), true
	}
}

// jwtExample is the signature of the token that jwt.io shows, and half of all manuals.
const jwtExample = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

// webToken matches a JSON web token, signed or encrypted (RFC 7519): a header that names an algorithm, and two parts or
// four after it.
func webToken(v *view, at int) (candidate, bool) {
	s := v.text
	if s[at:at+3] != "eyJ" || at > 0 && v.omitted(at) == "" && (wordy(s[at-1]) && s[at-1] != '/') {
		return candidate{}, false
	}
	var parts []string
	end := at
	for len(parts) < 5 {
		n := base64url.run(s[end:], 8192)
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
		return candidate{}, false
	}
	if s[end-1] == '.' {
		end--
	}
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || !strings.Contains(string(header), `"alg"`) {
		return candidate{}, false
	}
	return v.found("json-web-token", at, v.untilProse(at+len(parts[0])+len(parts[1])+10, end), byForm), true
}

// discord matches the token of a bot: its number in base64, a time, and a signature.
func discord(v *view, at int) (candidate, bool) {
	s := v.text
	if !v.beginsAt(at, "M") || len(s)-at < 50 {
		return candidate{}, false
	}
	first := base64url.run(s[at:], 29)
	second := at + first + 1
	if first < 23 || first > 28 || second >= len(s) || s[second-1] != '.' {
		return candidate{}, false
	}
	third := second + 7
	if base64url.run(s[second:], 7) != 6 || third >= len(s) || s[third-1] != '.' {
		return candidate{}, false
	}
	last := base64url.run(s[third:], 39)
	number, err := base64.RawURLEncoding.DecodeString(s[at : second-1])
	if last < 27 || last > 38 || err != nil || digits.run(string(number), len(number)) != len(number) {
		return candidate{}, false
	}
	return v.found("discord-token", at, third+last, byForm), true
}

// sharedSignature matches the signature in an Azure address, which alone grants access.
func sharedSignature(v *view, at int) (candidate, bool) {
	s := v.text
	if at == 0 || strings.IndexByte("?&;", s[at-1]) < 0 {
		return candidate{}, false
	}
	begin := at + len("sig=")
	n := anyBase64.run(s[begin:], 200)
	if n < 40 || !drawn(s[begin:begin+n]) {
		return candidate{}, false
	}
	return v.found("azure-sas-token", begin, begin+n, byForm), true
}
