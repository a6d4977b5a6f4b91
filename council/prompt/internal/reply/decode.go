package reply

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/kaptinlin/jsonrepair"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// The bounds of repairs. The library's time grows with the square of the length and of the levels, and with the square
// of the number of quotes times the length: 64 KiB could take half a minute. With these bounds it is about a second.
const (
	maxMended = 32 << 10      // bytes
	maxEffort = 1_000_000_000 // bytes times quotes squared
	maxLevels = 64
)

// decodeObject decodes an object, mends slips in it, and cleans its strings; see decode. Few readers distinguish a null
// field from an absent one: some providers make models name every field of a contract.
func decodeObject(text string, spell bool) (map[string]any, error) {
	valid := json.Valid([]byte(text))
	for _, clean := range []func(string) string{hostile.Clean, plainSpaces} {
		if !valid {
			text = clean(text)
			valid = json.Valid([]byte(text))
		}
	}
	if levels(text, valid) > maxLevels {
		return nil, badReply("Its JSON is nested more than %d levels deep.", maxLevels)
	}
	if !valid {
		mended, err := mend(text)
		if err != nil {
			return nil, badReply("Its JSON is malformed: %s.", fault(text))
		}
		text = mended
	}
	doc := gjson.Parse(text)
	if !doc.IsObject() {
		return nil, badReply("It must be a JSON object.")
	}
	value, err := decode(doc, spell)
	fields, _ := value.(map[string]any)
	return fields, err
}

// stringOrSpace matches a string, perhaps an unfinished one, an escape, and white space.
var stringOrSpace = expression(`(?s)"(?:[^"\\]|\\.)*"?|\\.|[\x{85}\p{Z}]`)

// plainSpaces replaces other white space between JSON tokens by plain spaces.
func plainSpaces(text string) string {
	return stringOrSpace().ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '"' || found[0] == '\\' {
			return found
		}
		return " "
	})
}

// mend repairs slips of syntax in an object; prose would become a JSON string. A panic on hostile text is an error.
func mend(text string) (mended string, err error) {
	quotes := 0 // that the library may take for the beginning or end of a string
	for _, r := range text {
		if strings.ContainsRune("\"'`´“”‘’", r) {
			quotes++
		}
	}
	if len(text) > maxMended || quotes*quotes*len(text) > maxEffort {
		return "", errors.New("too much to mend")
	}
	defer func() {
		if r := recover(); r != nil {
			mended, err = "", fmt.Errorf("cannot be mended: %v", r)
		}
	}()
	// The library takes the e of an event for part of a number.
	quoted := stringOrEvent().ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == 'e' {
			return `"` + found + `"`
		}
		return found
	})
	mended, err = jsonrepair.Repair(quoted)
	if err == nil && (!json.Valid([]byte(mended)) || !strings.HasPrefix(strings.TrimSpace(mended), "{")) {
		return "", errors.New("mended to no object")
	}
	return mended, err
}

var stringOrEvent = expression(`"(?:[^"\\]|\\.)*"|\be[1-9][0-9]{0,8}\b`)

// fault returns the place where the syntax of text breaks.
func fault(text string) string {
	err := json.Unmarshal([]byte(text), new(any))
	if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%v at byte %d", broken, broken.Offset)
	}
	return fmt.Sprint(err)
}

// levels returns how deeply text nests brackets, in invalid JSON also those in strings.
func levels(text string, valid bool) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && valid:
			i++
		case c == '"' && valid:
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// decode reads one value of valid JSON; a null is nil. A field that is given twice, and not the same, is refused. With
// spell, fields get their proper names, and {"value": …} is replaced by the value.
func decode(doc gjson.Result, spell bool) (value any, err error) {
	switch {
	case doc.IsArray():
		array := []any{}
		doc.ForEach(func(_, entry gjson.Result) bool {
			value, err = decode(entry, spell)
			array = append(array, value)
			return err == nil
		})
		return array, err
	case doc.IsObject():
		object := map[string]any{}
		doc.ForEach(func(name, entry gjson.Result) bool {
			field := name.String()
			value, err = decode(entry, spell)
			if spell {
				field = cmp.Or(spellings()[fieldName(field)], field)
				if inner, ok := value.(map[string]any); ok && len(inner) == 1 && inner["value"] != nil {
					value = inner["value"]
				}
			}
			before, twice := object[field]
			if before != nil && value != nil && err == nil && !reflect.DeepEqual(before, value) {
				err = givenTwice(field)
			}
			if value != nil || !twice {
				object[field] = value
			}
			return err == nil
		})
		return object, err
	case doc.Type == gjson.String:
		return clean(doc.String()), nil
	case doc.Type == gjson.Number:
		return json.Number(doc.Raw), nil
	}
	return doc.Value(), nil
}

// clean makes a string fit for the record: nothing invisible in it, no blank lines around it, or empty.
func clean(s string) string {
	s = strings.TrimRight(strings.TrimLeft(hostile.Clean(s), "\n"), " \t\n")
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

var example = expression(`^<[^<>\n]{1,80}>$`) // matches a string that is nothing but a placeholder of our examples

// placeholder returns the first string in value that was copied from an example, by the order of the names, or "".
func placeholder(value any) (copied string) {
	anyValue("", value, func(_ string, v any) bool {
		if text, _ := v.(string); example().MatchString(text) {
			copied = text
		}
		return copied != ""
	})
	return copied
}

// anyValue reports whether holds is true for the value of a field, or for one within it, by the order of the names.
func anyValue(field string, value any, holds func(field string, value any) bool) bool {
	if holds(field, value) {
		return true
	}
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return anyValue("", v, holds) })
	case map[string]any:
		return slices.ContainsFunc(slices.Sorted(maps.Keys(value)), func(name string) bool {
			return anyValue(name, value[name], holds)
		})
	}
	return false
}

var forReasons = map[string]string{"reason": "rationale", "reasons": "rationale", "reasoning": "rationale"}

// answerForms has the answer to each kind of question: the field that a text alone may be, its other names, other
// fields, and their other names.
var answerForms = map[council.AskKind]struct {
	main   string
	alike  []string
	others []string
	names  map[string]string
}{
	council.AskPosition: {others: []string{"position", "confidence"}},
	council.AskNominate: {main: "candidateId", alike: []string{"candidate", "vote"}, names: forReasons},
	council.AskPropose:  {others: []string{"answers", "text", "summaryMarkdown"}},
	council.AskTurn:     {main: "action"},
	council.AskReply:    {main: "answer"},
	council.AskSecond:   {main: "second", others: []string{"stand"}, names: forReasons},
	council.AskAmend:    {others: []string{"amendments", "withdraw"}},
	council.AskBallot:   {main: "ballot", alike: []string{"vote", "verdict"}, names: forReasons},
	council.AskRank:     {main: "ranking", alike: []string{"ballot", "vote"}, names: forReasons},
	council.AskAssess: {others: []string{"deliverables", "qualityGates", "assumptions", "risks", "constraints",
		"citations"}},
	council.AskSummary: {others: []string{"summaryMarkdown"}},
	council.AskReview: {others: []string{"criticalBlockers", "suggestedChanges", "blockers", "suggestions"},
		names: map[string]string{"blockers": "criticalBlockers", "suggestions": "suggestedChanges"}},
	council.AskDissent: {main: "dissent", others: []string{"criticalBlockers"},
		names: map[string]string{"blockers": "criticalBlockers"}},
}

// wrappers are fields that may contain the whole answer; the arguments of a call are within a function, too.
var wrappers = []string{"function", "response", "answer", "result", "output", "data", "arguments", "parsed",
	"properties", "parameters", "input", "reply", "value"}

// spellings maps the fields of all answers, in lower case without marks, to their names.
var spellings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, name := range strings.Fields(`position counter changeMind missing crux answers answerOf text confidence
		overlooked stance ranking candidateId rationale action
		message reason note motionTitle motionText decisionIfPass options option supersedes to question answer stand second
		amendment strike insert substitute amendments withdraw ballot deliverables qualityGates assumptions risks
		constraints citations id claim met risk mitigation summaryMarkdown requiresExecution executionBrief
		undecided settles record how because alternatives heldBy rightIf investigation measure by means objective
		recommendedExecutorProfile motions steps step acceptanceCriteria askedIn criticalBlockers
		suggestedChanges section problem impact requiredChange severity dissent
		candidate vote verdict reasons reasoning blockers suggestions`) {
		all[strings.ToLower(name)] = name
	}
	for _, name := range wrappers {
		all[name] = name
	}
	return all
})

func fieldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

func givenTwice(field string) error {
	return badReply("The field %q is given twice, and not the same.", Shorten(field, 60))
}

// unwrapAnswer returns the fields of the answer in an object, unwrapped and with their proper names.
func unwrapAnswer(kind council.AskKind, in map[string]any) (map[string]any, error) {
	form := answerForms[kind]
	for range 2 { // of a call, its function and the arguments
		name, inner := findWrapped(in, form.main)
		if inner == nil || isAnswer(kind, in) {
			break
		}
		delete(in, name)
		for name, outer := range in { // such as reasons outside of the wrapper
			inner[name] = cmp.Or(inner[name], outer)
		}
		in = inner
	}
	for _, name := range form.alike {
		if in[name] != nil && in[form.main] != nil && !reflect.DeepEqual(in[form.main], in[name]) {
			return nil, givenTwice(form.main)
		}
		in[form.main] = cmp.Or(in[form.main], in[name])
	}
	for _, name := range slices.Sorted(maps.Keys(form.names)) {
		in[form.names[name]] = cmp.Or(in[form.names[name]], in[name])
	}
	return in, nil
}

// isAnswer reports whether an object has a field of the answer to a question.
func isAnswer(kind council.AskKind, in map[string]any) bool {
	form := answerForms[kind]
	for name, value := range in {
		_, object := value.(map[string]any)
		if value != nil && (name == form.main && !(object && slices.Contains(wrappers, name)) ||
			slices.Contains(form.alike, name) || slices.Contains(form.others, name)) {
			return true
		}
	}
	return false
}

// findWrapped returns the first wrapper and the object in it, perhaps JSON in a text, or a value of the main field.
func findWrapped(in map[string]any, main string) (name string, inner map[string]any) {
	for _, name := range wrappers {
		value := in[name]
		if fields, is := value.(map[string]any); is {
			return name, fields
		}
		if text, _ := value.(string); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			if fields, err := decodeObject(text, true); err == nil {
				return name, fields
			}
		} else if main != "" && name != main && value != nil && value != "" {
			return name, map[string]any{main: value}
		}
	}
	return "", nil
}
