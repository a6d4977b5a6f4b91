package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// fence marks words of others as data. Its token is derived from the session and the recipient, so a peer that knows
// the token of its own prompts cannot close the fence in another's.
type fence struct {
	word  string // "peer" or "data"
	token string // lower-case hexadecimal
	match *regexp.Regexp
}

// tokenLength is the number of hexadecimal digits of a token: enough that nobody guesses it, few enough to repeat.
const tokenLength = 12

// peerFence marks the words of other members in what the recipient is sent.
func peerFence(session council.SessionID, recipient council.MemberID) fence {
	return newFence("peer", "council peer fence\x00"+string(session)+"\x00"+string(recipient))
}

// dataFence marks the context documents, which all members of a session are sent alike.
func dataFence(session council.SessionID) fence {
	return newFence("data", "council data fence\x00"+string(session))
}

func newFence(word, seed string) fence {
	sum := sha256.Sum256([]byte(seed))
	token := hex.EncodeToString(sum[:])[:tokenLength]
	return fence{word: word, token: token, match: regexp.MustCompile(`(?i)` + token)}
}

// wrap returns s between marks: on one line when s has only one.
func (f fence) wrap(s string) string {
	s = strings.Trim(f.neutral(s), "\n")
	between := " "
	if strings.Contains(s, "\n") {
		between = "\n"
	}
	return "<<" + f.word + " " + f.token + between + s + between + f.token + " " + f.word + ">>"
}

// neutral returns s without anything that could be taken for a mark.
func (f fence) neutral(s string) string {
	s = unmarked(hostile.Clean(s))
	// The expression is slow, and a token is hardly ever there.
	if strings.Contains(strings.ToLower(s), f.token) {
		s = f.match.ReplaceAllLiteralString(s, "[mark]")
	}
	return s
}

// file returns a file's name on one line: between marks where it could be read as anything but a name.
func (f fence) file(name string) string {
	name = hostile.Line(name)
	if utf8.RuneCountInString(name) <= longestPlain && plainFile.MatchString(name) &&
		!strings.Contains(strings.ToLower(name), f.token) {
		return name
	}
	return f.wrap(name)
}

// plainFile matches a name without spaces, brackets and quotes: no sentence, and no mark. Its length is held apart: to
// count repetitions of such a class the expression would take 10 MB.
var plainFile = regexp.MustCompile(`^[\p{L}\p{M}\p{N}._/\\@+~:=,#%^-]+$`)

// longestPlain is how many characters a name may have that is told as it is.
const longestPlain = 255

// title returns a name from the charter on one line, which no mark can begin or end in.
func title(name string) string { return unmarked(hostile.Line(name)) }

// unmarked returns s with what looks like a mark pulled apart.
func unmarked(s string) string {
	if strings.Contains(s, "<") {
		s = opening.ReplaceAllString(s, "< $1")
	}
	if strings.Contains(s, ">") {
		s = closing.ReplaceAllString(s, "$1 >")
	}
	return s
}

// opening and closing match what looks like a mark of either kind, however its brackets are spread.
var (
	opening = regexp.MustCompile(`(?i)<(?:\s*<)+\s*(peer|data)`)
	closing = regexp.MustCompile(`(?i)(peer|data)\s*>(?:\s*>)+`)
)
