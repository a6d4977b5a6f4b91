// Package form describes the JSON objects that answer questions, so that the words of a question and the schema that
// is sent with it cannot differ.
package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Form describes a JSON object that answers a question: its fields in order, reasons before verdicts.
type Form []Field

// Field is one field of a [Form].
type Field struct {
	Name     string
	Says     string // its meaning, as the question gives it
	Type     FieldType
	Optional bool
	Empty    bool     // a text that may be empty
	Words    int      // that a text, or each entry of a list, may have; 0: any number
	Entries  int      // that a list may have; 0: any number
	AtLeast  int      // entries that a list must have
	May      []string // the values that it, or each entry, may have; nil: any
	Grammar  []string // the values that a grammar offers, where a question does not list them
	Of       []Form   // an object, or each of a list, is in one of these
}

// FieldType is the type of a field's value.
type FieldType string

// The types of fields. A number is one from 0 to 1 unless its field lists others.
const (
	Text    FieldType = "string"
	Texts   FieldType = "texts"
	Number  FieldType = "number"
	Flag    FieldType = "boolean"
	Object  FieldType = "object"
	Objects FieldType = "objects"
)

// Show writes forms for a question: as JSON with a description in place of each value.
func Show(forms []Form) string {
	return join(forms, "\nor ", func(form Form) string { return form.show("") })
}

func join[T any](all []T, between string, f func(T) string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = f(one)
	}
	return strings.Join(texts, between)
}

const longText = 60 // the length in words from which a question names the length of a text
const inline = 4    // the most fields of an object on one line

func (form Form) show(indent string) string {
	before, between, after := "", ", ", ""
	if len(form) > inline {
		before = "\n" + indent + "  "
		between, after = ","+before, "\n"+indent
	}
	fields := join(form, between, func(f Field) string { return quote(f.Name) + ": " + f.show(indent+"  ") })
	return "{" + before + fields + after + "}"
}

func (f Field) show(indent string) string {
	switch {
	case len(f.May) == 1 && f.Type == Flag:
		return f.May[0]
	case len(f.May) == 1 && f.Type == Text:
		return quote(f.May[0])
	case f.Type == Texts:
		return "[<" + f.describe() + ">]"
	case len(f.Of) == 0:
		return "<" + f.describe() + ">"
	}
	forms := join(f.Of, " or ", func(form Form) string { return form.show(indent) })
	if f.Type == Objects {
		return "[" + forms + "]"
	}
	return forms
}

// describe returns the meaning of a value, its length, and whether it may be empty.
func (f Field) describe() string {
	says := f.Says
	if f.Words >= longText {
		says += ", at most " + strconv.Itoa(f.Words) + " words"
	}
	if f.Empty {
		says += ", or nothing"
	}
	return says
}

const leastCopied = 12 // bytes of a description that counts as copied: a shorter one may be an answer

// CopiedDescription returns the first description in the forms that an answer in JSON repeats as a value, ignoring
// case, or "": a whole one, or at least four words in a row of it and nothing else. A value that begins with "<"
// repeats one if three of its words in a row are among its first six, and one that has "at most 60 words>" repeats the
// description that ends so.
func CopiedDescription(forms []Form, answer string) string {
	answer = strings.ToLower(answer)
	values := strings.Split(answer, `"`)
	for _, f := range merge(forms) {
		if found := CopiedDescription(f.Of, answer); found != "" {
			return found
		}
		says, whole := strings.ToLower(f.Says), strings.ToLower(f.describe())
		for _, value := range values {
			value = strings.Trim(value, `<>.,;\ `)
			part := len(strings.Fields(value)) >= 4 && strings.Contains(whole, value)
			if len(value) >= leastCopied && (part || value == says || value == whole) {
				return f.describe()
			}
		}
		if len(f.Says) >= leastCopied && beginsWith(answer, f.Says) {
			return f.Says
		}
		if f.Words >= longText && strings.Contains(answer, whole[strings.LastIndex(whole, "at most"):]+">") {
			return f.describe()
		}
	}
	return ""
}

// beginsWith reports whether a value after "<" has three words of a description in a row among its first six.
func beginsWith(answer, says string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) })
	}
	said := " " + strings.Join(words(says), " ") + " "
	for _, value := range strings.Split(answer, `"<`)[1:] {
		first := words(value[:min(len(value), 80)])
		for i := 0; i+3 <= min(len(first), 6); i++ {
			if strings.Contains(said, " "+strings.Join(first[i:i+3], " ")+" ") {
				return true
			}
		}
	}
	return false
}

// Dialect is the part of JSON Schema that a server takes.
type Dialect int

// The dialects. A strict schema requires each property, and makes an optional one nullable. A grammar, which a server
// follows while it writes, also bounds lengths and counts, and distinguishes forms.
const (
	Plain Dialect = iota
	Strict
	Grammar
)

// The bounds of a grammar: characters of a word in any language, and of a line, of which a council takes half and cuts
// it after a word, while a grammar makes a model end in any word that fits; and the most repetitions of llama.cpp.
const wordLength, line, mostRepetitions = 10, 400, 1_900

// Schema returns the JSON Schema of an object in one of several forms. With orCall, the fields of an answer and of a
// tool call are optional in one object.
func Schema(forms []Form, orCall bool, d Dialect) json.RawMessage {
	if !orCall {
		return json.RawMessage(d.oneOf(forms, false))
	}
	form := append(merge(forms), Field{Name: "tool", Type: Text, Says: "instead of an answer: the tool to call"},
		Field{Name: "arguments", Type: Text, Says: "the arguments of the call, as a JSON object in a text"})
	for i := range form {
		form[i].Optional = true
	}
	return json.RawMessage(d.oneOf([]Form{form}, false))
}

// merge returns one form with the fields and values of all. A field that some form lacks is optional.
func merge(forms []Form) (merged Form) {
	count := map[string]int{}
	for _, form := range forms {
		for _, f := range form {
			i := slices.IndexFunc(merged, func(m Field) bool { return m.Name == f.Name })
			if i < 0 {
				merged = append(merged, f)
			} else if merged[i].May != nil {
				merged[i].May = slices.Concat(merged[i].May, f.May)
			}
			count[f.Name]++
		}
	}
	for i, f := range merged {
		merged[i].Optional = f.Optional || count[f.Name] < len(forms)
	}
	return merged
}

// oneOf writes the schema of an object in one of several forms, or null.
func (d Dialect) oneOf(forms []Form, orNull bool) string {
	if len(forms) > 1 && d == Grammar {
		return `{"anyOf":[` + join(forms, ",", func(form Form) string { return d.oneOf([]Form{form}, false) }) + `]}`
	}
	var properties, required []string
	for _, f := range merge(forms) {
		properties = append(properties, quote(f.Name)+":"+d.value(f))
		if d == Strict || !f.Optional {
			required = append(required, quote(f.Name))
		}
	}
	return `{"type":` + typed("object", orNull) + `,"properties":{` + strings.Join(properties, ",") + `},"required":[` +
		strings.Join(required, ",") + `],"additionalProperties":false}`
}

func typed(name string, orNull bool) string {
	if orNull {
		return "[" + quote(name) + `,"null"]`
	}
	return quote(name)
}

func (d Dialect) value(f Field) string {
	orNull := f.Optional && d == Strict
	entry := Field{Type: Text, Words: f.Words, May: f.May}
	switch f.Type {
	case Object:
		return d.oneOf(f.Of, orNull)
	case Objects:
		return d.list(f, d.oneOf(f.Of, false), orNull)
	case Texts:
		return d.list(f, d.value(entry), orNull)
	}
	schema := `{"type":` + typed(string(f.Type), orNull)
	if f.Says != "" && d == Grammar { // which is no part of the prompt
		schema += `,"description":` + quote(f.Says)
	}
	values, may := strings.Join(f.May, ","), f.May
	if d == Grammar && f.Grammar != nil {
		may = f.Grammar
	}
	switch {
	case f.Type == Text:
		values = join(may, ",", quote)
	case f.Type == Number && f.May == nil && d == Grammar: // which cannot bound a number
		values = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
	}
	if values != "" && orNull {
		values += ",null"
	}
	if values != "" {
		schema += `,"enum":[` + values + "]"
	} else if f.Type == Text && d == Grammar {
		if !f.Empty {
			schema += `,"minLength":1`
		}
		if f.Words > 0 {
			schema += `,"maxLength":` + strconv.Itoa(min(max(f.Words*wordLength, line), mostRepetitions))
		}
	}
	return schema + "}"
}

func (d Dialect) list(f Field, entry string, orNull bool) string {
	schema := `{"type":` + typed("array", orNull) + `,"items":` + entry
	if d == Grammar && f.AtLeast > 0 {
		schema += `,"minItems":` + strconv.Itoa(f.AtLeast)
	}
	if d == Grammar && f.Entries > 0 {
		schema += `,"maxItems":` + strconv.Itoa(f.Entries)
	}
	return schema + "}"
}

func quote(s string) string {
	doc, _ := json.Marshal(s) // a string always encodes
	return string(doc)
}

// MostBytes returns the size of the longest answer in one of some forms, in bytes.
func MostBytes(forms []Form) (sum int) {
	for _, f := range merge(forms) {
		each := f.Words*wordLength + MostBytes(f.Of)
		if f.Type == Texts || f.Type == Objects {
			each *= max(1, f.Entries)
		}
		sum += len(f.Name) + each
	}
	return sum
}
