package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/council-engine/council/internal/hostile"
)

// maxShown bounds how much of a document is quoted back, in runes.
const maxShown = 61

// show quotes a value on one line, cut where it is long.
func show(value any) string {
	if value == nil {
		return "null"
	}
	if text, ok := value.(string); ok {
		return strconv.Quote(hostile.Shorten(text, maxShown))
	}
	switch value.(type) {
	case map[string]any, []any:
		return kind(value)
	}
	return fmt.Sprint(value)
}

// list writes values as `"a", "b" and "c"`.
func list(values any, word string) string {
	entries, _ := values.([]any)
	shown := make([]string, len(entries))
	for i, entry := range entries {
		shown[i] = show(entry)
	}
	if len(shown) < 2 {
		return strings.Join(shown, "")
	}
	last := len(shown) - 1
	return strings.Join(shown[:last], ", ") + " " + word + " " + shown[last]
}

// sorted writes field names in a steady order, and no more of them than help.
func sorted(names []any) string {
	slices.SortFunc(names, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	const most = 30
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", len(names)-most))
	}
	return list(names, "and")
}

// typeName names what a "type" keyword asks for.
func typeName(limit any) string {
	if types, ok := limit.([]any); ok {
		named := make([]string, len(types))
		for i, t := range types {
			named[i] = typeName(t)
		}
		return strings.Join(named, " or ")
	}
	switch limit {
	case "boolean":
		return "true or false"
	case "null":
		return "null"
	case "object", "array", "integer":
		return fmt.Sprintf("an %v", limit)
	}
	return fmt.Sprintf("a %v", limit)
}

// kind names the type of a value.
func kind(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "a string"
	case json.Number:
		return "the number " + v.String()
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		return "an array"
	}
	return "an object"
}

func length(value any) int {
	array, _ := value.([]any)
	return len(array)
}

func entries(limit any) string {
	if limit == 1.0 {
		return "1 entry"
	}
	return fmt.Sprintf("%v entries", limit)
}

func bound(e *jsonschema.ValidationError, inclusive, exclusive string) string {
	if strings.HasPrefix(keywordOf(e), "exclusive") {
		return exclusive
	}
	return inclusive
}
