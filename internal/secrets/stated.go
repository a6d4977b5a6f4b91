package secrets

import (
	"slices"
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

// statedShapes are the clauses, calls and addresses without a scheme in which something can only be a secret.
var statedShapes = append(callShapes(),
	shape{[]string{"identified by ", "\" by ", "password by ", "_sha2 by ", "_native_password by "}, []string{"password"},
		identifiedBy},
	shape{[]string{"send \""}, []string{"password"}, sent},
	shape{[]string{"pass:"}, []string{"password"}, behind(5, "-pass")},
	shape{[]string{"@tcp(", "@unix(", "@"}, []string{"database-password"}, dataSource},
	shape{[]string{"oracle:thin:"}, []string{"database-password"}, thin},
	shape{[]string{":5432:", ":5433:", ":6432:", ":*:"}, []string{"postgres-password"}, pgpass},
	shape{[]string{"]:587 ", "]:465 ", "]:25 ", "root:", "]:2525 "}, []string{"password"}, listed},
	shape{[]string{"on >"}, []string{"password"}, behind(4, "user ")},
	shape{[]string{"<<<"}, []string{"password"}, behind(3, "passw")},
	shape{[]string{"* \"", "* '"}, []string{"password"}, chapSecret},
	shape{[]string{"$2a$", "$2b$", "$2y$", "$5$", "$6$", "$1$", "$apr1$", "$argon2", "$y$"},
		[]string{"password-hash"}, crypted},
)

// calls are functions that take a password, and which of their arguments it is.
var calls = []struct {
	words    []string // in small letters, up to the parenthesis
	argument int
}{
	{strings.Fields(`setbasicauth( basicauth( basicauth=( auth=( .login( httpbasicauth( httpdigestauth( networkcredential(
		passwordauthentication( usernamepasswordcredentials( jwt.sign( jwt.verify( jwt.encode( jwt.decode( algoliasearch(
		createhmac( .setcredentials( ftp.login( .authenticate(`), 2},
	{strings.Fields(`plainauth( getconnection( mysqli( mysqli_connect( mysql_connect( pdo( pymysql.connect(
		psycopg2.connect( ftp_login( database( ldap_bind( ssh2_auth_password( imap_open( dbi->connect( mysqldb.connect(`), 3},
	{[]string{"hmac.new(", "securestring ", "securestring -string ", "set_password("}, 1},
}

func callShapes() []shape {
	var all []shape
	for _, c := range calls {
		all = append(all, shape{c.words, []string{"password"}, argument(c.argument)})
	}
	return all
}

// argument matches the nth argument of a call, where that is a literal.
func argument(nth int) func(*view, int) []candidate {
	return func(v *view, at int) []candidate {
		s := v.text[:min(len(v.text), at+maxCommand)]
		open := at
		for open < len(s) && s[open] != '(' && s[open] != ' ' {
			open++
		}
		n, depth := 1, 0
		for i := open + 1; i < len(s); i++ {
			switch c := s[i]; {
			case c == '\n' && nth == 1, c == ')' && depth == 0, c == ';':
				return nil
			case c == '(':
				depth++
			case c == ')':
				depth--
			case c == ',' && depth == 0:
				n++
			case isQuote(c):
				run := quotedRun(s[i+1:], c, true)
				if n == nth && depth == 0 {
					literal := s[i+1 : i+1+run]
					t := looks.TraitsOf(literal)
					if len(literal) < 6 || strings.Contains(literal, " ") || looks.Reference(literal) &&
						(t.Lower < max(leastValue, len(literal)) || !looks.Worth(literal, looks.Password, looks.Quoted)) {
						return nil
					}
					return v.stated(i+1, i+1+run, 0)
				}
				i += run + 1
			}
		}
		return nil
	}
}

// identifiedBy matches the password of `IDENTIFIED [WITH plugin] BY '…'` in SQL. Without quotes the words must be in
// capitals, or prose would be meant.
func identifiedBy(v *view, at int) []candidate {
	s := v.text
	i := at + strings.Index(lowerAll(s[at:min(len(s), at+40)]), "by ") + 3
	if !strings.Contains(strings.ToLower(lineBefore(s, i)), "identified") || s[i-3] != 'B' && !alters(lineBefore(s, at)) {
		return nil
	}
	begin, end, _ := shellWord(s, i, min(len(s), i+maxName))
	return v.stated(begin, end, 0)
}

func alters(statement string) bool {
	statement = lowerAll(statement)
	return strings.Contains(statement, "create user") || strings.Contains(statement, "alter user") ||
		strings.Contains(statement, "grant ")
}

// behind matches the word after a sign, on a line that says before it what is meant: `openssl -passin pass:…`,
// `user app on >…` of Redis, `vncpasswd <<< "…"`.
func behind(skip int, said string) func(*view, int) []candidate {
	return func(v *view, at int) []candidate {
		if !strings.Contains(strings.ToLower(lineBefore(v.text, at)), said) {
			return nil
		}
		begin, end, _ := shellWord(v.text, at+skip, min(len(v.text), at+maxName*2))
		return v.stated(begin, end, 0)
	}
}

// sent matches what a script of expect types: `send "…\\r"`.
func sent(v *view, at int) []candidate {
	begin := at + len("send \"")
	n := strings.IndexByte(v.text[begin:min(len(v.text), begin+maxName)], '"')
	if n < 3 || v.text[begin+n-2] != '\\' && v.text[begin+n-1] != '\r' {
		return nil
	}
	text := strings.TrimRight(strings.TrimSuffix(v.text[begin:begin+n], "\\r"), "\r\\")
	if t := looks.TraitsOf(text); t.Digit == 0 || t.Turns < 2 || strings.Contains(text, " ") {
		return nil
	}
	return v.statedAs("password", begin, begin+len(text))
}

var userText = looks.NewClass("._-%+", "09", "az", "AZ")

// dataSource matches the password in user:password@host, and in Go's user:password@tcp(host).
func dataSource(v *view, at int) []candidate {
	s := v.text
	start := at
	for start > 0 && at-start < 128 && s[start-1] > ' ' && !isQuote(s[start-1]) &&
		strings.IndexByte("=<>(),;[]{}@|", s[start-1]) < 0 {
		start--
	}
	user, password, ok := strings.Cut(s[start:at], ":")
	if !ok || user == "" || userText.Run(user, len(user)) != len(user) || len(password) < 4 ||
		strings.HasPrefix(password, "/") {
		return nil
	}
	host := s[at+1 : min(len(s), at+64)]
	n := 0
	for n < len(host) && (alnum(host[n]) || host[n] == '.' || host[n] == '-') {
		n++
	}
	if dsn := strings.HasPrefix(host, "tcp(") || strings.HasPrefix(host, "unix("); !dsn {
		port := n+1 < len(host) && host[n] == ':' && host[n+1] >= '0' && host[n+1] <= '9'
		t := looks.TraitsOf(password)
		if !port && strings.Count(host[:n], ".") == 0 || strings.HasPrefix(host, "sha256") ||
			looks.Letters.Run(host, 1) == 0 && !port {
			return nil
		}
		if len(password) < 6 || t.Digit == 0 || t.Lower+t.Upper == 0 || looks.Reference(password) ||
			strings.Contains(password, "/") && !port {
			return nil
		}
	}
	if user == password || slices.Contains(strings.Fields("mailto acct sip sips xmpp urn npm"), strings.ToLower(user)) {
		return nil
	}
	return v.statedAs("database-password", start+len(user)+1, at)
}

func (v *view) statedAs(kind string, begin, end int) []candidate {
	if s := v.text[begin:end]; len(s) < 4 || !v.likely(s) {
		return nil
	}
	return []candidate{v.found(kind, begin, end, byPlace)}
}

// thin matches jdbc:oracle:thin:user/password@host.
func thin(v *view, at int) []candidate {
	begin := at + len("oracle:thin:")
	rest := v.text[begin:min(len(v.text), begin+128)]
	slash, end := strings.IndexByte(rest, '/'), strings.IndexByte(rest, '@')
	if slash < 1 || end < slash {
		return nil
	}
	return v.statedAs("database-password", begin+slash+1, begin+end)
}

// pgpass matches the last of the five fields of a line of .pgpass.
func pgpass(v *view, at int) []candidate {
	s := v.text
	start := at - len(lineBefore(s, at))
	end := start + lineLeft(s[start:])
	fields := strings.SplitN(s[start:end], ":", 5)
	if len(fields) < 5 || strings.Contains(s[start:end], " ") || v.nextBreak(start, end) < end ||
		at-start > len(fields[0])+len(fields[1])+1 {
		return nil
	}
	return v.statedAs("postgres-password", end-len(fields[4]), end)
}

// listed matches a line that is, or ends in, user:password: of Postfix, and of what chpasswd reads.
func listed(v *view, at int) []candidate {
	s := v.text
	begin := at + strings.IndexByte(s[at:], ':') + 1
	if s[at] == ']' {
		blank := at + strings.IndexByte(s[at:], ' ')
		colon := strings.IndexByte(s[blank:min(len(s), blank+128)], ':')
		if colon < 0 {
			return nil
		}
		begin = blank + colon + 1
	} else if strings.TrimSpace(lineBefore(s, at)) != "" {
		return nil
	}
	end := begin + lineLeft(s[begin:])
	if t := looks.TraitsOf(s[begin:end]); strings.ContainsAny(s[begin:end], " :/") || t.Digit == 0 || t.Turns < 2 {
		return nil
	}
	return v.statedAs("password", begin, end)
}

// chapSecret matches a line of chap-secrets: `"client" * "secret" *`.
func chapSecret(v *view, at int) []candidate {
	client := strings.Fields(lineBefore(v.text, at))
	if len(client) != 1 || len(client[0]) < 3 || !isQuote(client[0][0]) && !alnum(client[0][0]) {
		return nil
	}
	begin := at + 3
	end := begin + quotedRun(v.text[begin:], v.text[begin-1], false)
	rest := v.text[min(len(v.text), end+1):]
	if rest = strings.TrimLeft(rest[:min(len(rest), 8)], " \t"); rest != "" && rest[0] != '*' && rest[0] != '\n' {
		return nil
	}
	return v.stated(begin, end, 0)
}

var cryptText = looks.NewClass("./$=,+", "09", "az", "AZ")

// crypted matches what crypt makes of a password.
func crypted(v *view, at int) []candidate {
	s := v.text
	n := cryptText.Run(s[at:], 256)
	return v.foundUnless(n < 30 || at > 0 && (alnum(s[at-1]) || s[at-1] == '$') || !looks.Drawn(s[at:at+n]) ||
		strings.Count(s[at:at+n], "$") < 3, "password-hash", at, at+n, byForm)
}
