package reply

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// object parses the fields of a JSON object. The first problem of a field is that of the whole reply.
type object struct {
	at      string // JSON pointer; empty for the whole reply
	in      map[string]any
	problem *error
}

// fail keeps a problem of the field, unless there is one already.
func (o object) fail(field, format string, args ...any) {
	if *o.problem == nil {
		*o.problem = badReply("At "+o.at+"/"+field+": "+format, args...)
	}
}

func (o object) missing(field string) {
	if *o.problem == nil {
		where := ""
		if o.at != "" {
			where = "At " + o.at + ": "
		}
		*o.problem = badReply("%sThe field %q is missing; %s.", where, field, o.otherFields(field))
	}
}

func (o object) otherFields(missing string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(o.in)) {
		if o.in[name] != nil && name != missing && len(names) < maxNamed {
			names = append(names, strconv.Quote(Shorten(name, 40)))
		}
	}
	if names == nil {
		return "no other is given"
	}
	return "the fields given are " + strings.Join(names, ", ")
}

const maxNamed = 8 // bounds the fields that are listed

// text returns an optional text. A number is kept as written, a list becomes lines.
func (o object) text(field string) string { return strings.Join(o.lines(field), "\n") }

// needed returns a text that must not be empty.
func (o object) needed(field string) string {
	s := o.text(field)
	if o.in[field] == nil {
		o.missing(field)
	} else if s == "" {
		o.fail(field, "It must not be empty.")
	}
	return s
}

// bounded returns a needed text that must not be cut, because it is decided or carried out.
func (o object) bounded(field string, most int) string {
	s := o.needed(field)
	if n := len([]rune(s)); n > most {
		o.fail(field, "It must have at most %d characters; it has %d.", most, n)
	}
	return s
}

// list returns an optional list. A single value is a list of one, and not listed.
func (o object) list(field string) (values []any, listed bool) {
	switch value := o.in[field].(type) {
	case nil:
		return nil, false
	case []any:
		return value, true
	default:
		return []any{value}, false
	}
}

// lines returns an optional list of texts, without empty ones.
func (o object) lines(field string) []string {
	var out []string
	values, _ := o.list(field)
	for _, value := range values {
		var s string
		switch value := value.(type) {
		case string:
			s = value
		case json.Number:
			s = value.String()
		case nil:
		default:
			o.fail(field, "It must be text, not %s.", kindOf(value))
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// objects returns an optional list of objects. A text is an object with the single field.
func (o object) objects(field, single string) []object {
	var out []object
	values, listed := o.list(field)
	for i, value := range values {
		at := object{o.at + "/" + field, nil, o.problem}
		if listed {
			at.at += "/" + strconv.Itoa(i)
		}
		switch value := value.(type) {
		case map[string]any:
			at.in = value
		case string:
			at.in = map[string]any{single: value}
		case nil:
			continue
		default:
			o.fail(field, "It must be a list of objects; one is %s.", kindOf(value))
			continue
		}
		out = append(out, at)
	}
	return out
}

// objectsWithWords returns the objects with words in their first field, which may be given as a text alone.
func (o object) objectsWithWords(field, first string) []object {
	return slices.DeleteFunc(o.objects(field, first), func(in object) bool { return in.text(first) == "" })
}

// synonyms map lower-case words to the verdicts that they mean.
var synonyms = map[string]string{
	"true": "YES", "approve": "YES", "approved": "YES", "i approve": "YES", "aye": "YES", "yea": "YES", "in favor": "YES",
	"in favour": "YES", "for": "YES", "accept": "YES", "accepted": "YES", "agree": "YES", "i vote yes": "YES",
	"oui": "YES", "ja": "YES", "sí": "YES", "si": "YES", "sì": "YES", "sim": "YES", "да": "YES", "是": "YES",
	"赞成": "YES", "はい": "YES", "賛成": "YES", "예": "YES", "✅": "YES",
	"false": "NO", "reject": "NO", "rejected": "NO", "i reject": "NO", "nay": "NO", "against": "NO", "oppose": "NO",
	"disagree": "NO", "i vote no": "NO", "non": "NO", "nein": "NO", "não": "NO", "нет": "NO", "否": "NO",
	"反对": "NO", "いいえ": "NO", "反対": "NO", "아니요": "NO", "❌": "NO",
	"abstained": "ABSTAIN", "abstention": "ABSTAIN", "i abstain": "ABSTAIN", "enthaltung": "ABSTAIN",
	"abstención": "ABSTAIN", "弃权": "ABSTAIN", "棄権": "ABSTAIN",
}

var (
	// remarkAfter matches a word or two, a mark, and a remark.
	remarkAfter = expression(`(?s)^\s*(.{1,40}?)\s*(?:[(\[:,;.!\n]|\s[-–—]|[-–—]\s)(.*)$`)
	// conditionWords matches words that may make a verdict conditional, and thus void.
	conditionWords = expression(
		`(?i)\b(?:if|unless|provid(?:ed|ing)|condition\w*|only|long as|subject to|assuming|when|once|` +
			`until|but|except|however|though|although|after|pending|with|amend\w*|wenn|falls|sofern|vorausgesetzt|nur|aber|` +
			`unter|erst|si|sous|réserve|condition|mais|siempre|solo|con|se|desde|mits|maar|als|pero|sauf|salvo)\b`)
)

// choice returns the one of the words that the field has, ignoring case, or "". The word may be the only entry of a
// list, be a synonym, and have a remark that neither sets a condition nor has another of the words.
func (o object) choice(field string, words ...string) string {
	value := o.in[field]
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = list[0]
	}
	if flag, ok := value.(bool); ok {
		value = strconv.FormatBool(flag)
	}
	said, _ := value.(string)
	if word := oneOf(said, words); word != "" {
		return word
	}
	m := remarkAfter().FindStringSubmatch(said)
	if m == nil || conditionWords().MatchString(m[2]) || strings.ContainsFunc(m[2], foreign) {
		return ""
	}
	word := oneOf(m[1], words)
	for _, other := range strings.FieldsFunc(m[2], func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) {
		if also := oneOf(other, words); also != "" && also != word && strings.EqualFold(also, other) {
			return ""
		}
	}
	return word
}

// foreign reports whether r is a letter of another script than Latin: a text with one may set a condition.
func foreign(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }

// oneOf returns the one of the words that a text means, or "".
func oneOf(said string, words []string) string {
	said = strings.Trim(said, " \t\n.!*_`'\"“”")
	if word := synonyms[strings.ToLower(said)]; slices.Contains(words, word) {
		return word
	}
	// Letters outside of ASCII are not brought to a case: the long s and the Kelvin sign would become other letters.
	if strings.ContainsFunc(said, func(r rune) bool { return r > unicode.MaxASCII }) {
		return ""
	}
	said = strings.NewReplacer(" ", "_", "-", "_").Replace(said)
	for _, word := range words {
		if strings.EqualFold(said, word) {
			return word
		}
	}
	return ""
}

// verdict returns a choice that must be made.
func (o object) verdict(field string, words ...string) string {
	word := o.choice(field, words...)
	switch value := o.in[field]; {
	case value == nil:
		o.missing(field)
	case word == "":
		o.fail(field, "It must be one of %s, not %s.", strings.Join(words, ", "), quoted(value))
	}
	return word
}

// yes returns a field that is true or false, and false where it is missing.
func (o object) yes(field string) bool {
	said := o.choice(field, "YES", "NO")
	if value := o.in[field]; value != nil && said == "" {
		o.fail(field, "It must be true or false, not %s.", quoted(value))
	}
	return said == "YES"
}

// share returns a needed number from 0 to 1, which may be written as a text or in per cent.
func (o object) share(field string) float64 {
	var said string
	switch value := o.in[field].(type) {
	case nil:
		o.missing(field)
		return 0
	case json.Number:
		said = value.String()
	case string:
		said = value
	}
	said, hundredths := strings.CutSuffix(strings.TrimSpace(said), "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(said), 64)
	if hundredths {
		n /= 100
	}
	if err != nil || strings.ContainsAny(said, "xX_") || !(n >= 0 && n <= 1) {
		o.fail(field, "It must be a number from 0 to 1, not %s.", quoted(o.in[field]))
		return 0
	}
	return n
}

func (o object) none(fields ...string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return o.in[f] != nil })
}

func quoted(value any) string {
	switch value := value.(type) {
	case string:
		return strconv.Quote(Shorten(value, 60))
	case json.Number, bool:
		return Shorten(fmt.Sprint(value), 60)
	}
	return kindOf(value)
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "an array"
	}
	return "an object"
}
