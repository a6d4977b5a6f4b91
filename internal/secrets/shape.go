package secrets

import (
	"encoding/base64"
	"strings"
)

// shape is a family with a form of its own: match looks at the places where its words stand.
type shape struct {
	words []string // in small letters
	kinds []string
	match matcher
}

var markedShapes = []shape{
	{[]string{"eyj"}, []string{"json-web-token"}, webToken},
	{[]string{":aa"}, []string{"telegram-token"}, around("telegram-token", digits, 8, 10, ":AA", base64url, 32, 35)},
	{[]string{".atlasv1."}, []string{"terraform-token"}, around("terraform-token", base62, 14, 14, ".atlasv1.", base64url, 60, 70)},
	{[]string{"-us"}, []string{"mailchimp-key"}, around("mailchimp-key", lowHex, 32, 32, "-us", digits, 1, 2)},
	{[]string{"nral"}, []string{"newrelic-key"}, around("newrelic-key", anyHex, 36, 36, "NRAL", digits, 0, 0)},
	{[]string{"q~"}, []string{"azure-ad-secret"}, around("azure-ad-secret", azureText, 4, 4, "Q~", azureText, 31, 34)},
	{[]string{"sig="}, []string{"azure-sas-token"}, sharedSignature},
	{[]string{"md", "mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"}, []string{"discord-token"}, discord}, // a digit in base64
}

var azureText = newClass("-_~.", "09", "az", "AZ")

// around matches what has its sure sign in the middle.
func around(kind string, before *class, fewest, most int, sign string, after *class, min, max int) matcher {
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
		if max > min {
			end = v.untilProse(rest+min, end)
		}
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
	last := v.untilProse(third+27, third+base64url.run(s[third:], 60)) - third
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
	n := v.untilProse(begin+40, begin+anyBase64.run(s[begin:], 200)) - begin
	if n < 40 || !drawn(s[begin:begin+n]) {
		return candidate{}, false
	}
	return v.found("azure-sas-token", begin, begin+n, byForm), true
}
