package secrets

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

var headerShapes = []shape{
	{[]string{"bearer "}, []string{"bearer-token"}, scheme("bearer-token", len("bearer "), bearer)},
	{[]string{"basic "}, []string{"basic-auth"}, scheme("basic-auth", len("basic "), basic)},
	{[]string{"ssws "}, []string{"okta-token"}, scheme("okta-token", len("ssws "), bearer)},
	{[]string{"curl"}, []string{"basic-auth"}, curl},
	{[]string{"authorization"}, []string{"authorization"}, authorization},
}

// scheme matches the credentials after the name of a scheme, such as Bearer.
func scheme(kind string, skip int, is func(string) bool) matcher {
	return func(v *view, at int) (candidate, bool) {
		if !v.beginsAt(at, "b") {
			return candidate{}, false
		}
		begin := at + skip
		for begin < len(v.text) && v.text[begin] == ' ' && begin < at+skip+8 {
			begin++
		}
		end := v.untilProse(begin+4, begin+credentialText.run(v.text[begin:], 4096))
		end -= len(v.text[begin:end]) - len(strings.TrimRight(v.text[begin:end], ".:~"))
		if end-begin < 4 || !is(v.text[begin:end]) {
			return candidate{}, false
		}
		return v.found(kind, begin, end, byPlace), true
	}
}

// credentialText is what RFC 9110 allows in a token, with the colon that some put there.
var credentialText = newClass("-._~+/=:", "09", "az", "AZ")

func bearer(s string) bool { return len(s) >= 16 && drawn(s) && !reference(s) }

// basic reports whether s is base64 of a name and a password.
func basic(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || !utf8.Valid(raw) {
		return false
	}
	user, password, ok := strings.Cut(string(raw), ":")
	return ok && len(password) >= 3 && printable(raw) == len(raw) && !strings.ContainsAny(user, " \n") && !placeholder(password)
}

// authorization matches a header's value of whatever scheme.
func authorization(v *view, at int) (candidate, bool) {
	s := v.text
	begin, _, ok := valueOf(s, at, at+len("authorization"))
	if !ok {
		return candidate{}, false
	}
	line := s[begin:min(len(s), begin+maxValue)]
	if name, _, two := strings.Cut(line, " "); two && letters.run(name, len(name)) == len(name) && len(name) <= 16 {
		begin += len(name) + 1
	}
	end := v.untilProse(begin+4, begin+credentialText.run(s[begin:], 4096))
	if value := s[begin:end]; len(value) < 16 || !drawn(value) || reference(value) {
		return candidate{}, false
	}
	return v.found("authorization", begin, end, byPlace), true
}

// curl matches the password that is given to curl with -u or --user.
func curl(v *view, at int) (candidate, bool) {
	s := v.text[at:min(len(v.text), at+512)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	for _, flag := range []string{" -u ", " --user ", " --user="} {
		i := strings.Index(s, flag)
		if i < 0 {
			continue
		}
		begin := i + len(flag)
		for begin < len(s) && quote(s[begin]) {
			begin++
		}
		value := s[begin:]
		if j := strings.IndexAny(value, " \t\"'`"); j >= 0 {
			value = value[:j]
		}
		user, password, ok := strings.Cut(value, ":")
		if !ok || len(password) < 4 || placeholder(password) || user == password {
			continue
		}
		begin += len(user) + 1
		return v.found("basic-auth", at+begin, at+begin+len(password), byPlace), true
	}
	return candidate{}, false
}
