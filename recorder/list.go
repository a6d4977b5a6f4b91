package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// Summary is a session in a list. Of one that cannot be read it covers the events before the damage.
type Summary struct {
	minutes.Gist
	ID        council.SessionID
	Started   time.Time        // UTC; zero when nothing is recorded
	Topic     string           // as it was given; empty when nothing is recorded
	Council   string           // the council's name
	Suspended *council.Fault   // why, with StateSuspended
	Outcome   *council.Outcome // of a session that is closed
	Holder    Holder           // with StateRunning
	Events    int
	Torn      bool  // the last append was interrupted; resuming repairs it
	Err       error // why it cannot be read, with StateUnreadable: [ErrDamaged], [ErrNewer] or an error of the disk

	// Of a closed session the [Root.Stamp] of the log when it was read, unless the log was about to change.
	Stamp string `json:"-"`
}

// List returns the sessions of the workspace, newest first. The Err of one says why it cannot be read.
func (r *Root) List() ([]Summary, error) {
	list, _, err := r.Newest(0, nil)
	return list, err
}

// Newest is List for at most limit sessions, or for all where the limit is 0. It returns how many there are in all. It
// uses the summaries that known returns, which may be nil, while their logs are unchanged, and does not read those.
func (r *Root) Newest(limit int, known func([]council.SessionID) map[council.SessionID]Summary) (
	list []Summary, all int, err error,
) {
	ids, err := r.IDs()
	if err != nil {
		return nil, 0, err
	}
	all = len(ids)
	if limit > 0 && limit < all {
		end := limit
		for end < all && idSecond(ids[end]) == idSecond(ids[limit-1]) { // only their logs show which came first
			end++
		}
		ids = ids[:end]
	} else {
		limit = all
	}
	var before map[council.SessionID]Summary
	if known != nil {
		before = known(ids)
	}
	list = make([]Summary, 0, len(ids))
	for _, s := range prefetch.Each(ids, func(id council.SessionID) Summary {
		if s, ok := before[id]; ok && s.Stamp != "" && s.Stamp == r.Stamp(id) {
			return s
		}
		return r.Summary(id)
	}) {
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Summary) int { // by their ids; those of one second by their first events
		if idSecond(a.ID) == idSecond(b.ID) && !a.Started.Equal(b.Started) {
			return b.Started.Compare(a.Started)
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return list[:limit], all, nil
}

// Summary reads one session as [Root.List] does.
func (r *Root) Summary(id council.SessionID) Summary {
	s, _ := r.Survey(id)
	return s
}

// Survey returns the summary of a session and the events that could be read.
func (r *Root) Survey(id council.SessionID) (Summary, []wire.Entry) {
	s := Summary{ID: id, Gist: minutes.Gist{State: minutes.StateUnreadable}}
	stamp := r.Stamp(id) // before the log is read, so that a later append changes it
	log, err := r.scanUnlocked(id)
	if errors.Is(err, ErrNotBegun) {
		err = nil
	}
	if s.Err = err; log == nil {
		return s, nil
	}
	s.Events, s.Torn = len(log.Entries), log.Torn
	if len(log.Entries) > 0 {
		s.Started = log.Entries[0].Time
		started, _ := wire.Started(log.Entries)
		s.Topic, s.Council = started.Topic.Text, started.Charter.CouncilName
	}
	h, held := r.Holder(id)
	if err == nil {
		m := render.MinutesOf(log.Entries)
		s.Gist, s.Suspended, s.Outcome = m.Gist(), m.Suspended, m.Outcome
		if s.State = m.Standing(held); s.State == minutes.StateRunning {
			s.Holder, s.Suspended = h, nil
		}
	}
	if s.Outcome != nil && !s.Torn && !held { // else answers may still be recorded
		s.Stamp = stamp
	}
	return s, log.Entries
}

// idSecond returns the time in an id, to the second. The order of sessions that began in one second is in their logs:
// the rest of an id is the topic and chance.
func idSecond(id council.SessionID) string { return string(id)[:min(len(id), len("20060102-150405"))] }

// latest returns the session that began last. Sessions without an event are passed over. [ErrUnknownSession].
func (r *Root) latest() (council.SessionID, error) {
	for limit := 1; ; limit *= 4 {
		list, all, err := r.Newest(limit, nil)
		for _, s := range list {
			if s.Events > 0 || s.Err != nil { // a damaged one has begun
				return s.ID, nil
			}
		}
		if err == nil && limit >= all {
			err = fmt.Errorf("%w: no council has met in %s yet", ErrUnknownSession, r.path)
		}
		if err != nil {
			return "", err
		}
	}
}

// Latest is the name of the session that began last.
const Latest = "latest"

// Find returns the session with that id, with an id that begins or ends with the name and no other does (see [Short]),
// or the [Latest] one. [ErrUnknownSession]: there is none. [ErrAmbiguous]: there are several.
func (r *Root) Find(name string) (council.SessionID, error) {
	id := council.SessionID(name)
	if err := checkID(id); err != nil {
		return "", err
	}
	if name == Latest {
		return r.latest()
	}
	if r.Archive.Holds(id) || r.hasFolder(id) {
		return id, nil // without a list of all
	}
	ids, err := r.IDs()
	if err != nil {
		return "", err
	}
	var candidates []string
	for _, id := range ids {
		if strings.HasPrefix(string(id), name) || strings.HasSuffix(string(id), "-"+name) {
			candidates = append(candidates, string(id))
		}
	}
	switch len(candidates) {
	case 0:
		return "", fmt.Errorf("%w: none in %s has a name that begins with %s, or has it as its last word",
			ErrUnknownSession, r.path, quoted(name))
	case 1:
		return council.SessionID(candidates[0]), nil
	}
	return "", fmt.Errorf("%q %w: %s", name, ErrAmbiguous, plural.List(candidates, 5))
}

// Short returns the short name of a session: see the function [Short].
func (r *Root) Short(id council.SessionID) string {
	ids, err := r.IDs()
	if err != nil {
		return string(id)
	}
	return Short(ids)(id)
}

// Short returns a function that returns the names of sessions as people type them: the last word of an id, which is
// random, or the whole id where several of the ids have that word, or it looks like the beginning of one.
func Short(ids []council.SessionID) func(council.SessionID) string {
	have := map[string]int{}
	for _, id := range ids {
		have[id.Word()]++
	}
	return func(id council.SessionID) string {
		if word := id.Word(); have[word] < 2 && strings.Trim(word, "0123456789") != "" {
			return word
		}
		return string(id)
	}
}

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
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
			return -1 // a mark belongs to the letter before it
		}
		return ' '
	}, norm.NFKD.String(foreignLetters.Replace(strings.ToLower(text))))
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
