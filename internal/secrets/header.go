package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

var headerShapes = []shape{
	{[]string{"bearer "}, []string{"bearer-token"}, scheme("bearer-token", len("bearer "), looks.Bearer)},
	{[]string{"basic "}, []string{"basic-auth"}, scheme("basic-auth", len("basic "), looks.Basic)},
	{[]string{"ssws "}, []string{"okta-token"}, scheme("okta-token", len("ssws "), looks.Bearer)},
	{[]string{"authorization"}, []string{"authorization"}, authorization},
	{[]string{"cookie: ", "cookie\": \"", "cookie', '", "cookie\", \""}, []string{"cookie"}, cookie},
	{[]string{"?key=", "&key=", "?code=", "&code=", "signature=", "?sig=", "&auth=", "?auth=", "&sid=", "?sid=",
		";jsessionid="}, []string{"query-key"}, query},
}

// scheme matches the credentials after the name of a scheme, such as Bearer.
func scheme(kind string, skip int, is func(string) bool) func(*view, int) []candidate {
	return func(v *view, at int) []candidate {
		if !v.beginsAt(at, "b") {
			return nil
		}
		begin := at + skip
		for begin < len(v.text) && v.text[begin] == ' ' && begin < at+skip+8 {
			begin++
		}
		end := v.untilProse(begin+4, begin+credentialText.Run(v.text[begin:], 4096))
		end -= len(v.text[begin:end]) - len(strings.TrimRight(v.text[begin:end], ".:~"))
		return v.foundUnless(end-begin < 4 || !is(v.text[begin:end]), kind, begin, end, byPlace)
	}
}

// credentialText is what RFC 9110 allows in a token, with the colon that some put there.
var credentialText = looks.NewClass("-._~+/=:", "09", "az", "AZ")

// authorization matches a header's value of whatever scheme.
func authorization(v *view, at int) []candidate {
	s := v.text
	where, ok := assigned(v, at, at+len("authorization"), looks.Login)
	if !ok {
		return nil
	}
	begin := where.begin
	for range 4 { // a scheme, and names of its fields
		line := s[begin:min(len(s), begin+maxValue)]
		name, _, two := strings.Cut(line, " ")
		if !two || len(name) > 160 || strings.ContainsAny(name, "\n\"'") {
			break
		}
		if n := schemeText.Run(name, 24); n != len(name) && !strings.HasSuffix(name, ",") &&
			!strings.HasPrefix(name, "Credential=") {
			break
		}
		begin += len(name) + 1
	}
	for _, field := range []string{"token=", "Signature=", "key="} {
		if strings.HasPrefix(s[begin:], field) {
			if begin += len(field); begin < len(s) && isQuote(s[begin]) {
				begin++
			}
		}
	}
	end := v.untilProse(begin+4, begin+credentialText.Run(s[begin:], 4096))
	return v.foundUnless(begin == end || s[begin] == '+' && (s[begin-1] == ' ' || isQuote(s[begin-1])) ||
		!looks.Bearer(s[begin:end]), "authorization", begin, end, byPlace)
}

// schemeText is what the name of a scheme is made of, such as AWS4-HMAC-SHA256.
var schemeText = looks.NewClass("-:", "09", "az", "AZ")

var cookieText = looks.NewClass("-._~+/%:!*", "09", "az", "AZ")

// cookie matches from the first value of a cookie that was drawn by lot to the last, as all of them belong to one
// person.
func cookie(v *view, at int) []candidate {
	s := v.text[:min(len(v.text), at+4096)]
	i := at + len("cookie")
	i += strings.IndexAny(s[i:], " ,") + 1
	first, last := 0, 0
	for i < len(s) && strings.IndexByte("\r\n", s[i]) < 0 {
		for i < len(s) && strings.IndexByte(" \"';", s[i]) >= 0 {
			i++
		}
		n := nameText.Run(s[i:], maxName)
		if i+n >= len(s) || s[i+n] != '=' || n == 0 {
			break
		}
		begin := i + n + 1
		i = begin + cookieText.Run(s[begin:], 4096)
		for i < len(s) && s[i] == '=' {
			i++
		}
		if looks.Bearer(s[begin:i]) || i-begin >= 32 && looks.Drawn(s[begin:i]) {
			if first == 0 {
				first = begin
			}
			last = i
		}
		if i >= len(s) || s[i] != ';' {
			break
		}
	}
	return v.foundUnless(first == 0, "cookie", first, last, byPlace)
}

// query matches a key in the query of an address that is just called key, or a signature that alone grants access.
func query(v *view, at int) []candidate {
	s := v.text
	begin := at + strings.IndexByte(s[at:], '=') + 1
	end := begin + cookieText.Run(s[begin:], 1024)
	for end < len(s) && s[end] == '=' {
		end++
	}
	least := 20
	if strings.HasPrefix(lowerAll(s[at+1:begin]), "code") {
		least = 40
	}
	return v.foundUnless(end-begin < least || !looks.Drawn(s[begin:end]) || looks.Reference(s[begin:end]), "query-key",
		begin, end, byPlace)
}

var addressShapes = []shape{{[]string{"://"}, addressKinds(), address}}

func addressKinds() []string {
	kinds := []string{"url-password", "url-token"}
	for _, k := range schemeKinds {
		kinds = append(kinds, k.kind)
	}
	return kinds
}

// schemeKinds are what passwords in the addresses of databases and queues are called. In these a slash may stand in a
// password, as people write it.
var schemeKinds = []struct{ scheme, kind string }{
	{"postgres", "postgres-password"}, {"mysql", "mysql-password"}, {"mariadb", "mysql-password"},
	{"mongodb", "mongodb-password"},
	{"redis", "redis-password"}, {"valkey", "redis-password"}, {"amqp", "amqp-password"},
	{"clickhouse", "database-password"},
	{"sqlserver", "database-password"}, {"mssql", "database-password"}, {"oracle", "database-password"},
	{"cockroach", "database-password"},
	{"nats", "nats-password"}, {"ldap", "ldap-password"}, {"smtp", "smtp-password"}, {"ftp", "ftp-password"},
	{"sftp", "ftp-password"},
}

const (
	maxUser     = 256
	maxPassword = 256
)

// address matches the password in scheme://user:password@host, and a key that stands in the user's place.
func address(v *view, at int) []candidate {
	s := v.text
	scheme := at
	for scheme > 0 && at-scheme < 24 && (alnum(s[scheme-1]) || strings.IndexByte("+.-_", s[scheme-1]) >= 0) {
		scheme--
	}
	kind, loose := schemeKind(strings.ToLower(s[scheme:at]))
	begin := at + len("://")
	colon, end := -1, -1
scan:
	for i := begin; i < len(s) && i < begin+maxUser+maxPassword; i++ {
		switch c := s[i]; {
		case c == ':' && colon < 0:
			colon = i
		case c == '@':
			end = i
			if !loose {
				break scan
			}
		case c <= ' ', isQuote(c), c == '<', c == '>', c == '\\', c == '|', c == '/' && s[i-1] == '/' && i > begin:
			break scan
		case (c == '/' || c == '?' || c == '#') &&
			(colon < 0 || end >= 0 || i-colon < 2 || !loose && (c == '/' || looks.Digits.Run(s[colon+1:i], 9) == i-colon-1)):
			break scan
		case c == ')' || c == ',' || c == ';' || c == ']':
			if end >= 0 {
				break scan
			}
		}
	}
	switch {
	case scheme == at || end < 0 || end+1 == len(s):
		return nil
	case colon < 0 || colon > end:
		if user := s[begin:end]; len(user) >= 20 && looks.Drawn(user) && !looks.Reference(user) {
			return []candidate{v.found("url-token", begin, end, byPlace)}
		}
		return nil
	}
	user, password := s[begin:colon], s[colon+1:end]
	return v.foundUnless(len(password) < 3 || looks.Placeholder(password) || strings.EqualFold(user, password) ||
		strings.Contains(user, "/"), kind, colon+1, end, byPlace)
}

func schemeKind(scheme string) (kind string, loose bool) {
	for _, k := range schemeKinds {
		if strings.Contains(scheme, k.scheme) {
			return k.kind, true
		}
	}
	return "url-password", false
}
