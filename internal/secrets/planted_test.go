package secrets_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/secrets"
)

const (
	before    = "What follows belongs to the staging cluster:"
	afterWord = "Nobody has rotated it since the spring."
)

// A form writes a secret in its surroundings, as documents and replies have it.
type form struct {
	name  string
	write func(r *rand.Rand, f family, secret string) string
}

var forms = []form{
	{"plain", func(_ *rand.Rand, f family, s string) string { return before + "\n" + f.with(s) + "\n" + afterWord }},
	{"punctuation", func(r *rand.Rand, f family, s string) string {
		end := []string{".", ",", ";", ")", "!", "?", "`", "\"", "*", ". "}[r.IntN(10)]
		return before + " " + f.with(s) + end + "\n" + afterWord
	}},
	{"JSON", func(_ *rand.Rand, f family, s string) string {
		doc, _ := json.Marshal(map[string]string{"a": before, "b": f.with(s), "c": afterWord})
		return string(doc)
	}},
	{"YAML", func(_ *rand.Rand, f family, s string) string {
		if name, ok := f.name1(); ok {
			return "note: " + before + "\nspec:\n  " + name + ": " + s + "\nrest: " + afterWord
		}
		return "note: " + before + "\nspec:\n  value: \"" + strings.ReplaceAll(f.with(s), "\n", "\n    ") +
			"\"\nrest: " + afterWord
	}},
	{"environment", func(_ *rand.Rand, f family, s string) string {
		if _, ok := f.name1(); ok {
			return "# " + before + "\n" + f.with(s) + "\n# " + afterWord
		}
		return "# " + before + "\nVALUE=" + f.with(s) + "\n# " + afterWord
	}},
	{"shell", func(_ *rand.Rand, f family, s string) string {
		if name, ok := f.name1(); ok {
			return "echo '" + before + "'\nexport " + name + "='" + s + "'\necho '" + afterWord + "'"
		}
		return "echo '" + before + "'\nrun --with '" + f.with(s) + "' && echo '" + afterWord + "'"
	}},
	{"address", func(_ *rand.Rand, f family, s string) string {
		q := url.QueryEscape(f.with(s))
		if name, ok := f.name1(); ok {
			q = name + "=" + url.QueryEscape(s)
		}
		return before + " https://api.internal/v1/x?" + "page=2&v=" + q + "&z=1 " + afterWord
	}},
	{"wrapped", func(r *rand.Rand, f family, s string) string {
		at := 6 + r.IntN(max(1, len(s)-12))
		indent := []string{"", "  ", "\t", "> ", "# "}[r.IntN(5)]
		return before + "\n" + indent + f.with(s[:at]+"\n"+indent+s[at:]) + "\n" + afterWord
	}},
	{"zero width", func(r *rand.Rand, f family, s string) string {
		for range 3 {
			at := 1 + r.IntN(len(s)-1)
			for at < len(s)-1 && s[at]&0xc0 == 0x80 {
				at++
			}
			s = s[:at] + []string{"\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad"}[r.IntN(5)] + s[at:]
		}
		return before + "\n" + f.with(s) + "\n" + afterWord
	}},
	{"quotes", func(r *rand.Rand, f family, s string) string {
		at := 5 + r.IntN(max(1, len(s)-10))
		glue := []string{`""`, `" + "`, `' + '`, `" "`, `"."`, "\" +\n\t\t\"", `''`}[r.IntN(7)]
		q := glue[:1]
		if name, ok := f.name1(); ok {
			return before + "\n" + name + " = " + q + s[:at] + glue + s[at:] + q + "\n" + afterWord
		}
		return before + "\nx = " + q + f.with(s[:at]+glue+s[at:]) + q + "\n" + afterWord
	}},
	{"base64", func(r *rand.Rand, f family, s string) string {
		enc := []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding}[r.IntN(3)]
		return before + "\ndata: " + enc.EncodeToString([]byte(f.with(s))) + "\n" + afterWord
	}},
	{"percent", func(_ *rand.Rand, f family, s string) string {
		var b strings.Builder
		for _, c := range []byte(f.with(s)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
		return before + "\n" + b.String() + "\n" + afterWord
	}},
}

func (f family) with(secret string) string { return strings.Replace(f.text, "%s", secret, 1) }

// name1 returns the name that a secret is assigned to, where that alone shows it.
func (f family) name1() (string, bool) {
	name, ok := strings.CutSuffix(f.text, "=%s")
	if !ok {
		name, ok = strings.CutSuffix(f.text, " = %s")
	}
	return name, ok && !strings.ContainsAny(name, ":/?")
}

// left reports whether eight characters in a row of a secret are still to be read in a text after the cut, however
// they are laid out or encoded.
func left(out, secret string) bool {
	out = marks.ReplaceAllString(out, "|")
	hay := []string{bare(out)}
	if plain, err := url.QueryUnescape(out); err == nil {
		hay = append(hay, bare(plain))
	}
	for _, word := range strings.FieldsFunc(out, func(r rune) bool { return strings.ContainsRune(" \n:\"'=", r) }) {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			raw, err := enc.DecodeString(word)
			if err == nil {
				hay = append(hay, bare(string(raw)))
			}
		}
	}
	for _, line := range strings.Split(secret, "\n") {
		if strings.Contains(line, "-----") || strings.Contains(line, "MAC") {
			continue
		}
		line = bare(line)
		for i := 0; i+8 <= len(line); i++ {
			for _, h := range hay {
				if strings.Contains(h, line[i:i+8]) {
					return true
				}
			}
		}
	}
	return false
}

var marks = regexp.MustCompile(`\[cut: [a-z0-9-]+\]`)

// bare is s without its layout.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x7e || strings.ContainsRune(" \t\n\r\"'`+.\\>#", r) {
			return -1
		}
		return r
	}, s)
}

func TestPlanted_SecretsAreCut(t *testing.T) {
	const each = 12 // of every family, one in each form
	r := rand.New(rand.NewPCG(6, 2026))
	planted, cut, disturbed := 0, 0, 0
	missed := map[string][]string{}
	families := listedFamilies(t, issued)
	for _, f := range families {
		for i := range each {
			form, secret := forms[i%len(forms)], expand(r, f.value)
			text := form.write(r, f, secret)
			out, counts := secrets.Cut(text)
			planted++
			if left(out, secret) || len(counts) == 0 {
				missed[f.name+", "+form.name] = append(missed[f.name+", "+form.name], text)
				continue
			}
			cut++
			if !strings.Contains(out, before) || !strings.Contains(out, afterWord) {
				disturbed++
				if testing.Verbose() {
					t.Logf("disturbed: %s, %s\n%s\n--- became\n%s", f.name, form.name, text, out)
				}
			}
			if strings.Count(out, "\n") != strings.Count(text, "\n") {
				t.Errorf("%s, %s: the lines were changed:\n%s\n--- became\n%s", f.name, form.name, text, out)
			}
		}
	}
	t.Logf("%d of %d secrets of %d families were cut (%.2f %%); words beside %d of them were lost", cut, planted,
		len(families), 100*float64(cut)/float64(planted), disturbed)
	for which, texts := range missed {
		t.Logf("missed %d: %s:\n%s", len(texts), which, texts[0])
	}
	if cut*100 < planted*98 {
		t.Error("that is less than 98 of 100")
	}
	if disturbed*100 > planted {
		t.Error("too many words beside secrets were lost")
	}
}
