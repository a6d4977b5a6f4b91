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
	"unicode"

	"github.com/kaptinlin/jsonrepair"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/internal/hostile"
)

// The bounds of repairs. The library's time grows with the square of the length and of the levels, and with the square
// of the number of quotes times the length: 64 KiB could take half a minute. With these bounds it is about a second.
const (
	maxMended = 32 << 10      // bytes
	maxEffort = 1_000_000_000 // bytes times quotes squared
	maxLevels = 64
)

// fields decodes the candidate with its fields by their proper names. Few readers distinguish a null field from an
// absent one: some providers make models name every field of a contract.
func (c candidate) fields() (map[string]any, error) { return c.decode(true) }

// decode decodes the candidate and cleans its strings; see the other decode.
func (c candidate) decode(spell bool) (map[string]any, error) {
	text := c.text
	if !c.valid {
		text = hostile.Clean(text)
		if c.valid = json.Valid([]byte(text)); !c.valid {
			text = plainSpaces(text)
			c.valid = json.Valid([]byte(text))
		}
	}
	if levels(text, c.valid) > maxLevels {
		return nil, badReply("Its JSON is nested more than %d levels deep.", maxLevels)
	}
	if !c.valid {
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
	if err != nil {
		return nil, err
	}
	return value.(map[string]any), nil
}

// plainSpaces replaces other white space between JSON tokens by plain spaces.
func plainSpaces(text string) string {
	quoted, escaped := false, false
	return strings.Map(func(r rune) rune {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case !quoted && unicode.IsSpace(r) && r > unicode.MaxASCII:
			return ' '
		}
		return r
	}, text)
}

// mend repairs small slips of syntax. The library turns prose into a JSON string, so only an object counts. A panic on
// hostile text is an error.
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
	var v any
	err := json.Unmarshal([]byte(text), &v)
	var broken *json.SyntaxError
	if errors.As(err, &broken) {
		return fmt.Sprintf("%v at byte %d", broken, broken.Offset)
	}
	return fmt.Sprint(err)
}

// levels returns how deeply text nests brackets. In text that is no valid JSON it is not known which of them stand in
// strings, so that all count.
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

// decode reads one value of valid JSON; a null is nil. A field that is given twice, and not the same, is refused: its
// meaning would depend on the reader. With spell, fields get their proper names, and {"value": …} is replaced by the
// value.
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

// clean makes a string of a reply fit for the record: nothing invisible in it, no blank lines around it, and empty
// when nothing is there to be read.
func clean(s string) string {
	s = strings.TrimRight(strings.TrimLeft(hostile.Clean(s), "\n"), " \t\n")
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// example matches a string that is nothing but a placeholder of our examples.
var example = expression(`^<[^<>\n]{1,80}>$`)

// placeholder returns the first string in value, by the order of the fields' names, that was copied from an example,
// or "".
func placeholder(value any) string {
	switch value := value.(type) {
	case string:
		if example().MatchString(value) {
			return value
		}
	case []any:
		for _, v := range value {
			if found := placeholder(v); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if found := placeholder(value[name]); found != "" {
				return found
			}
		}
	}
	return ""
}
