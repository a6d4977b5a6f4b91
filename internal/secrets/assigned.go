package secrets

import "strings"

const (
	maxName    = 64
	maxValue   = 512
	leastValue = 8
)

// assigned matches the value of an assignment whose name, around at, says that it is a secret.
func assigned(v *view, at int) (candidate, bool) {
	s := v.text
	if at < v.past {
		return candidate{}, false // within what is no secret
	}
	start, end := at, at
	for start > 0 && at-start < maxName && (nameText[s[start-1]] || v.omitted(start) != "") && !v.broken(start) {
		start--
	}
	for end < len(s) && end-at < maxName && nameText[s[end]] && !v.broken(max(end, at+1)) {
		end++
	}
	name := s[start:end]
	noun := nounOf(name)
	if noun == nothing {
		return candidate{}, false
	}
	begin, quoted, ok := valueOf(s, start, end)
	if !ok {
		if begin, ok = flagValue(s, start, end); !ok {
			return candidate{}, false
		}
	}
	stop := begin + valueRun(s[begin:], quoted)
	if at := v.nextBreak(begin-1, stop); at < stop {
		next := s[at:v.nextBreak(at, stop)]
		if t := traitsOf(next); reference(next) || at < begin+leastValue && (len(next) < 6 || t.digit == 0 || t.turns < 2) {
			stop = at
		}
	}
	if stop = v.untilProse(begin+leastValue, stop); stop <= begin {
		return candidate{}, false
	}
	value := s[begin:stop]
	if !worth(value, noun, quoted != 0) {
		if quoted == 0 {
			v.past = stop
		}
		return candidate{}, false
	}
	vendor := vendorOf(name, s[max(0, start-vendorReach):start])
	if noun == key && vendor == "" {
		return candidate{}, false
	}
	return v.found(kindOf(noun, vendor, name), begin, stop, byName), true
}

var nameText = newClass("_-.", "09", "az", "AZ")

// valueOf finds the value that is assigned to the name s[start:end], or is the argument after it: where it begins, and its
// quote, if any.
func valueOf(s string, start, end int) (begin int, quoted byte, ok bool) {
	i := end
	for n := 0; i < len(s) && n < 3 && (quote(s[i]) || s[i] == '\\' || s[i] == ']'); n++ {
		i++
	}
	closed := i > end
	argument := start > 0 && (s[start] == '-' || start > 1 && s[start-2] == '(')
	i += blanks(s[i:])
	sign := i
	for i < len(s) && i-sign < 3 && strings.IndexByte(":=>", s[i]) >= 0 {
		i++
	}
	if i == sign && i < len(s) && (s[i] == '(' || s[i] == ',' && closed && argument) {
		i++
	} else if i == sign {
		return 0, 0, false
	}
	i += blanks(s[i:])
	for n := 0; i < len(s) && n < 2 && (s[i] == '\\' || s[i] == '@'); n++ {
		i++
	}
	if i < len(s) && quote(s[i]) {
		return i + 1, s[i], true
	}
	bare := s[sign] != '(' && s[sign] != ','
	return i, 0, bare && i < len(s)
}

// flagValue finds the value after a name without a sign between: of a flag, of a line of .netrc, of SQL.
func flagValue(s string, start, end int) (begin int, ok bool) {
	n := blanks(s[end:])
	if n == 0 || end+n >= len(s) {
		return 0, false
	}
	before := s[max(0, start-128):start]
	flag := strings.HasPrefix(s[start:end], "--")
	netrc := s[start:end] == "password" && (strings.Contains(before, "login ") || strings.Contains(before, "machine "))
	begin = end + n
	if (flag || netrc) && begin < len(s) && quote(s[begin]) {
		begin++
	}
	return begin, flag || netrc
}

func blanks(s string) int {
	n := 0
	for n < len(s) && n < 40 && (s[n] == ' ' || s[n] == '\t') {
		n++
	}
	return n
}

// valueRun measures the value at the beginning of s.
func valueRun(s string, quoted byte) int {
	n := 0
	for n < len(s) && n < maxValue {
		c := s[n]
		switch {
		case c <= ' ', c == quoted && quoted != 0, c == '\\' && n+1 < len(s) && quote(s[n+1]):
			return n
		case quoted == 0 && strings.IndexByte(",;)}]\"'`<>|&(", c) >= 0:
			return n
		}
		n++
	}
	return n
}

// worth reports whether a value of that name is a secret: long enough, drawn or chosen by somebody, and no reference to
// what stands elsewhere.
func worth(value string, n noun, quoted bool) bool {
	least := leastValue
	if n == key {
		least = 16
	}
	if len(value) < least || placeholder(value) || reference(value) || strings.Contains(value, "://") {
		return false
	}
	if !quoted {
		if value = strings.TrimRight(value, ".:"); strings.ContainsAny(value, "[{") || identifier(value) {
			return false
		}
	}
	if n == login {
		return basic(value)
	}
	t := traitsOf(value)
	mixed := t.digit > 0 && t.lower+t.upper > 0 || t.lower > 0 && t.upper > 0 && t.other > 0
	switch {
	case n == password && quoted:
		mixed = mixed || t.turns >= 3
	case n != password && len(value) >= 20:
		mixed = mixed || t.turns >= 6
	case n == key:
		mixed = mixed && t.turns >= 4
	}
	return mixed && entropy(value) >= 2.5 && !code(value)
}

// code reports whether a value is an expression or a path rather than a value.
func code(value string) bool {
	return strings.ContainsAny(value[:1], "(.#~") || value[0] == '/' && traitsOf(value).turns < 8 || strings.HasPrefix(strings.TrimLeft(value, "-"), "0x") || strings.HasPrefix(value, "sha256") || strings.HasPrefix(value, "sha512") || strings.Contains(value, "()") || strings.Contains(value, "::") ||
		strings.Contains(value, "[0") || uuid(value)
}

// uuid reports whether s is one: it names something, and opens nothing.
func uuid(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && anyHex.run(s, 8) == 8
}

// reference reports whether a value is made of words, as names are: config.token, prod/db-password, APP_SECRET_V2.
func reference(value string) bool {
	value = strings.TrimLeft(value, "!&*+")
	for chunk := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("-_./:@=\\", r) }) {
		if !named(chunk) {
			return false
		}
	}
	return true
}

// named reports whether a chunk reads as a part of a name: a word in one case, words in camel case, a short number, or a
// word with a short number after it.
func named(chunk string) bool {
	letterEnd := letters.run(chunk, len(chunk))
	number := chunk[letterEnd:]
	if len(number) > 8 || letterEnd > 0 && len(number) > 3 || digits.run(number, len(number)) != len(number) {
		return false
	}
	t := traitsOf(chunk[:letterEnd])
	if t.upper == 0 || t.lower == 0 {
		return letterEnd <= 24
	}
	return letterEnd <= 40 && t.upper*3 <= letterEnd+1
}

// identifier reports whether a value without quotes is a name in code: libc.Int32FromUint64, MarshalPKCS1PrivateKey.
func identifier(value string) bool {
	if i := strings.LastIndexAny(value, ".&*!_"); i >= 0 {
		value = value[i+1:]
	}
	capitals, low := 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case c >= 'a' && c <= 'z':
			low++
			continue
		case c >= 'A' && c <= 'Z':
			capitals++
		case c < '0' || c > '9':
			return false
		}
		if low == 1 || low == 2 {
			return false // words are longer
		}
		low = 0
	}
	return capitals > 0 && (low == 0 || low > 2) && capitals*2 < len(value)
}
