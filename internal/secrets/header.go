package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/measure"
	"github.com/council-engine/council/internal/secrets/naming"
	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

var headerShapes = []shape{
	{[]string{"bearer "}, []string{"bearer-token"}, scheme("bearer-token", len("bearer "), value.Bearer)},
	{[]string{"basic "}, []string{"basic-auth"}, scheme("basic-auth", len("basic "), value.Basic)},
	{[]string{"ssws "}, []string{"okta-token"}, scheme("okta-token", len("ssws "), value.Bearer)},
	{[]string{"authorization"}, []string{"authorization"}, authorization},
	{[]string{"cookie: ", "cookie\": \"", "cookie', '", "cookie\", \""}, []string{"cookie"}, cookie},
	{[]string{"?key=", "&key=", "?code=", "&code=", "signature=", "?sig=", "&auth=", "?auth=", "&sid=", "?sid=", ";jsessionid="}, []string{"query-key"}, query},
}

// scheme matches the credentials after the name of a scheme, such as Bearer.
func scheme(kind string, skip int, is func(string) bool) func(*view, int) (candidate, bool) {
	return func(v *view, at int) (candidate, bool) {
		if !v.beginsAt(at, "b") {
			return candidate{}, false
		}
		begin := at + skip
		for begin < len(v.Text) && v.Text[begin] == ' ' && begin < at+skip+8 {
			begin++
		}
		end := v.untilProse(begin+4, begin+credentialText.Run(v.Text[begin:], 4096))
		end -= len(v.Text[begin:end]) - len(strings.TrimRight(v.Text[begin:end], ".:~"))
		if end-begin < 4 || !is(v.Text[begin:end]) {
			return candidate{}, false
		}
		return v.found(kind, begin, end, byPlace), true
	}
}

// credentialText is what RFC 9110 allows in a token, with the colon that some put there.
var credentialText = value.NewClass("-._~+/=:", "09", "az", "AZ")

// authorization matches a header's value of whatever scheme.
func authorization(v *view, at int) (candidate, bool) {
	s := v.Text
	where, ok := assigned(v, at, at+len("authorization"), naming.Login)
	if !ok {
		return candidate{}, false
	}
	begin := where.begin
	for range 4 { // a scheme, and names of its fields
		line := s[begin:min(len(s), begin+measure.MaxValue)]
		name, _, two := strings.Cut(line, " ")
		if !two || len(name) > 160 || strings.ContainsAny(name, "\n\"'") {
			break
		}
		if n := schemeText.Run(name, 24); n != len(name) && !strings.HasSuffix(name, ",") && !strings.HasPrefix(name, "Credential=") {
			break
		}
		begin += len(name) + 1
	}
	for _, field := range []string{"token=", "Signature=", "key="} {
		if strings.HasPrefix(s[begin:], field) {
			if begin += len(field); begin < len(s) && text.Quote(s[begin]) {
				begin++
			}
		}
	}
	end := v.untilProse(begin+4, begin+credentialText.Run(s[begin:], 4096))
	if begin == end || s[begin] == '+' && (s[begin-1] == ' ' || text.Quote(s[begin-1])) || !value.Bearer(s[begin:end]) {
		return candidate{}, false
	}
	return v.found("authorization", begin, end, byPlace), true
}

// schemeText is what the name of a scheme is made of, such as AWS4-HMAC-SHA256.
var schemeText = value.NewClass("-:", "09", "az", "AZ")

var cookieText = value.NewClass("-._~+/%:!*", "09", "az", "AZ")

// cookie matches from the first value of a cookie that was drawn by lot to the last, as all of them belong to one person.
func cookie(v *view, at int) (candidate, bool) {
	s := v.Text[:min(len(v.Text), at+4096)]
	i := at + len("cookie")
	i += strings.IndexAny(s[i:], " ,") + 1
	first, last := 0, 0
	for i < len(s) && strings.IndexByte("\r\n", s[i]) < 0 {
		for i < len(s) && strings.IndexByte(" \"';", s[i]) >= 0 {
			i++
		}
		n := measure.NameText.Run(s[i:], maxName)
		if i+n >= len(s) || s[i+n] != '=' || n == 0 {
			break
		}
		begin := i + n + 1
		i = begin + cookieText.Run(s[begin:], 4096)
		for i < len(s) && s[i] == '=' {
			i++
		}
		if value.Bearer(s[begin:i]) || i-begin >= 32 && value.Drawn(s[begin:i]) {
			if first == 0 {
				first = begin
			}
			last = i
		}
		if i >= len(s) || s[i] != ';' {
			break
		}
	}
	if first == 0 {
		return candidate{}, false
	}
	return v.found("cookie", first, last, byPlace), true
}

// query matches a key in the query of an address that is just called key, or a signature that alone grants access.
func query(v *view, at int) (candidate, bool) {
	s := v.Text
	begin := at + strings.IndexByte(s[at:], '=') + 1
	end := begin + cookieText.Run(s[begin:], 1024)
	for end < len(s) && s[end] == '=' {
		end++
	}
	least := 20
	if strings.HasPrefix(lowerAll(s[at+1:begin]), "code") {
		least = 40
	}
	if end-begin < least || !value.Drawn(s[begin:end]) || value.Reference(s[begin:end]) {
		return candidate{}, false
	}
	return v.found("query-key", begin, end, byPlace), true
}
