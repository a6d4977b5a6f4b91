package council_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/council-engine/council/council"
)

var textKinds = []council.TextKind{
	"-", council.TextID, council.TextBlocker, council.TextName, council.TextSpeaker, council.TextSaid, council.TextShort,
	council.TextDraft, council.TextBrief, council.TextResult, council.TextDocument, council.TextQuery, council.TextCited,
	council.TextCompared, council.TextCharter, council.TextRequired,
}

// A text without a kind would be kept when it is to be forgotten, and shown where names are hidden.
func TestEveryTextHasAKind(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		if typ = bottom(typ); typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			tag, tagged := f.Tag.Lookup("text")
			switch under := bottom(f.Type); {
			case tagged && !slices.Contains(textKinds, council.TextKind(tag)):
				t.Errorf("%s.%s: there is no kind of text %q", typ, f.Name, tag)
			case tag == "-":
			case under == reflect.TypeFor[string]() && !tagged:
				t.Errorf("%s.%s holds text: give it the tag text", typ, f.Name)
			case under != reflect.TypeFor[string]() && tagged:
				t.Errorf("%s.%s has the tag text and holds none", typ, f.Name)
			case under.Kind() == reflect.Map, under.Kind() == reflect.Interface:
				t.Errorf("%s.%s is a %s, and EditTexts passes it over", typ, f.Name, under)
			default:
				look(f.Type)
			}
		}
	}
	for _, kind := range council.EventTypes() {
		look(reflect.TypeOf(council.NewPayload(kind)))
	}
}

// bottom is what a list or a pointer is of in the end.
func bottom(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ
}
