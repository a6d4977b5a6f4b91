package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

// command says where a program takes a password: after or in an option, or as its nth argument.
type command struct {
	words  []string // how the command begins, in small letters
	option string   // "-p"; a space at its end: the password is the next word
	after  byte     // the password follows this sign in the word
	nth    int      // without an option: which word after the command
}

var commands = []command{
	{words: []string{"mysql", "mariadb"}, option: "-p"},
	{words: []string{"login ", "mongo", "sshpass", "cqlsh", "evil-winrm", "psexec", "ncftp", "crackmapexec", "netexec"},
		option: "-p "},
	{words: []string{"sshpass", "7z", "7za", "rar "}, option: "-p"},
	{words: []string{"redis-cli", "valkey-cli"}, option: "-a "},
	{words: []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami", "ldapdelete", "ldappasswd"}, option: "-w "},
	{words: []string{"sqlcmd", "bcp ", "osql", "isql", "ipmitool", "mosquitto_", "zip ", "grafana-cli"}, option: "-P "},
	{words: []string{"ssh-keygen"}, option: "-N "},
	{words: []string{"ssh-keygen"}, option: "-P "},
	{words: []string{"openssl"}, option: "-k "},
	{words: []string{"openssl"}, option: "-K "},
	{words: []string{"snmpwalk", "snmpget", "snmpset"}, option: "-A "},
	{words: []string{"snmpwalk", "snmpget", "snmpset"}, option: "-X "},
	{words: []string{"xfreerdp", "mstsc", "rdesktop"}, option: "/p:"},
	{words: []string{"curl", "lftp", "wget"}, option: "-u ", after: ':'},
	{words: []string{"curl", "etcdctl"}, option: "--user ", after: ':'},
	{words: []string{"curl", "etcdctl"}, option: "--user=", after: ':'},
	{words: []string{"curl"}, option: "--proxy-user ", after: ':'},
	{words: []string{"http ", "https "}, option: "-a ", after: ':'},
	{words: []string{"lftp"}, option: "-u ", after: ','},
	{words: []string{"smbclient", "rpcclient", "winexe", "smbmap", "net "}, option: "-U ", after: '%'},
	{words: []string{"sqlplus", "impdp", "expdp", "rman target"}, nth: 1, after: '/'},
	{words: []string{"htpasswd"}, nth: 3},
	{words: []string{"net user"}, nth: 2},
	{words: []string{"net use "}, nth: 3},
	{words: []string{"vault login", "wandb login", "request: pass ", "c: pass "}, nth: 1},
	{words: []string{"mc alias set"}, nth: 4},
	{words: []string{"secret set"}, option: "--body "},
	{words: []string{"nickserv identify"}, nth: 1},
	{words: []string{"add_user", "change_password"}, nth: 2},
	{words: []string{"requirepass", "masterauth", "rootpw", "snmp-server community", "insecure-password", "enable secret"},
		nth: 1},
	{words: []string{"stats auth", "addauth digest"}, nth: 1, after: ':'},
}

func commandShapes() []shape {
	var all []shape
	for _, c := range commands {
		all = append(all, shape{c.words, []string{"password"}, c.match})
	}
	all = append(all, shape{[]string{" -p ", " -p '", " -p \""}, []string{"password"}, login})
	return append(all,
		shape{[]string{"| chpasswd", "|chpasswd", "| sudo -s", "| passwd --stdin", "| cryptsetup", "| docker login", "| gpg"},
			[]string{"password"}, piped})
}

// maxCommand bounds how much of a command is read.
const maxCommand = 400

func (c command) match(v *view, at int) []candidate {
	s := v.text
	if at > 0 && (nameText[s[at-1]] || s[at-1] == '/' && c.nth > 0 && c.after == 0) && c.words[0] != "login " {
		return nil
	}
	i := at
	for _, w := range c.words {
		if len(s)-at >= len(w) && lowerAll(s[at:at+len(w)]) == w {
			i = at + len(w)
		}
	}
	if i == at {
		return nil
	}
	if s[i-1] != ' ' {
		if i += nameRun(s[i:]); i < len(s) && at > 0 && isQuote(s[at-1]) && s[i] == s[at-1] {
			i++ // a list of words: ["mysql", "-p…"]
		}
	}
	stop := min(len(s), at+maxCommand)
	if c.option == "" && i < len(s) && s[i] > ' ' && s[i-1] != ' ' {
		return nil
	}
	next := strings.TrimRight(c.option, " ")
	for n, options := 0, false; i < stop; {
		begin, end, text := shellWord(s, i, stop)
		if end == i {
			break
		}
		i = end
		word := s[begin:end]
		switch {
		case text == "|" || text == ";" || text == "&&":
			return nil
		case c.option == "":
			if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "/") && c.after == 0 || quoteless(word) == "0" {
				options = true
				continue
			}
			if n++; n == c.nth && (options || c.words[0] != "htpasswd") {
				return v.stated(begin, end, c.after)
			}
		case next != c.option && text == next:
			if begin, end, _ = shellWord(s, i, stop); end > i {
				return v.stated(begin, end, c.after)
			}
		case next == c.option && strings.HasPrefix(text, next) && len(word) > len(next):
			return v.stated(begin+strings.Index(word, next)+len(next), end, c.after)
		}
	}
	return nil
}

// login matches the password of a command that names a user with -u and a password with -p.
func login(v *view, at int) []candidate {
	line := lineBefore(v.text, at) + v.text[at:at+lineLeft(v.text[at:])]
	if !strings.Contains(line, " -u ") && !strings.Contains(line, " --user") {
		return nil
	}
	begin, end, text := shellWord(v.text, at+4-1, min(len(v.text), at+maxName*2))
	if t := looks.TraitsOf(text); len(text) < 6 || t.Lower+t.Upper == 0 || t.Digit+t.Other == 0 || looks.Expression(text) {
		return nil
	}
	return v.stated(begin, end, 0)
}

// stated makes a finding of what a syntax takes as a secret: text[begin:end] without its quotes, after a sign in it.
func (v *view) stated(begin, end int, after byte) []candidate {
	s := v.text[begin:end]
	if after != 0 {
		i := strings.IndexByte(s, after)
		if i < 0 {
			return nil
		}
		begin, s = begin+i+1, s[i+1:]
	}
	if after == '/' {
		if i := strings.LastIndexByte(s, '@'); i > 0 {
			s = s[:i]
		}
	}
	s = strings.TrimRight(s, ";,")
	if n := len(s) - 2; n > 0 && s[n+1] == ']' && isQuote(s[n]) {
		s = s[:n]
	}
	for len(s) > 0 && isQuote(s[0]) {
		begin, s = begin+1, s[1:]
	}
	for len(s) > 0 && (isQuote(s[len(s)-1]) || s[len(s)-1] == '\\') {
		s = s[:len(s)-1]
	}
	return v.foundUnless(len(s) < 4 || s[0] == '-' || strings.ContainsAny(s, "`\"'") && strings.Contains(s, " ") ||
		!v.likely(s), "password", begin, begin+len(s), byPlace)
}

// likely reports whether what stands in the place of a secret is one, and not what stands for it.
func (v *view) likely(s string) bool {
	return looks.Worth(s, looks.Password, looks.Stated) && !strings.ContainsAny(s[:1], "$<(") &&
		!(inCapitals(s) && looks.Reference(s) && looks.TraitsOf(s).Digit == 0)
}

// piped matches a password that is written into a program that asks for one.
func piped(v *view, at int) []candidate {
	line := strings.TrimRight(lineBefore(v.text, at), " ")
	i := strings.LastIndex(line, "echo ")
	if i < 0 {
		return nil
	}
	word := strings.TrimPrefix(strings.TrimLeft(line[i+5:], " "), "-n ")
	begin := at - len(lineBefore(v.text, at)) + strings.LastIndex(line, word)
	if strings.Contains(word, " ") {
		return nil
	}
	return v.stated(begin, begin+len(word), 0)
}
