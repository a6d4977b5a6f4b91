package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explain picks the most deeply nested of the problems and says it in plain sentences.
func explain(doc any, broken *jsonschema.ValidationError) (pointer, problem string) {
	all := leaves(broken)
	slices.SortStableFunc(all, func(a, b *jsonschema.ValidationError) int {
		if c := depth(b) - depth(a); c != 0 {
			return c
		}
		if c := strings.Compare(a.InstanceLocation, b.InstanceLocation); c != 0 {
			return c
		}
		return strings.Compare(a.KeywordLocation, b.KeywordLocation)
	})
	pointer = all[0].InstanceLocation
	var sentences []string
	for _, e := range all {
		if e.InstanceLocation != pointer {
			continue
		}
		if s := sentence(doc, e); !slices.Contains(sentences, s) {
			sentences = append(sentences, s)
		}
	}
	return pointer, strings.Join(sentences, " ")
}

func depth(e *jsonschema.ValidationError) int { return strings.Count(e.InstanceLocation, "/") }

// sentence says what one keyword asks for and what is there instead.
func sentence(doc any, e *jsonschema.ValidationError) string {
	schema, limit := keyword(e)
	value := at(doc, e.InstanceLocation)
	text, _ := value.(string)
	switch keywordOf(e) {
	case "required":
		return missing(schema, limit, value)
	case "additionalProperties":
		return unknown(schema, value)
	case "type":
		return fmt.Sprintf("It must be %s, not %s.", typeName(limit), kind(value))
	case "enum":
		return fmt.Sprintf("It must be %s, not %s.", list(limit, "or"), show(value))
	case "const":
		return fmt.Sprintf("It must be %s, not %s.", show(limit), show(value))
	case "minLength", "pattern":
		if strings.TrimSpace(text) == "" {
			return "It must not be empty."
		}
		return fmt.Sprintf("%s does not have the form %v.", show(value), limit)
	case "maxLength":
		return fmt.Sprintf("It must have at most %v characters; it has %d.", limit, utf8.RuneCountInString(text))
	case "maxItems":
		return fmt.Sprintf("It must have at most %v entries; it has %d.", limit, length(value))
	case "minItems":
		return fmt.Sprintf("It must have at least %v; it has %d.", entries(limit), length(value))
	case "minimum", "exclusiveMinimum":
		return fmt.Sprintf("It must be %s %v, not %v.", bound(e, "at least", "more than"), limit, value)
	case "maximum", "exclusiveMaximum":
		return fmt.Sprintf("It must be %s %v, not %v.", bound(e, "at most", "less than"), limit, value)
	case "format":
		return fmt.Sprintf("%s is no %v.", show(value), limit)
	case "uniqueItems":
		return "It must not have the same entry twice."
	case "oneOf", "anyOf":
		return choice(limit, value)
	}
	return "It does not fit the schema: " + strings.TrimSuffix(e.Message, ".") + "."
}

// missing names the absent fields; when the shape was chosen by its action, it says so.
func missing(schema map[string]any, limit, value any) string {
	object, _ := value.(map[string]any)
	var absent []any
	wanted, _ := limit.([]any)
	for _, name := range wanted {
		if _, ok := object[fmt.Sprint(name)]; !ok {
			absent = append(absent, name)
		}
	}
	fields, verb := "The field", "is"
	if len(absent) > 1 {
		fields, verb = "The fields", "are"
	}
	says := fmt.Sprintf("%s %s %s missing.", fields, list(absent, "and"), verb)
	if action := fixedAction(schema); action != nil {
		rest := slices.DeleteFunc(slices.Clone(wanted), func(name any) bool { return name == "action" })
		return fmt.Sprintf("The action %v needs %s. %s", action, list(rest, "and"), says)
	}
	return says
}

// unknown names the fields that the schema does not have, and those that it has.
func unknown(schema map[string]any, value any) string {
	object, _ := value.(map[string]any)
	known, _ := schema["properties"].(map[string]any)
	var strange, allowed []any
	for name := range object {
		if _, ok := known[name]; !ok {
			strange = append(strange, name)
		}
	}
	for name := range known {
		allowed = append(allowed, name)
	}
	says, where := "The field %s is not known", "here"
	if len(strange) > 1 {
		says = "The fields %s are not known"
	}
	if action := fixedAction(schema); action != nil {
		where = fmt.Sprintf("with the action %v", action)
	}
	if len(allowed) == 0 {
		return fmt.Sprintf(says+" %s.", sorted(strange), where)
	}
	return fmt.Sprintf(says+" %s; known are %s.", sorted(strange), where, sorted(allowed))
}

// choice says how to choose between shapes when none was evidently meant: by the action, where there is one.
func choice(limit, value any) string {
	shapes, _ := limit.([]any)
	var actions []any
	for _, shape := range shapes {
		if shape, ok := shape.(map[string]any); ok {
			if action := fixedAction(shape); action != nil {
				actions = append(actions, action)
			}
		}
	}
	if len(actions) == 0 {
		return "It fits none of the allowed forms."
	}
	object, _ := value.(map[string]any)
	action, given := object["action"]
	if !given {
		return fmt.Sprintf("The field \"action\" is missing; it must be %s.", list(actions, "or"))
	}
	return fmt.Sprintf("The field \"action\" must be %s, not %s.", list(actions, "or"), show(action))
}

func fixedAction(schema map[string]any) any {
	properties, _ := schema["properties"].(map[string]any)
	action, _ := properties["action"].(map[string]any)
	return action["const"]
}

// keyword returns the value of the keyword that failed and the schema it stands in.
func keyword(e *jsonschema.ValidationError) (schema map[string]any, limit any) {
	address, pointer, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	var doc any
	// The sources were compiled, so they decode.
	_ = json.Unmarshal([]byte(source(strings.TrimPrefix(address, base))), &doc)
	schema, _ = at(doc, pointer[:max(0, strings.LastIndexByte(pointer, '/'))]).(map[string]any)
	return schema, at(doc, pointer)
}

// at follows a JSON pointer; it returns nil where that leads nowhere.
func at(doc any, pointer string) any {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch node := doc.(type) {
		case map[string]any:
			doc = node[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			doc = node[i]
		default:
			return nil
		}
	}
	return doc
}
