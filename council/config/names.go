package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fieldsOf lists a struct's fields by their JSON names.
func fieldsOf(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = i
	}
	return fields
}

// nearest is the known name that is probably meant by another one, or empty.
func nearest(name string, known map[string]int) string {
	best, least := "", 1+max(2, len([]rune(name))/3)
	for _, candidate := range slices.Sorted(maps.Keys(known)) {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	if best != "" {
		return best
	}
	for _, candidate := range slices.Sorted(maps.Keys(known)) { // apiKey for apiKeyEnv
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(candidate), strings.ToLower(name)) {
			return candidate
		}
	}
	return ""
}

// distance is the number of letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	if len(from) > 64 { // no field's name is near that
		return len(from)
	}
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			replace := diagonal
			if x != y {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}

func list(fields map[string]int) string {
	return strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// escape makes a name a part of a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
