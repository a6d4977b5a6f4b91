package endpoint

import (
	"encoding/json"
	"strings"
)

// write puts a node into the provider's dialect. A nullable one may also be null.
func (n *node) write(b *strings.Builder, strict bool, nullable bool) {
	if len(n.anyOf) > 0 {
		n.writeAnyOf(b, strict, nullable)
		return
	}
	b.WriteByte('{')
	sep := ""
	member := func(name string) {
		b.WriteString(sep + `"` + name + `":`)
		sep = ","
	}
	kind := n.kind
	if kind == "" && len(n.enum) > 0 {
		kind = kindOf(n.enum[0])
	}
	if kind != "" {
		member("type")
		if nullable {
			b.WriteString(`["` + kind + `","null"]`)
		} else {
			b.WriteString(`"` + kind + `"`)
		}
	}
	if n.description != "" {
		member("description")
		b.WriteString(quote(n.description))
	}
	if len(n.enum) > 0 {
		member("enum")
		values := n.enum
		if nullable {
			values = append(values[:len(values):len(values)], "null")
		}
		b.WriteString("[" + strings.Join(values, ",") + "]")
	}
	if n.items != nil {
		member("items")
		n.items.write(b, strict, false)
	}
	if kind == "object" {
		member("properties")
		n.writeProperties(b, strict)
	}
	b.WriteByte('}')
}

// writeProperties writes the properties, and after them what closes the object.
func (n *node) writeProperties(b *strings.Builder, strict bool) {
	var required []string
	b.WriteByte('{')
	for i, p := range n.properties {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(p.name) + ":")
		p.schema.write(b, strict, strict && !p.required)
		if strict || p.required {
			required = append(required, quote(p.name))
		}
	}
	b.WriteString(`},"required":[` + strings.Join(required, ",") + `],"additionalProperties":false`)
}

func (n *node) writeAnyOf(b *strings.Builder, strict bool, nullable bool) {
	b.WriteString(`{"anyOf":[`)
	for i, branch := range n.anyOf {
		if i > 0 {
			b.WriteByte(',')
		}
		branch.write(b, strict, false)
	}
	if nullable {
		b.WriteString(`,{"type":"null"}`)
	}
	b.WriteString("]}")
}

func kindOf(raw string) string {
	switch raw[0] {
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func quote(s string) string {
	doc, _ := json.Marshal(s) // a string always encodes
	return string(doc)
}
