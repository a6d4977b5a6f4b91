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

func list(fields map[string]int) string {
	return strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// escape makes a name a part of a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
