package recorder

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/council-engine/council/council"
)

const (
	maxSlug = 40 // characters of the topic in a session's id
	maxID   = 96 // characters of any session's id

	idLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"
)

// NewSessionID returns an id that sorts by time and can be read and typed: the second in UTC, the topic's first words
// and six random characters, such as 20261121-081500-shall-we-adopt-nats-7f3k2a. The error is that of random.
func NewSessionID(now time.Time, topic string, random io.Reader) (council.SessionID, error) {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz" // base 32 without letters that look alike
	suffix := make([]byte, 6)
	if _, err := io.ReadFull(random, suffix); err != nil {
		return "", fmt.Errorf("cannot draw a session id: %w", err)
	}
	for i, b := range suffix {
		suffix[i] = alphabet[b%32]
	}
	if strings.Trim(string(suffix), "0123456789") == "" { // like the beginning of an id, and so no short name
		suffix[0] = alphabet[10+suffix[0]%22]
	}
	return NamedSessionID(now, topic, string(suffix)), nil
}

// NamedSessionID is [NewSessionID] with a given last word, of small letters and digits, by which [Root.Find] finds the
// session.
func NamedSessionID(now time.Time, topic, word string) council.SessionID {
	return council.SessionID(now.UTC().Format("20060102-150405") + "-" + cmp.Or(Slug(topic), "session") + "-" + word)
}

// foreignLetters are Latin letters that do not come apart into a plain one and a mark.
var foreignLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th",
	"ł", "l", "ı", "i", "ŋ", "n")

// Slug returns the beginning of a text in lower-case ASCII, cut between words, with hyphens between them. Letters
// without a plain form are left out; the result may be "".
func Slug(topic string) string {
	if len(topic) > 2048 { // far more than can be used, and a bound for a topic of megabytes
		topic = topic[:2048]
	}
	var words []string
	length := 0
	for word := range strings.FieldsFuncSeq(ascii(topic), func(r rune) bool { return r == ' ' }) {
		if length += len(word) + 1; length-1 > maxSlug {
			if len(words) == 0 {
				words = append(words, word[:maxSlug])
			}
			break
		}
		words = append(words, word)
	}
	return strings.Join(words, "-")
}

// NameContains reports whether the name of a session has the words of one of the texts, as far as the name reaches: it
// is made of the topic and stays when words are forgotten.
func NameContains(id council.SessionID, texts ...string) bool {
	named := strings.Split(string(id), "-")
	if len(named) < 4 {
		return false
	}
	named = named[2 : len(named)-1] // without the time and the random word
	return slices.ContainsFunc(texts, func(text string) bool {
		sought := strings.Fields(ascii(text))
		for i := range named {
			n := 0
			for n < min(len(sought), len(named)-i) && named[i+n] == sought[n] {
				n++
			}
			if n == len(sought) || n > 1 && i+n == len(named) {
				return len(strings.Join(sought, "")) >= 4
			}
		}
		return false
	})
}

func ascii(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(foreignLetters.Replace(strings.ToLower(text))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’': // a mark belongs to the letter before it
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// checkID returns an [ErrUnknownSession] for a name that no session can have: small letters, digits, and hyphens after
// the first. Such a name cannot lead out of a folder or be a pattern.
func checkID(id council.SessionID) error {
	if id == "" || id[0] == '-' || len(id) > maxID || strings.Trim(string(id), idLetters) != "" {
		return fmt.Errorf("%w: %s is not the name of a session", ErrUnknownSession, quoted(string(id)))
	}
	return nil
}

func quoted(name string) string { return fmt.Sprintf("%.60q", name) }
