package secrets_test

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"html"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/secrets"
)

// lists are families that public lists and manuals name: formats of vendors, of files, and of command lines. The
// rules were made with them; fresh ones were written when the rules stood, and those of the second hand by a person
// who had not seen them.
var (
	//go:embed testdata/families.txt
	lists string
	//go:embed testdata/fresh.txt
	fresh string
	//go:embed testdata/planted.txt
	issued string
	//go:embed testdata/secondhand2.txt
	secondhand2 string
	//go:embed testdata/secondhand.txt
	secondhand string
	//go:embed testdata/vendors.txt
	vendors string
	//go:embed testdata/vendors2.txt
	vendors2 string
)

// A family makes secrets of a value in a text, where %s is the secret.
type family struct{ name, value, text string }

func listedFamilies(t testing.TB, listed string) []family {
	t.Helper()
	var all []family
	for line := range strings.Lines(listed) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " :: ")
		if len(parts) != 3 || !strings.Contains(parts[2], "%s") {
			t.Fatalf("not a family: %q", line)
		}
		text := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(parts[2])
		all = append(all, family{parts[0], parts[1], text})
	}
	return all
}

const (
	hexDigits = "0123456789abcdef"
	alnum     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	urlSafe   = alnum + "-_"
	std64     = alnum + "+/"
)

func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// summedToken is one of GitHub's or npm's, whose last six characters are a checksum.
func summedToken(prefix string) func(*rand.Rand) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return func(r *rand.Rand) string {
		body := draw(r, alnum, 30)
		sum, tail := crc32.ChecksumIEEE([]byte(body)), ""
		for range 6 {
			tail = string(digits[sum%62]) + tail
			sum /= 62
		}
		return prefix + body + tail
	}
}

func pem(label string, lines int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		return "-----BEGIN " + label + "-----\n" + wrapAt(draw(r, std64, 64*lines+22), 64, "\n") + "==\n-----END " + label +
			"-----"
	}
}

// password is one that a generator made: a capital letter, a small one and a digit are always in it.
func password(r *rand.Rand) string {
	return draw(r, "ABCDEFGHJKLMNPQRSTUVWXYZ", 1) + draw(r, alnum+"!#^*-_+=", 8+r.IntN(10)) + draw(r, "23456789", 1) +
		draw(r, "abcdefghkmnpqrstuvwxyz", 1)
}

// values makes passwords of the sorts that people and their keepers make, and what a pattern cannot say.
var values = map[string]func(r *rand.Rand) string{
	"@pw": func(r *rand.Rand) string {
		return draw(r, "ABCDEFGHJKLMNPQRSTUVWXYZ", 1) + draw(r, alnum+"!#%^*-_+=@?.~", 9+r.IntN(8)) + draw(r, "23456789", 1) +
			draw(r, "!#%*_", 1) + draw(r, "abcdefghk", 1)
	},
	"@pwurl": func(r *rand.Rand) string { return draw(r, alnum+"!*-_.~", 9+r.IntN(8)) + draw(r, "23456789", 1) },
	"@sym": func(r *rand.Rand) string {
		return draw(r, alnum, 3) + draw(r, alnum+"!@#$%^&*()-_=+[]{};:,.?/|~", 9+r.IntN(5)) + draw(r, "2468", 1)
	},
	"@sym2": func(r *rand.Rand) string {
		return draw(r, alnum, 3) + draw(r, alnum+"!@#$%^&*();:,=", 9+r.IntN(5)) + draw(r, "2468", 1)
	},
	"@alnum":   func(r *rand.Rand) string { return draw(r, alnum, 10+r.IntN(4)) + draw(r, "23456789", 1) },
	"@letters": func(r *rand.Rand) string { return draw(r, alnum[26:52], 10+r.IntN(6)) },
	"@word":    func(r *rand.Rand) string { return pick(r, someWords) + pick(r, someWords) },
	"@phrase":  func(r *rand.Rand) string { return someOf(r, 4, "-") },
	"@twelve":  func(r *rand.Rand) string { return someOf(r, 12, " ") },
	"@uuid": func(r *rand.Rand) string {
		return draw(r, hexDigits, 8) + "-" + draw(r, hexDigits, 4) + "-4" + draw(r, hexDigits, 3) + "-a" +
			draw(r, hexDigits, 3) + "-" + draw(r, hexDigits, 12)
	},
	"@basic": func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString([]byte("deploy:" + password(r))) },
	"@b64pw": func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString([]byte(password(r))) },
	"@b64pem": func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte(pem("RSA PRIVATE KEY", 9)(r)))
	},
	"@password": password,
	"@ghp_":     summedToken("ghp_"),
	"@gho_":     summedToken("gho_"),
	"@npm_":     summedToken("npm_"),
	"@discord": func(r *rand.Rand) string {
		return base64.RawURLEncoding.EncodeToString([]byte("1"+draw(r, "0123456789", 17))) + "." + draw(r, urlSafe, 6) + "." +
			draw(r, urlSafe, 38)
	},
	"@jwt": func(r *rand.Rand) string {
		enc := base64.RawURLEncoding.EncodeToString
		return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
			enc(fmt.Appendf(nil, `{"sub":"%d","exp":%d}`, r.Int32(), r.Int32())) + "." + draw(r, urlSafe, 43)
	},
	"@putty": func(r *rand.Rand) string {
		return draw(r, std64, 64) + "\n" + draw(r, std64, 64) + "\nPrivate-MAC: " + draw(r, hexDigits, 40)
	},
	"@pem":     pem("PRIVATE KEY", 9),
	"@gcp":     pem("PRIVATE KEY", 25),
	"@rsa":     pem("RSA PRIVATE KEY", 24),
	"@openssh": pem("OPENSSH PRIVATE KEY", 6),
	"@pgp":     pem("PGP PRIVATE KEY BLOCK", 20),
	"@ec":      pem("EC PRIVATE KEY", 3),
	"@human": func(r *rand.Rand) string {
		word := []byte(pick(r, seedWords))
		word[0] -= 'a' - 'A'
		for i, c := range []byte("a4s5o0i1e3") {
			if at := bytes.IndexByte(word, c); i%2 == 0 && at > 0 && r.IntN(4) == 0 {
				word[at] = "a4s5o0i1e3"[i+1]
			}
		}
		return string(word) + draw(r, "0123456789", 2+r.IntN(3)) + draw(r, "!*?#-_", 1+r.IntN(2))
	},
	"@words": func(r *rand.Rand) string {
		sep := []string{"", "-", "_", "."}[r.IntN(4)]
		return pick(r, seedWords) + sep + pick(r, seedWords) + sep + pick(r, seedWords)
	},
	"@seed": func(r *rand.Rand) string {
		words := make([]string, 12)
		for i := range words {
			words[i] = pick(r, seedWords)
		}
		return strings.Join(words, " ")
	},
	"@pembody":        func(r *rand.Rand) string { return wrapAt(draw(r, alnum+"+/", 500)+"=", 64, "\n") },
	"@pembodyindent":  func(r *rand.Rand) string { return "  " + wrapAt(draw(r, alnum+"+/", 500)+"=", 64, "\n  ") },
	"@pembodyescaped": func(r *rand.Rand) string { return wrapAt(draw(r, alnum+"+/", 500)+"=", 64, `\n`) },
	"@b64wrapped": func(r *rand.Rand) string {
		return "  " + wrapAt(base64.StdEncoding.EncodeToString([]byte(pem("PRIVATE KEY", 9)(r))), 76, "\n  ")
	},
}

var seedWords = strings.Fields(
	"abandon ability absorb abstract bachelor balance bamboo cabbage cactus camera daughter decade element elephant " +
		"fantasy galaxy garment hamster harvest insect jungle kitchen magnet napkin paddle quantum rabbit salmon tobacco " +
		"umbrella vacuum walnut yellow zephyr")

var someWords = strings.Fields(
	"horse battery staple window garden purple monkey silver rocket winter summer dragon coffee planet marble tiger " +
		"basket candle forest hammer")

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

func someOf(r *rand.Rand, n int, sep string) string {
	words := make([]string, n)
	for i := range words {
		words[i] = pick(r, someWords)
	}
	return strings.Join(words, sep)
}

var classes = regexp.MustCompile(`\[([^\]]+)\]\{(\d+)\}|\[([^\]]+)\]`)

// expand draws a value of a pattern: text, and classes with a length, such as "glpat-[A-Za-z0-9_-]{20}".
func expand(r *rand.Rand, pattern string) string {
	if make, ok := values[pattern]; ok {
		return make(r)
	}
	return classes.ReplaceAllStringFunc(pattern, func(c string) string {
		m := classes.FindStringSubmatch(c)
		n, _ := strconv.Atoi(m[2])
		var set []byte
		for i := 0; i < len(m[1]+m[3]); i++ {
			s := m[1] + m[3]
			if i+2 < len(s) && s[i+1] == '-' {
				for b := int(s[i]); b <= int(s[i+2]); b++ {
					set = append(set, byte(b))
				}
				i += 2
				continue
			}
			set = append(set, s[i])
		}
		return draw(r, string(set), max(n, 1))
	})
}

// settings are surroundings of a text. The first is the text as it is.
var settings = []func(r *rand.Rand, text string) string{
	func(_ *rand.Rand, text string) string { return before + "\n" + text + "\n" + afterWord },
	func(_ *rand.Rand, text string) string { return before + "\n```\n" + text + "\n```\n" + afterWord },
	func(_ *rand.Rand, text string) string { return before + "\n\n" + text + "\n\n" + afterWord },
	func(r *rand.Rand, text string) string {
		return before + "\n<pre>\n" + entities(r, text) + "\n</pre>\n" + afterWord
	},
	func(_ *rand.Rand, text string) string {
		return before + "\n" + wrap(base64.StdEncoding.EncodeToString([]byte(text+"\n"+text))) + "\n" + afterWord
	},
}

func entities(r *rand.Rand, text string) string {
	text = html.EscapeString(text)
	if r.IntN(2) == 0 {
		text = strings.NewReplacer(":", "&#58;", "=", "&#x3D;", "-", "&#x2d;", "&#34;", "&quot;").Replace(text)
	}
	return text
}

// wrap breaks lines at 76 columns, as mail does.
func wrap(s string) string { return wrapAt(s, 76, "\n") }

func wrapAt(s string, column int, end string) string {
	var b strings.Builder
	for ; len(s) > column; s = s[column:] {
		b.WriteString(s[:column] + end)
	}
	return b.String() + s
}

func TestListed_FamiliesAreCut(t *testing.T) {
	for _, l := range []struct {
		name, list string
		least      int // of a hundred
	}{
		{"listed", lists, 95}, {"fresh", fresh, 95}, {"secondhand", secondhand, 95}, {"secondhand2", secondhand2, 85},
		{"vendors", vendors, 95}, {"vendors2", vendors2, 88},
	} {
		t.Run(l.name, func(t *testing.T) {
			families := listedFamilies(t, l.list)
			planted, cut := 0, 0
			for _, f := range families {
				n, example := f.plant(t)
				planted, cut = planted+plants, cut+n
				if n < plants {
					t.Logf("%d of %d were missed: %s\n%s", plants-n, plants, f.name, example)
				}
			}
			t.Logf("%d of %d secrets of %d families were cut (%.1f %%)", cut, planted, len(families),
				100*float64(cut)/float64(planted))
			if cut*100 < planted*l.least {
				t.Errorf("that is less than %d of 100", l.least)
			}
		})
	}
}

// plants is how many secrets of a family are planted: three as they are, one behind entities of HTML, one in wrapped
// base64.
const plants = 5

// plant reports how many secrets of a family were cut, with an example of those that were not.
func (f family) plant(t *testing.T) (cut int, example string) {
	r := rand.New(rand.NewPCG(10, uint64(crc32.ChecksumIEEE([]byte(f.name)))))
	for i := range plants {
		secret := expand(r, f.value)
		setting := settings[i%3]
		if i >= plants-2 {
			setting = settings[3+i%2]
		}
		text := setting(r, strings.Replace(f.text, "%s", secret, 1))
		out, _ := secrets.Cut(text)
		for left(f.text, secret) { // other words of the text are not left of the secret
			secret = secret[1:]
		}
		if left(html.UnescapeString(out), secret) {
			example = text + "\n--- became\n" + out
			continue
		}
		cut++
		// as Markdown quotes it
		for _, marked := range []string{out, strings.NewReplacer("[", `\[`, "]", `\]`).Replace(out)} {
			if again, _ := secrets.Cut(marked); again != marked {
				t.Errorf("%s: what was cut is cut again:\n%s\n--- became\n%s", f.name, marked, again)
			}
		}
	}
	return cut, example
}
