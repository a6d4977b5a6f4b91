package secrets_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/secrets"
)

func drawLots(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2026)) }

// BenchmarkFind measures 500 kB, as large as a document may be, of usual text and of the worst.
func BenchmarkFind(b *testing.B) {
	const size = 500 << 10
	code := ""
	for _, text := range ours(b) {
		if code += text; len(code) > size {
			break
		}
	}
	for name, text := range map[string]string{
		"our own text":    code,
		"drawn":           drawnText(drawLots(1), 4000),
		"names":           strings.Repeat("password=", size),
		"keys":            strings.Repeat("-----BEGIN PRIVATE KEY-----\n", size),
		"web tokens":      strings.Repeat("eyJhbGciOiJub25lIn0 ", size),
		"addresses":       strings.Repeat("postgres://a:", size),
		"escapes":         strings.Repeat(`%41\u0042\n`, size),
		"base64":          strings.Repeat("cGFzc3dvcmQ9", size),
		"one long number": strings.Repeat("1", size),
		"broken lines":    strings.Repeat("password=a\nb", size),
		"columns":         strings.Repeat("a,password\n", size),
		"inserts":         strings.Repeat("insert into t (password) values ('a'), ", size),
		"names apart":     strings.Repeat("name: password ", size),
		"commands":        strings.Repeat("mysql ", size),
		"calls":           strings.Repeat("auth=('a',", size),
		"cookies":         strings.Repeat("cookie: a=", size),
		"entities":        strings.Repeat("&#61;&quot;", size),
		"at signs":        strings.Repeat("a:b@", size),
		"prose":           strings.Repeat("the password of it is ", size),
		"one long word":   strings.Repeat("ab-", size),
		"other scripts":   strings.Repeat("密码：应当定期更换，пароль: обязателен. ", size),
	} {
		text := text[:min(len(text), size)]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secrets.Find(text)
			}
		})
	}
}
