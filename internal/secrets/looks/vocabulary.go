package looks

import "strings"

// stock are values that stand for a password wherever one is explained, in small letters.
var stock = set(`password passwd pass pwd secret token pw mypassword yourpassword mysecretpassword user username none
	null string true false test testing undefined hunter2 guest key port x-oauth-basic p@ss p%40ss credentials api_key
	apikey my-secret mysecret passphrase secretkey accesskey usertoken`)

// said are words that are said of a password, in the place of one.
var said = set(`required optional hidden disabled enabled missing invalid unknown incorrect default boolean integer
	number object plaintext cleartext encrypted expired generated rejected accepted provided supplied specified unspecified
	incorrectly authentication authenticate changeit redacted sensitive anonymous something whatever forbidden protected
	unsupported supported database settings config variable argument parameter property function pointer template
	identifier reference external internal keychain keyring environment interface parolmot contrasena passwort kennwort
	description interactive scram-sha-256 placeholder certificate path file userid`)

// technical are words of names, which no phrase that somebody chose has in it.
var technical = set(`name ref prod app users admin tests the with from for not and your file files vault data base
	server client service api auth login account accounts root master local remote host url uri http https com org net www
	config store manager provider secrets keys aws azure gcp github docker kube cluster dev staging production env id ids
	type types value values new old set get has can must should field input output form reset forgot change update confirm
	current show hide label text hint error policy length strength hash salt encrypt store required min max one two use
	this that all any are was but input repeat again generator check verify rule rules mysql postgres redis mongo smtp mail
	email ftp ldap web site page link sha bcrypt argon plain clear random empty dash and credentials settings self this
	args options opts params request context ctx state props process module system`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Placeholder reports whether a value stands for a secret and is none: a name, a variable, a mask, or what has been
// cut.
func Placeholder(s string) bool {
	if s == "" || stock[strings.ToLower(s)] || Example(s) || strings.HasPrefix(strings.TrimLeft(s, `\`), "[cut:") {
		return true
	}
	if strings.Trim(s, "*xX.-_•…") == "" {
		return true
	}
	switch s[0] {
	case '<', '[', '"':
		return true
	case '{':
		return len(s) == 1 || s[1] == '{' || s[1] == '"' || strings.HasSuffix(s, "}") && Expression(s[1:len(s)-1])
	case '$':
		return len(s) == 1 || s[1] == '{' || s[1] == '(' || Reference(s[1:])
	case '%':
		if strings.HasSuffix(s, "%") && Reference(strings.Trim(s, "%")) {
			return true
		}
	}
	for _, sign := range []string{"${", "{{", "$(", "<%", "#{"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return TraitsOf(s).Digit == 0 && (strings.Contains(s, "%s") || strings.Contains(s, "%v") || strings.Contains(s, "%q"))
}

// Reference reports whether a value is made of words, as names are: config.token, prod/db-password, APP_SECRET_V2.
func Reference(s string) bool { return allNamed(strings.TrimLeft(s, "!&*+"), "-_./:@=\\") }

// Expression reports whether a value without quotes is made of names and of the signs of a program.
func Expression(s string) bool { return allNamed(s, "-_./:@=\\!&*+()[]{},;<>|$") }

func allNamed(s, between string) bool {
	if stem := strings.TrimRight(s, "-_!*&+#?"); stem != s && stem != "" && Digits[stem[len(stem)-1]] && Letters[s[0]] {
		return false // a word, a number and a sign, as people make passwords
	}
	for chunk := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		if !named(chunk) {
			return false
		}
	}
	return true
}

// named reports whether a chunk reads as a part of a name: a word in one case, words in camel case, a short number, or
// a word with a short number after it.
func named(chunk string) bool {
	letterEnd := Letters.Run(chunk, len(chunk))
	number := chunk[letterEnd:]
	if len(number) > 8 || letterEnd > 0 && len(number) > 5 || Digits.Run(number, len(number)) != len(number) {
		return false
	}
	t := TraitsOf(chunk[:letterEnd])
	if t.Upper == 0 || t.Lower == 0 {
		return letterEnd <= 24
	}
	return letterEnd <= 40 && t.Upper*3 <= letterEnd+1 && !shuffled(chunk, t)
}

// call reports whether a value without quotes calls a function, or takes a part of something.
func call(s string) bool {
	i := strings.IndexAny(s, "([{")
	return i > 2 && (Dotted.Run(s, i) == i || Expression(s[:i])) && strings.IndexByte(")]},;", s[len(s)-1]) >= 0 ||
		i == 0 && s[0] == '(' || strings.Contains(s, "(\"")
}

// named for what it holds: testRSA2048PrivateKey.
var holders = strings.Fields("key token secret password passwd pwd credential credentials auth pass")

func holder(s string) bool {
	if strings.ToUpper(s) == s && strings.Count(s, "_") > 2 {
		return true // C.NL80211_EXT_FEATURE_4WAY_HANDSHAKE_STA_PSK
	}
	s = strings.TrimRight(strings.ToLower(s), "0123456789")
	for _, h := range holders {
		if strings.HasSuffix(s, h) {
			return true
		}
	}
	return false
}

// member reports whether a value is a part of a thing that is named first: self._lib.NID_pbe_WithSHA1.
func member(s string) bool {
	i := strings.IndexByte(s, '.')
	return i > 1 && Letters.Run(s, i) == i && Dotted.Run(s, len(s)) == len(s) && WordLike(s)
}

// WordLike reports whether what is in small and capital letters is made of words, as names in code are: more than four
// letters of ten are in rows of three small ones.
func WordLike(s string) bool {
	in, row := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] >= 'a' && s[i] <= 'z' {
			row++
			continue
		}
		if row >= 3 && strings.ContainsAny(s[i-row:i], "aeiouy") {
			in += row
		}
		row = 0
	}
	return in*10 > len(s)*4
}

// identifier reports whether a value without quotes is a name in code: libc.Int32FromUint64, MarshalPKCS1PrivateKey.
func identifier(s string) bool {
	if i := strings.LastIndexAny(s, ".&*!_"); i >= 0 {
		s = s[i+1:]
	}
	if len(s) >= 40 {
		return false
	}
	capitals, low := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
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
	return capitals > 0 && (low == 0 || low > 2) && capitals*2 < len(s)
}

// shuffled reports whether small and capital letters change too often for words.
func shuffled(s string, t Traits) bool { return len(s) >= 10 && t.Turns*3 >= len(s) && !WordLike(s) }

// gibberish reports whether letters were drawn by lot: words have a vowel in any five.
func gibberish(s string) bool {
	row := 0
	for i := range len(s) {
		if row++; strings.IndexByte("aeiouyAEIOUY", s[i]) >= 0 || s[i] < 'A' {
			row = 0
		}
		if row == 5 {
			return true
		}
	}
	return false
}

// UUID reports whether s is one.
func UUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && AnyHex.Run(s, 8) == 8 &&
		AnyHex.Run(s[24:], 12) == 12
}
