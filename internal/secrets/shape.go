package secrets

import (
	"encoding/base64"
	"strings"

	"github.com/council-engine/council/internal/secrets/issued"
	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

// shape is a family with a form of its own: match looks at the places where its words stand.
type shape struct {
	words []string // in small letters
	kinds []string
	match func(v *view, at int) (candidate, bool)
}

var markedShapes = []shape{
	{[]string{"-----begin ", "-----begin+", "---- begin ssh2 encrypted private key ----"}, []string{"private-key", "rsa-private-key",
		"ec-private-key", "dsa-private-key", "openssh-private-key", "encrypted-private-key", "pgp-private-key"}, privateKey},
	{[]string{"putty-user-key-file-"}, []string{"putty-private-key"}, puttyKey},
	{[]string{"eyj"}, []string{"json-web-token"}, webToken},
	{[]string{":aa"}, []string{"telegram-token"}, around("telegram-token", value.Digits, 8, 10, ":AA", value.Base64URL, 32, 35)},
	{[]string{".atlasv1."}, []string{"terraform-token"}, around("terraform-token", value.Base62, 14, 14, ".atlasv1.", value.Base64URL, 60, 70)},
	{[]string{"-us"}, []string{"mailchimp-key"}, around("mailchimp-key", value.LowHex, 32, 32, "-us", value.Digits, 1, 2)},
	{[]string{"nral"}, []string{"newrelic-key"}, around("newrelic-key", value.AnyHex, 36, 36, "NRAL", value.Digits, 0, 0)},
	{[]string{"q~"}, []string{"azure-ad-secret"}, around("azure-ad-secret", azureText, 4, 4, "Q~", azureText, 31, 34)},
	{[]string{"_mmk"}, []string{"maxmind-key"}, around("maxmind-key", value.Word, 36, 36, "_mmk", value.Digits, 0, 0)},
	{[]string{"azdo"}, []string{"azure-devops-token"}, around("azure-devops-token", value.Base62, 76, 76, "AZDO", value.Base62, 4, 4)},
	{[]string{"jqqj9"}, []string{"azure-key"}, around("azure-key", value.Base62, 40, 52, "JQQJ9", value.Base62, 20, 27)},
	{[]string{"+ast"}, []string{"azure-storage-key"}, around("azure-storage-key", value.Base64, 76, 76, "+ASt", value.Base64, 8, 8)},
	{[]string{"+as", "+ac", "+ae", "+ar", "+ab", "+am", "acdb", "azfu", "azse", "azca", "apim"}, []string{"azure-key"}, identifiable},
	{[]string{"sig="}, []string{"azure-sas-token"}, sharedSignature},
	{[]string{"md", "mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"}, []string{"discord-token"}, discord}, // a digit in base64
}

func privateKey(v *view, at int) (candidate, bool) {
	kind, end, ok := issued.PrivateKey(v.Text[at:])
	if !ok {
		return candidate{}, false
	}
	return v.found(kind, at, at+end, byForm), true
}

func puttyKey(v *view, at int) (candidate, bool) {
	begin, end, ok := issued.PuttyKey(v.Text[at:])
	if !ok {
		return candidate{}, false
	}
	return v.found("putty-private-key", at+begin, at+end, byForm), true
}

var azureText = value.NewClass("-_~.", "09", "az", "AZ")

// around matches what has its sure sign in the middle.
func around(kind string, before *value.Class, fewest, most int, sign string, after *value.Class, min, max int) func(*view, int) (candidate, bool) {
	return func(v *view, at int) (candidate, bool) {
		s := v.Text
		rest := at + len(sign)
		if s[at:rest] != sign {
			return candidate{}, false
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
		if at-start < fewest || end-rest < min || !v.beginsAt(start, sign) && !strings.HasSuffix(s[:start], "/bot") || end < len(s) && text.Alnum(s[end]) && v.Omitted(end) == "" {
			return candidate{}, false
		}
		if body := s[start:at] + s[rest:end]; !value.Drawn(body) {
			return candidate{}, false
		}
		return v.found(kind, start, end, byForm), true
	}
}

// identifiable matches a key of Azure with the mark of a service near its end: 32 or 64 bytes, of which the last hold it.
func identifiable(v *view, at int) (candidate, bool) {
	s := v.Text
	mark := s[at:min(len(s), at+4)]
	if len(mark) < 4 || !isOne(mark, azureMarks) {
		return candidate{}, false
	}
	start := at
	for start > 0 && at-start < 80 && value.AnyBase64[s[start-1]] && s[start-1] != '=' && s[start-1] != '%' {
		start--
	}
	end := at + 4 + value.AnyBase64.Run(s[at+4:], 12)
	if n := at - start; n != 33 && n != 42 && n != 43 && n != 44 && n != 46 && n != 72 && n != 76 && n != 80 || end-at < 8 || !value.Random(s[start:end]) {
		return candidate{}, false
	}
	return v.found("azure-key", start, end, byForm), true
}

var azureMarks = strings.Fields("+ASb +AEh +ARm +ABa +AMC +ACR ACDb AzFu AzSe AzCa AzEG APIM AIoT")

// jwtExample is the signature of the token that jwt.io shows, and half of all manuals.
const jwtExample = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

// webToken matches a JSON web token, signed or encrypted (RFC 7519): a header that names an algorithm, and two parts or
// four after it.
func webToken(v *view, at int) (candidate, bool) {
	s := v.Text
	if s[at:at+3] != "eyJ" || at > 0 && v.Omitted(at) == "" && (text.Wordy(s[at-1]) && s[at-1] != '/') {
		return candidate{}, false
	}
	var parts []string
	end := at
	for len(parts) < 5 {
		n := value.Base64URL.Run(s[end:], 8192)
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
	s := v.Text
	if !v.beginsAt(at, "M") || len(s)-at < 50 {
		return candidate{}, false
	}
	first := value.Base64URL.Run(s[at:], 29)
	second := at + first + 1
	if first < 23 || first > 28 || second >= len(s) || s[second-1] != '.' {
		return candidate{}, false
	}
	third := second + 7
	if value.Base64URL.Run(s[second:], 7) != 6 || third >= len(s) || s[third-1] != '.' {
		return candidate{}, false
	}
	last := v.untilProse(third+27, third+value.Base64URL.Run(s[third:], 60)) - third
	number, err := base64.RawURLEncoding.DecodeString(s[at : second-1])
	if last < 27 || last > 38 || err != nil || value.Digits.Run(string(number), len(number)) != len(number) {
		return candidate{}, false
	}
	return v.found("discord-token", at, third+last, byForm), true
}

// sharedSignature matches the signature in an Azure address, which alone grants access.
func sharedSignature(v *view, at int) (candidate, bool) {
	s := v.Text
	if at == 0 || strings.IndexByte("?&;", s[at-1]) < 0 {
		return candidate{}, false
	}
	begin := at + len("sig=")
	n := v.untilProse(begin+40, begin+value.AnyBase64.Run(s[begin:], 200)) - begin
	if n < 40 || !value.Drawn(s[begin:begin+n]) {
		return candidate{}, false
	}
	return v.found("azure-sas-token", begin, begin+n, byForm), true
}
