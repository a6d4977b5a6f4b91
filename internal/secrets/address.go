package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

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
	{"postgres", "postgres-password"}, {"mysql", "mysql-password"}, {"mariadb", "mysql-password"}, {"mongodb", "mongodb-password"},
	{"redis", "redis-password"}, {"valkey", "redis-password"}, {"amqp", "amqp-password"}, {"clickhouse", "database-password"},
	{"sqlserver", "database-password"}, {"mssql", "database-password"}, {"oracle", "database-password"}, {"cockroach", "database-password"},
	{"nats", "nats-password"}, {"ldap", "ldap-password"}, {"smtp", "smtp-password"}, {"ftp", "ftp-password"}, {"sftp", "ftp-password"},
}

const (
	maxUser     = 256
	maxPassword = 256
)

// address matches the password in scheme://user:password@host, and a key that stands in the user's place.
func address(v *view, at int) (candidate, bool) {
	s := v.Text
	scheme := at
	for scheme > 0 && at-scheme < 24 && (text.Alnum(s[scheme-1]) || strings.IndexByte("+.-_", s[scheme-1]) >= 0) {
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
		case c <= ' ', text.Quote(c), c == '<', c == '>', c == '\\', c == '|', c == '/' && s[i-1] == '/' && i > begin:
			break scan
		case (c == '/' || c == '?' || c == '#') && (colon < 0 || end >= 0 || i-colon < 2 || !loose && (c == '/' || value.Digits.Run(s[colon+1:i], 9) == i-colon-1)):
			break scan
		case c == ')' || c == ',' || c == ';' || c == ']':
			if end >= 0 {
				break scan
			}
		}
	}
	switch {
	case scheme == at || end < 0 || end+1 == len(s):
		return candidate{}, false
	case colon < 0 || colon > end:
		if user := s[begin:end]; len(user) >= 20 && value.Drawn(user) && !value.Reference(user) {
			return v.found("url-token", begin, end, byPlace), true
		}
		return candidate{}, false
	}
	user, password := s[begin:colon], s[colon+1:end]
	if len(password) < 3 || value.Placeholder(password) || strings.EqualFold(user, password) || strings.Contains(user, "/") {
		return candidate{}, false
	}
	return v.found(kind, colon+1, end, byPlace), true
}

func schemeKind(scheme string) (kind string, loose bool) {
	for _, k := range schemeKinds {
		if strings.Contains(scheme, k.scheme) {
			return k.kind, true
		}
	}
	return "url-password", false
}
