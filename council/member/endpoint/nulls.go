package endpoint

import (
	"strings"

	"github.com/tidwall/gjson"
)

// WithoutNulls takes the members that are null out of a reply's objects. It undoes what [Dialect.EveryRequired] asked
// for: a model that must write every property writes null for those it leaves out. Text that is not one JSON object
// comes back as it is, and so does a null whose name is given twice: what is refused for that must not pass as sound.
func WithoutNulls(text string) string {
	trimmed := strings.TrimSpace(text)
	if !strings.Contains(trimmed, "null") || !strings.HasPrefix(trimmed, "{") || !gjson.Valid(trimmed) {
		return text
	}
	var b strings.Builder
	prune(&b, gjson.Parse(trimmed), 0)
	return b.String()
}

func prune(b *strings.Builder, v gjson.Result, depth int) {
	if depth > maxDepth || (!v.IsObject() && !v.IsArray()) {
		b.WriteString(v.Raw)
		return
	}
	open, end := "{", "}"
	if v.IsArray() {
		open, end = "[", "]"
	}
	b.WriteString(open)
	given := map[string]int{}
	v.ForEach(func(name, _ gjson.Result) bool {
		given[name.String()]++
		return v.IsObject()
	})
	sep := ""
	v.ForEach(func(name, value gjson.Result) bool {
		if v.IsObject() {
			if value.Type == gjson.Null && given[name.String()] == 1 {
				return true
			}
			b.WriteString(sep + name.Raw + ":")
		} else {
			b.WriteString(sep)
		}
		sep = ","
		prune(b, value, depth+1)
		return true
	})
	b.WriteString(end)
}
