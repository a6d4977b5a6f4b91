package value

import "strings"

var (
	// ids begin what is drawn by lot and opens nothing.
	ids = set(`req msg resp chatcmpl toolu call run thread asst file batch cus sub pi ch in price prod evt acct seti card src
		ba tr po txn pk rs ws fc item ft whe cp ftjob ftckpt msgbatch compl cmpl ctr job sess session trace span img
		h1 go zh sha256 sha512 sha384 sha1 md5 build id ref rev commit digest hash cache tmp lock chunk bundle main
		index vendor style app v1 v2 v3 pub public client publishable anon`)
	// openers say of what they begin that it opens something.
	openers = set(`sk rk pat sat key keys tok token live secret api apikey pw pwd oauth test prod sec priv private access auth pt
		st jwt refresh svc service deploy admin webhook whsec bot`)
	// strong ones say so even of a uuid.
	strong = set(`sk rk pat sat key token live secret access`)
)

// Opens reports whether a word is a prefix and a body that is drawn by lot.
func Opens(word string) bool {
	if len(word) == 50 && word[32] == '-' && word[41] == '-' { // Mailgun's have no prefix
		return LowHex.Run(word, 32) == 32 && LowHex.Run(word[33:], 8) == 8 && LowHex.Run(word[42:], 8) == 8
	}
	i := strings.IndexAny(word, "-_.")
	if i < 2 || i > 12 || Letters.Run(word, 1) == 0 {
		return false
	}
	says := openers[strings.ToLower(word[:i])]
	if ids[strings.ToLower(word[:i])] {
		return false
	}
	rest := word[i+1:]
	for {
		k := strings.IndexAny(rest, "-_.")
		if k < 0 || k > 10 || !short(rest[:k]) || UUID(rest) {
			break
		}
		says = says || openers[strings.ToLower(rest[:k])]
		rest = rest[k+1:]
	}
	if !Reference(word[:i]) || strings.Contains(rest, ".") && !says || word[i] == '.' && !says && (i > 3 || len(rest) < 40) {
		return false
	}
	if UUID(rest) {
		return says && strong[strings.ToLower(word[:i])] && !Example(word)
	}
	longest := ""
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("-_.~", r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	body := strings.NewReplacer("-", "", "_", "", ".", "", "~", "").Replace(rest)
	t := TraitsOf(body)
	switch {
	case len(longest) < 12 && (!says || len(longest) < 7) || Example(word) || t.Upper > 0 && WordLike(body) || strings.HasPrefix(body, "01") && len(body) <= 26:
		return false
	case LowHex.Run(body, len(body)) == len(body):
		n := len(body)
		return Drawn(body) && (says && n >= 32 || i > 2 && word[i] == '_' && TraitsOf(word).Upper == 0 && len(rest) == n && n%8 == 0 && n >= 32 && n <= 64)
	case TraitsOf(longest).Turns*4 < len(longest) && !says:
		return false
	case t.Upper == 0 || t.Lower == 0:
		return t.Digit >= len(body)/8 && t.Turns >= len(body)/4 && (len(body) >= 40 || says && len(body) >= 20)
	}
	return Random(body) && (len(body) >= 24 || says && len(body) >= 14)
}

// short reports whether a part of a prefix is a word or a version.
func short(s string) bool {
	t := TraitsOf(s)
	return t.Turns < 2 && t.Digit < 5
}
