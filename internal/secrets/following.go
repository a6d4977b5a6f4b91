package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/measure"
	"github.com/council-engine/council/internal/secrets/naming"
	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

// following finds a value that follows its name after a blank: of an option, a literal, a line of a file of settings.
func following(v *view, start, end int, n naming.Noun) (span, bool) {
	s := v.Text
	gap := measure.Blanks(s[end:])
	if gap == 0 || end+gap >= len(s) {
		return span{}, false
	}
	begin := end + gap
	line := measure.LineBefore(s, start)
	option := s[start] == '-' && (start == 0 || s[start-1] <= ' ' || text.Quote(s[start-1]))
	option = option || start > 0 && s[start-1] == ':'                                             // a keyword of Lisp or Ruby
	if level := s[begin]; level >= '0' && level <= '7' && begin+2 < len(s) && s[begin+1] == ' ' { // how Cisco hides it
		begin += 2
		option = true
	}
	begin += measure.Opening(s[begin:])
	if text.Quote(s[begin]) {
		place := value.Bare
		if option || measure.Upper(s[start:end]) {
			place = value.Quoted
		}
		return quoted(s, begin, place, false), true
	}
	word := 0
	for begin+word < len(s) && s[begin+word] > ' ' && !text.Quote(s[begin+word]) && word < measure.MaxValue {
		word++
	}
	whole := span{begin, begin + word, value.Line}
	variable := measure.Upper(s[start:end]) && strings.Contains(s[start:end], "_")
	if variable {
		whole.place = value.Quoted
	}
	before := strings.Fields(line)
	last := ""
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case strings.EqualFold(s[start:end], "password") && (isOne("machine", before) || isOne("login", before) || strings.Contains(s[max(0, start-160):start], "machine ")):
		whole.place = value.Stated
		return whole, true
	case option, s[begin] != '=' && (isOne(last, settingWords) || strings.HasSuffix(last, ":") && strings.Contains(line, " set ")):
		return whole, option || variable || value.TraitsOf(s[begin:begin+word]).Digit > 0
	case measure.LineRun(s, begin) == word && (len(before) == 0 || isOne(before[0], configWords)):
		said := s[begin : begin+word]
		return whole, value.TraitsOf(said).Digit > 0 || strings.ContainsAny(said, "-_.")
	}
	said := strings.TrimRight(s[begin:begin+word], ".,;:)")
	return span{begin, begin + len(said), value.Line}, n == naming.Password && v.NextBreak(end-1, begin+word) == begin+word && plainly(said) && !strings.EqualFold(s[start:end], "pass")
}

// plainly reports whether a word of prose can be nothing but a password.
func plainly(s string) bool {
	t := value.TraitsOf(s)
	return len(s) >= leastValue && t.Digit > 0 && t.Lower+t.Upper > 0 && t.Turns > 3 && !value.Expression(s) &&
		value.AnyHex.Run(s, len(s)) < len(s) && !strings.ContainsAny(s, "<>&:+(/|")
}

var (
	settingWords = strings.Fields("set ENV setenv SetEnv -x -gx -Ux configure config put add nmcli")
	configWords  = strings.Fields("username enable user account default neighbor d-i set tacacs-server radius-server snmp-server login interface key")
)

// told are the words that prose puts between a password and what it is.
var told = strings.Fields("is was to be as now still currently : -> — /")

// toldInProse finds what a sentence says that a password is: "the password for staging is X".
func toldInProse(v *view, start, end int, n naming.Noun) (span, bool) {
	if n != naming.Password && n != naming.Secret && n != naming.APIKey || strings.EqualFold(v.Text[start:end], "pass") {
		return span{}, false
	}
	s := v.Text[:v.NextBreak(end-1, min(len(v.Text), end+maxApart/2))]
	saw := false
	for i, words := end, 0; i < len(s) && words < 7; words++ {
		gap := measure.Blanks(s[i:])
		if gap == 0 {
			break
		}
		i += gap
		begin := i
		for i < len(s) && s[i] > ' ' {
			i++
		}
		word := s[begin:i]
		if isOne(strings.TrimRight(word, ":"), told) || words > 0 && strings.HasSuffix(word, ":") {
			saw = saw || words > 0 || word != ":" && word != "->"
			continue
		}
		plain := strings.TrimRight(strings.TrimLeft(word, "\"'`(*"), "\"'`,.;:)*")
		t := value.TraitsOf(plain)
		if saw && value.AnyHex.Run(plain, len(plain)) < len(plain) && len(plain) >= leastValue && len(plain) <= maxName && !strings.Contains(plain, "](") && t.Digit > 0 && t.Lower+t.Upper > 0 && (t.Turns > 2 || t.Other > 0) {
			begin += strings.Index(word, plain)
			return span{begin, begin + len(plain), value.Line}, true
		}
		if saw = false; t.Lower != len(plain) || word != plain {
			break
		}
	}
	return span{}, false
}
