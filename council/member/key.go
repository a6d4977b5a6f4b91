package member

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/secrets"
)

// ErrNoKey: a credential that the charter names is not set or cannot be used. The message has the remedy.
var ErrNoKey = errors.New("no usable credential")

// MissingVariable returns the [ErrNoKey] of a missing environment variable; instead is an alternative to exporting it.
func MissingVariable(who, variable, instead string) error {
	return fmt.Errorf("%w: %s needs the environment variable %s, which is not set: export it, or %s", ErrNoKey, who,
		variable, instead)
}

var reference = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// Variables lists the environment variables that the value of a header names as ${NAME}.
func Variables(header string) []string {
	named := reference.FindAllString(header, -1)
	return council.Map(named, func(name string) string { return strings.Trim(name, "${}") })
}

// Headers returns a model's headers with each ${VAR} replaced, and the replacements, which are secrets. [ErrNoKey].
func Headers(m council.Model, getenv func(string) string) (headers map[string]string, secrets []string, err error) {
	headers = make(map[string]string, len(m.Headers))
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		var missing string
		headers[name] = reference.ReplaceAllStringFunc(m.Headers[name], func(named string) string {
			variable := strings.Trim(named, "${}")
			value := strings.TrimSpace(getenv(variable))
			if value == "" {
				missing = variable
			}
			secrets = append(secrets, value)
			return value
		})
		if missing != "" {
			return nil, nil, MissingVariable("the header "+name, missing, "remove the header")
		}
	}
	return headers, secrets, nil
}

// Loopback reports whether a base URL names this machine.
func Loopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback()
}

// ServerKind returns the kind of a model's server. The provider openai at another address may be any compatible
// server. Of an unknown server, prompt caching is assumed to be paid for, unless it is on this machine.
func ServerKind(m council.Model) council.MemberKind {
	if m.BaseURL != "" && m.Provider == "openai" {
		m.Provider = council.ProviderCompatible
	}
	k := m.Kind()
	if k.Provider == council.ProviderCompatible {
		k.SchemaIsPrompt = !Loopback(m.BaseURL)
	}
	return k
}

// redactReply cuts secrets out of a reply, and counts them and the hidden characters in it, which parsing removes.
func redactReply(c prompt.Completion, ask council.AskKind, further []*regexp.Regexp) prompt.Completion {
	text := c.Text
	if ask != council.AskDraft {
		text = unescapeJSON(text)
	}
	_, hidden := hostile.Expose(text)
	c.Hidden, c.Cut = council.CutsIn("", hidden), nil
	for _, said := range []*string{&c.Text, &c.RequestID, &c.Usage.Model} {
		var counts map[string]int
		*said, counts = secrets.Cut(*said, further...)
		c.Cut = council.AddCuts(c.Cut, council.CutsIn("", counts))
	}
	return c
}

// escapes match escape sequences of JSON, those of UTF-16 in a row as one.
var escapes = regexp.MustCompile(`(?s)(?:\\u[0-9A-Fa-f]{4})+|\\.`)

// unescapeJSON returns JSON with its escapes replaced by their characters, for searching. The result is not JSON.
func unescapeJSON(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(escape string) (means string) {
		if json.Unmarshal([]byte(`"`+escape+`"`), &means) != nil {
			return escape[1:]
		}
		return means
	})
}

const MaxFault = 500 // bounds the message of a fault, in characters
const cutMark = "[cut]"

// jsonStrings matches the strings of JSON, the last perhaps unfinished.
var jsonStrings = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*)(?:"|\\?$)`)

// privateKey matches a private key, complete or not: the one secret that contains spaces.
var privateKey = regexp.MustCompile(`(?s)-----BEGIN .*?(?:-----END [^-]*-----|$)`)

// Shown returns the end of the words on one line of at most n characters, without secrets; of JSON only whole phrases.
func (w Words) Shown(n int) string {
	text := w.Text
	if w.Ask.Kind != council.AskDraft {
		var said []string
		for _, s := range jsonStrings.FindAllStringSubmatch(text, -1) {
			if s := unescapeJSON(s[1]); strings.ContainsAny(s, " \n") {
				said = append(said, s)
			}
		}
		text = strings.Join(said, "\n")
		if strings.HasSuffix(w.Text, `"`) || strings.HasSuffix(w.Text, "}") {
			text += " "
		}
	}
	text = text[:strings.LastIndexAny(text, " \n")+1]
	text = privateKey.ReplaceAllString(text, cutMark)
	if w.Cut != nil {
		text = w.Cut(text)
	}
	if from := len(text) - 2*n; from > 0 { // the end of the rest, from a whole word on
		_, text, _ = strings.Cut(strings.ReplaceAll(text[from:], "\n", " "), " ")
	}
	text = strings.Join(strings.Fields(censor(text, nil)), " ")
	if more := utf8.RuneCountInString(text) - n; more > 0 {
		text = "…" + string([]rune(text)[more+1:])
	}
	return text
}

// partialSecrets match credentials that providers repeat in part or masked. The first group is kept.
var partialSecrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(authorization["']?\s*[:=]\s*["']?(?:\w+\s+)?)[^\s"',;&]+`),
	regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"',;]{6,}`),
	regexp.MustCompile(`(?i)\b((?:x-)?(?:goog-)?api[-_ ]?key["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(
		`(?i)\b((?:access[-_]token|refresh[-_]token|client[-_]secret|password)["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(`()\bsk-[A-Za-z0-9_*.\-]{6,}`),
}

// Redact prepares words of a provider for a record: one line of at most [MaxFault] characters without control
// characters, known secrets and anything that looks like a secret.
func Redact(s string, secrets ...string) string { return hostile.Shorten(censor(s, secrets), MaxFault) }

// RedactEnd is Redact for words whose end matters most: it keeps the last MaxFault/2 characters.
func RedactEnd(s string, secrets ...string) string {
	s = censor(s, secrets)
	if n := utf8.RuneCountInString(s); n > MaxFault/2 {
		s = "…" + string([]rune(s)[n-MaxFault/2+1:])
	}
	return s
}

func censor(s string, known []string) string {
	// Clean first: an invisible character inside a key must not hide it.
	s = hostile.Line(s)
	for _, secret := range known {
		// Shorter ones would cut ordinary words.
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, cutMark)
		}
	}
	for _, part := range partialSecrets {
		s = part.ReplaceAllString(s, "${1}"+cutMark)
	}
	s, _ = secrets.Cut(s)
	return s
}
