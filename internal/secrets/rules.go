package secrets

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// rule finds secrets where a syntax takes them: the groups of an expression around a word.
type rule struct {
	kind  string
	words string // one of these stands there, with | between them; small letters stand for capital ones too
	from  anchor
	exp   string            // see [shorthand]; anchored where it begins with ^
	is    func(string) bool // what the group must be
}

// anchor says where the text that an expression reads begins.
type anchor int

const (
	after  anchor = iota // behind the word
	at                   // with the word
	within               // with the run of characters that holds the word
	inLine               // with the line
	inHost               // behind the word, up to a blank, if an at sign follows
)

// shorthand are parts of many expressions: §, a word of a command line; …, other words up to an option; ¤, the
// argument of a call; ¶, an argument that is a literal and the secret.
var shorthand = strings.NewReplacer(
	"§", `("[^"\n]+"|'[^'\n]+'|\S+)`,
	"…", `(?:[^\n;|&]|\\\n)*?[\s"']`,
	"¤", "(?:\"[^\"\n]*\"|'[^'\n]*'|\\{[^}]*\\}|\\([^()]*\\)|[^,\"'(){};])*,",
	"¶", "[^,\"'`\n)]*[\"'`]([^\"'`\\s]{6,})[\"'`]")

// loose reads the rest of an address with a user and a password.
const loose = `^[\w+.-]{0,20}://[^\s:/?#@"'<>\\|]*:([^\s@"'<>\\|]+(?:@[^\s@/?#),;\]"'<>\\|]+)*)@\S`

// placeRules know a secret by where it stands.
var placeRules = []*rule{
	// options and arguments of commands
	{"password", "mysql|mariadb|sshpass|7z", after, `^…-p§`, isStated},
	{"password", "login|mongo|sshpass|cqlsh|evil-winrm|psexec|ncftp|crackmapexec|netexec", after, `^…-p §`, isStated},
	{"password", "redis-cli|valkey-cli|snmpwalk|snmpget|snmpset", after, `^…-[aAX] §(?:…-X §)?`, isStated},
	{"password", "ldapsearch|ldapadd|ldapmodify|ldapwhoami|ldapdelete|ldappasswd", after, `^…-w §`, isStated},
	{"password", "sqlcmd|bcp|osql|isql|ipmitool|mosquitto_|zip|grafana-cli|ssh-keygen", after, `^…-[PN] §`, isStated},
	{"password", "openssl", after, `^…-(?:[kK] |pass(?:in|out)? pass:)§`, isStated},
	{"password", "xfreerdp|mstsc|rdesktop", after, `^…/p:§`, isStated},
	{"password", "curl|wget|etcdctl|lftp|http |https ", after,
		`^(?:…)?(?:-[ua] |--(?:proxy-)?user[ =])["']?[^\s:,"']+[:,]§`, isStated},
	{"password", "smbclient|rpcclient|winexe|smbmap|net ", after, `^(?:…)?-U ["']?[^\s%]+%§`, isStated},
	{"password", "sqlplus|impdp|expdp|rman target", after, `^(?: -\w+)* ["']?\w+/([^\s@]+)`, isStated},
	{"password", "htpasswd", after, `^(?: -\w+)+ \S+ \S+ §`, isStated},
	{"password", "net user|add_user|change_password", after, `^ \S+ ([^\s/-]\S+)`, isStated},
	{"password", "net use ", after, `^\S+ \S+(?: /\S+)* ([^\s/-]\S+)`, isStated},
	{"password", "vault login |wandb login |request: pass |c: pass |nickserv identify |requirepass |masterauth |rootpw |" +
		"snmp-server community |insecure-password |enable secret ", after, `^(?:-\S+ |0 )*([^\s/-]\S+)`, isStated},
	{"password", "mc alias set", after, `^ \S+ \S+ \S+ §`, isStated},
	{"password", "secret set", after, `^…--body §`, isStated},
	{"password", "stats auth|addauth digest", after, `^ [^\s:]+:§`, isStated},
	{"password", " -p ", inLine, `(?: -u .*| --user.*) -p §`, isMixed},
	{"password", "chpasswd|sudo -s|--stdin|cryptsetup|docker login|gpg", inLine,
		`echo (?:-\w+ )?(["']?[^\s|]+) *\| *(?:chpasswd|sudo -S|passwd --stdin|cryptsetup|docker login|gpg)`, isStated},

	// arguments of calls
	{"password", "setbasicauth(|basicauth(|basicauth=(|auth=(|.login(|httpbasicauth(|httpdigestauth(|networkcredential(|" +
		"passwordauthentication(|usernamepasswordcredentials(|jwt.sign(|jwt.verify(|jwt.encode(|jwt.decode(|" +
		"algoliasearch(|createhmac(|.setcredentials(|.authenticate(", after, `^¤¶`, isLiteral},
	{"password", "plainauth(|getconnection(|mysqli(|mysqli_connect(|mysql_connect(|pdo(|pymysql.connect(|" +
		"psycopg2.connect(|ftp_login(|database(|ldap_bind(|ssh2_auth_password(|imap_open(|dbi->connect(|mysqldb.connect(",
		after, `^¤¤¶`, isLiteral},
	{"password", "hmac.new(|securestring |set_password(", after, `^(?:-\w+ )?¶`, isLiteral},

	// clauses of SQL, and lines of files
	{"password", "identified ", after, `^(?:WITH \S+ )?BY (?:PASSWORD )?(\w\S+|["'][^"'\n]+)`, isStated},
	{"password", "identified ", inLine, `(?:create user|alter user|grant) .*identified (?:with \S+ )?by §`, isStated},
	{"password", "send \"", after, `^([^"\s]+?)\\*[r\r]"`, isMixed},
	{"password", "on >", inLine, `user .*on >(\S+)`, isStated},
	{"password", "<<<", inLine, `(?i:passw).*<<< ?§`, isStated},
	{"password", "* \"|* '", inLine, `^["']?\w[\w@.-]{2,}["']?\s+\* ["']([^"'\s]+)["'](?:\s*$|\s+[*\n])`, isStated},
	{"postgres-password", ":5432:|:5433:|:6432:|:*:", inLine, `^[\w.*-]+:[\d*]+:[^:\s]+:[^:\s]+:(\S+)$`, isStated},
	{"password", "]:587 |]:465 |]:25 |]:2525 ", inLine, `\]:\d+ [^\s:]+:([^\s:/]+)$`, isMixed},
	{"password", "root:", inLine, `^\s*root:([^\s:/]+)$`, isMixed},

	// addresses: passwords of databases may have slashes and at signs, as people write them
	{"postgres-password", "postgres", inHost, loose, isPassword},
	{"mysql-password", "mysql|mariadb", inHost, loose, isPassword},
	{"mongodb-password", "mongodb", inHost, loose, isPassword},
	{"redis-password", "redis|valkey", inHost, loose, isPassword},
	{"url-password", "amqp|nats|ldap|smtp|ftp|sftp", inHost, loose, isPassword},
	{"database-password", "clickhouse|sqlserver|mssql|oracle|cockroach", inHost, loose, isPassword},
	{"url-password", "://", inHost, `^[^\s:/?#@"'<>\\|]*:([^\s/@"'<>\\|]+)@\S`, isPassword},
	{"url-token", "://", inHost, `^([^\s:/?#@"'<>]{20,})@\S`, bearer},
	{"database-password", "@tcp(|@unix(", within, `^[\w.%+-]+:([^/].+)@(?:tcp|unix)\(`, isStated},
	{"database-password", "@", within, `^(?:(?:mailto|acct|sips?|xmpp|urn|npm):.*|[\w.%+-]+:([^/].{5,})@(?:[\w-]+\.[\w.-]+|[\w-]*:\d.*))`,
		isMixed},
	{"database-password", "oracle:thin:", after, `^[^\s/]+/([^\s@]+)@`, isStated},
	{"query-key", "?key=|&key=|signature=|?sig=|&auth=|?auth=|&sid=|?sid=|;jsessionid=", after,
		`^([\w.~+/%:!*-]{20,}=*)`, drawn},
	{"query-key", "?code=|&code=", after, `^([\w.~+/%:!*-]{40,}=*)`, drawn},
	{"azure-sas-token", "?sig=|&sig=|;sig=", after, `^([\w+/=%-]{40,200})`, drawn},

	// headers
	{"bearer-token", "bearer ", after, `^ {0,8}([\w.~+/=:-]+)`, bearer},
	{"okta-token", "ssws ", after, `^ {0,8}([\w.~+/=:-]+)`, bearer},
	{"basic-auth", "basic ", after, `^ {0,8}([\w+/=-]+)`, basic},
	{"authorization", "authorization", after, "^[\"'`\\]\\\\)*]{0,4}\\s*[:=>,(]{1,2}\\+?[\\s\\\\\"'`(\\[]*" +
		`(?:[\w:-]{1,24} |[^\s"']{1,160}, |Credential=\S+ ){0,4}(?:token=|Signature=|key=)?["']?([\w.~/=:-][\w.~+/=:-]+)`, bearer},
	{"cookie", "cookie: |cookie\": \"|cookie', '|cookie\", \"", inLine, `[\w.-]+=([\w.~+/%:!*-]{16,}=*)`,
		func(s string) bool { return bearer(s) || len(s) >= 32 && drawn(s) }},
}

// pem reads a private key from its frame's beginning to the end; without one, to the end of what can be a key.
const pem = `^(-{4,5} ?(?i:begin)[ +](?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?:[ +]BLOCK)? ?-{4,5}` + keyLines +
	`(?:` + keyLine + `-{4,5} ?END[ +][A-Z0-9 +]+-{0,5}|` + keyLine + `$)?)`

// keyLines reads lines that hold one word of base64 each, or a header of armour; keyLine one without its end.
const (
	keyLines = `(?:(?:` + keyLine + `|[\t "']*[A-Z][A-Za-z-]+: [^\n]*)["',\\+ \t\r]*\n){0,999}`
	keyLine  = "[\t \"'`,\\\\+>#|*-]*[A-Za-z0-9+/=\\\\]*(?:[\"'][ +.]*[\"'][A-Za-z0-9+/=]*)?"
)

// formRules know a secret by its own form, of more than a prefix.
var formRules = []*rule{
	{"pgp-private-key", "-----begin pgp ", at, pem, isKey},
	{"openssh-private-key", "-----begin openssh |---- begin ssh2 ", at, pem, isKey},
	{"encrypted-private-key", "-----begin encrypted ", at, pem, isKey},
	{"rsa-private-key", "-----begin rsa ", at, pem, isKey},
	{"ec-private-key", "-----begin ec ", at, pem, isKey},
	{"private-key", "-----begin |-----begin+", at, pem, isKey},
	{"putty-private-key", "private-lines:", at, `^.*\n(` + keyLines + ")", isKey},
	{"telegram-token", ":AA", within, `\b(?:bot)?(\d{8,10}:AA[\w-]{32,35})`, drawn},
	{"terraform-token", ".atlasv1.", within, `\b(\w{14}\.atlasv1\.[\w-]{60,70})`, drawn},
	{"mailchimp-key", "-us", within, `\b([0-9a-f]{32}-us\d{1,2})`, drawn},
	{"newrelic-key", "NRAL", within, `\b([0-9a-fA-F]{36}NRAL)`, drawn},
	{"azure-ad-secret", "Q~", within, `\b([\w~.-]{3}\dQ~[\w~.-]{31,34})`, drawn},
	{"maxmind-key", "_mmk", within, `\b(\w{6}_\w{29}_mmk)`, drawn},
	{"azure-devops-token", "AZDO", within, `\b(\w{76}AZDO\w{4})`, drawn},
	{"azure-key", "JQQJ9", within, `\b(\w{40,52}JQQJ9\w{20,27})`, drawn},
	{"azure-key", "+ASb|+AEh|+ARm|+ABa|+AMC|+ACR|+ASt|ACDb|AzFu|AzSe|AzCa|AzEG|APIM|AIoT", within,
		`^([\w+/]{33,80}(?:\+A\w\w|ACDb|Az\w\w|APIM|AIoT)[\w+/]{4,8}={0,2})`, random},
	{"twitter-token", "AAAAAAAAAAAAAAAAAAAAA", at, `^(A{21}[B-Zb-z0-9%][\w%]{79,119})`, func(s string) bool { return random(s[21:]) }},
	{"asana-token", "1/1|2/1", at, `^([12]/\d{14,18}(?:/\d+)?:[0-9a-f]{32})`, drawn},
	{"airtable-token", "pat", at, `^(pat\w{14}\.[0-9a-f]{64})`, drawn},
	{"bitwarden-token", "0.", at, `^(0\.[0-9a-f]{8}-[0-9a-f-]{27}\.\w{30}:[\w+/]{22}==)`, drawn},
	{"discord-token", "MD|MT|Mj|Mz|ND|NT|Nj|Nz|OD|OT", at, `^([MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38})`, isDiscord},
	{"json-web-token", "eyJ", at, `^(eyJ[\w-]+\.[\w-]*\.[\w-]{10,}(?:\.[\w-]+){0,2})`, isWebToken},
	{"password-hash", "$2a$|$2b$|$2y$|$5$|$6$|$1$|$apr1$|$argon2|$y$", at, `^(\$\w+\$[\w./$=,+-]{24,250})`, isHash},
}

const (
	ahead  = 400      // bytes that an expression reads
	maxKey = 64 << 10 // bytes of a private key with its frame, or of another form
)

// match finds what the rule's groups are around a word.
func (r *rule) match(v *view, where int, said string, exp *regexp.Regexp, sure rank) []candidate {
	s := v.text
	if where < v.done[r] || r.from != within && r.from != inLine && base62[said[0]] && !v.beginsAt(where, said) {
		return nil
	}
	begin, end := where, min(len(s), where+ahead)
	switch r.from {
	case after:
		begin += len(said)
	case inHost:
		begin += len(said)
		end = begin + visible.run(s[begin:], ahead)
		if strings.IndexByte(s[begin:end], '@') < 0 {
			return nil
		}
	case at:
		end = min(len(s), where+maxKey)
		if n := strings.Index(s[where+len(said):end], "BEGIN"); n >= 0 {
			end = where + len(said) + n // what follows is another
		}
	case within:
		for begin > 0 && where-begin < 128 && runText[s[begin-1]] {
			begin--
		}
		for end = where + len(said); end < len(s) && end-where < 128 && runText[s[end]]; {
			end++
		}
	case inLine:
		begin -= len(lineBefore(s, where))
		end = where + lineLeft(s[where:])
	}
	text := s[begin:max(begin, end)]
	last := 0
	var found []candidate
	for _, m := range exp.FindAllStringSubmatchIndex(text, -1) {
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 {
				continue
			}
			from, to := unquoted(text, m[i], m[i+1])
			if strings.HasSuffix(text[:from], text[from:to]+":") { // what is the same as the user's name
				continue
			}
			if to = v.untilProse(begin+from+leastValue, begin+to); to > begin+from && r.is(s[begin+from:to]) &&
				!(sure == byForm && to < len(s) && base62[s[to]] && v.omitted(to) == "") {
				found = append(found, v.found(r.kind, begin+from, to, sure))
				last = to
			}
		}
	}
	switch {
	case r.from == within, r.from == inLine:
		v.done[r] = end
	case found != nil:
		v.done[r] = last
	case strings.Contains(r.exp, "…"): // what follows in this command was read already
		v.done[r] = begin + strings.IndexAny(text+";", ";|&\n")
	case strings.Contains(r.exp, "¤"): // so that many calls in calls take no long time
		v.done[r] = begin + 24
	}
	return found
}

// unquoted is text[from:to] without the quotes and the ends of a list or a statement around it.
func unquoted(text string, from, to int) (int, int) {
	s := strings.TrimRight(text[from:to], ";,\n")
	if n := len(s) - 2; n > 0 && s[n+1] == ']' && isQuote(s[n]) {
		s = s[:n]
	}
	inner := strings.TrimLeft(s, "\"'`")
	from += len(s) - len(inner)
	return from, from + len(strings.TrimRight(inner, "\"'`\\"))
}

// isStated reports whether what stands in the place of a secret is one, and not what stands for it.
func isStated(s string) bool {
	return len(s) >= 4 && s[0] != '-' && !(strings.ContainsAny(s, "`\"'") && strings.Contains(s, " ")) &&
		worth(s, password, stated) && !strings.ContainsAny(s[:1], "$<(") &&
		!(inCapitals(s) && reference(s) && traitsOf(s).digit == 0)
}

// isPassword reports whether what stands before the host in an address is a password, and no port.
func isPassword(s string) bool {
	port := digits.run(s, len(s))
	return len(s) > 2 && !placeholder(s) && (port == 0 || port == len(s) || strings.IndexByte("/?#", s[port]) < 0)
}

// isMixed is isStated for what may also be a word, a name or a number.
func isMixed(s string) bool {
	t := traitsOf(s)
	return t.digit > 0 && t.turns > 1 && t.lower+t.upper > 0 && !reference(s) && isStated(s)
}

// isLiteral is isStated for what may also be the name of something.
func isLiteral(s string) bool {
	return isStated(s) &&
		(!reference(s) || len(s) >= leastValue && traitsOf(s).lower == len(s) && worth(s, password, quoted))
}

// isKey reports whether enough stands in a frame to be a key: frames are also talked about.
func isKey(s string) bool {
	body := s[strings.LastIndex(s[:min(len(s), 80)], "--")+1:]
	return len(body) >= 24 && drawn(body[:min(len(body), 256)])
}

// isDiscord reports whether s is the token of a bot: its number in base64, a time, and a signature.
func isDiscord(s string) bool {
	number, _, _ := strings.Cut(s, ".")
	raw, err := base64.RawURLEncoding.DecodeString(number)
	return err == nil && digits.only(string(raw))
}

// jwtExample is the signature of the token that jwt.io shows, and half of all manuals.
const jwtExample = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

// isWebToken reports whether s is a JSON web token, signed or encrypted (RFC 7519): its header names an algorithm.
func isWebToken(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	header, err := base64.RawURLEncoding.DecodeString(head)
	return err == nil && strings.Contains(string(header), `"alg"`) && !strings.Contains(s, jwtExample)
}

// isHash reports whether s is what crypt makes of a password.
func isHash(s string) bool { return strings.Count(s, "$") > 2 && drawn(s) }
