package council

import (
	"iter"
	"reflect"
	"strings"
)

// TextKind is the kind of a text in an event. It is the tag "text" of the field, so that erasing words, checking
// citations and hiding names share one walk. A field with the tag "-" is skipped: it holds no words.
type TextKind string

// The kinds of texts. Fields of type [MemberID] need no tag.
const (
	TextID     TextKind = "id"     // no words: an id, a digest, a word from a fixed list
	TextMember TextKind = "member" // the id of a member

	TextBlocker TextKind = "blocker" // the id of a blocker, which names its member
	TextName    TextKind = "name"    // the name of a person, a file
	TextSpeaker TextKind = "speaker" // the name of a member of an earlier session

	TextSaid     TextKind = "said"     // prose of a member or a person
	TextShort    TextKind = "short"    // a title, a message: words of theirs in which citations have no place
	TextOption   TextKind = "option"   // of a choice: rankings name it by its words
	TextStance   TextKind = "stance"   // a stance, as short
	TextDraft    TextKind = "draft"    // prose that a digest on record names
	TextBrief    TextKind = "brief"    // prose of an execution brief: one digest names all of it
	TextResult   TextKind = "result"   // of a tool; a digest names it
	TextDocument TextKind = "document" // given to the council; a digest names it
	TextQuery    TextKind = "query"    // drawn from the topic
	TextCited    TextKind = "cited"    // a citation
	TextCompared TextKind = "compared" // a name that the rules compare

	TextCharter  TextKind = "charter"  // from the configuration
	TextRequired TextKind = "required" // from the configuration, and the rules hold claims against it
)

// Prose reports whether members cite in texts of the kind.
func (k TextKind) Prose() bool { return k == TextSaid || k == TextDraft || k == TextBrief }

// Texts yields the texts of a payload, or of a part of one, in the order of its fields. Blank ones are left out.
func Texts(v any) iter.Seq2[TextKind, string] {
	return func(yield func(TextKind, string) bool) {
		more := true
		EditTexts(v, func(kind TextKind, text string) string {
			more = more && yield(kind, text)
			return text
		})
	}
}

// EditTexts returns a copy of a payload, or of a part of one, with every text that is not blank edited. It does not
// change v.
func EditTexts[T any](v T, edit func(kind TextKind, text string) string) T {
	in := reflect.ValueOf(v)
	if !in.IsValid() {
		return v
	}
	return editTexts(in, "", edit).Interface().(T)
}

func editTexts(v reflect.Value, kind TextKind, edit func(TextKind, string) string) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[MemberID]() {
			kind = TextMember
		} else if v.Type() != reflect.TypeFor[string]() {
			return v
		}
		if strings.TrimSpace(v.String()) == "" {
			return v
		}
		return reflect.ValueOf(edit(kind, v.String())).Convert(v.Type())
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if kind := TextKind(v.Type().Field(i).Tag.Get("text")); kind != "-" {
				out.Field(i).Set(editTexts(v.Field(i), kind, edit))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(editTexts(v.Index(i), kind, edit))
		}
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(editTexts(v.Elem(), kind, edit))
		return out
	}
	return v
}
