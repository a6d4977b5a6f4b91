package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/prompt"
)

// Bounds of a schema, which stop one that refers to itself.
const (
	maxDepth = 24
	maxNodes = 2000
)

// downlevel returns a copy of a contract's schema in the part of JSON Schema that providers take: objects without
// further properties, lists, enums and descriptions. A root that offers several objects becomes one object with the
// properties of all. Where a reply may call a tool instead, its properties and those of a call are optional in one
// object. What the copy no longer says is checked when the reply is parsed. Properties keep their order, because a
// model writes them in it. A strict copy requires each property; what is optional may be null there, which is as good
// as absent when the reply is read. An error means that the schema cannot be put so: send none.
func downlevel(c *prompt.Contract, strict bool) (json.RawMessage, error) {
	schema := c.Schema
	if !json.Valid(schema) {
		return nil, errors.New("the schema is not JSON")
	}
	r := &schemaReader{root: gjson.ParseBytes(schema)}
	n, err := r.read(r.root, 0)
	if err != nil {
		return nil, err
	}
	if len(n.anyOf) > 0 && len(n.properties) == 0 {
		n = merge(n)
	}
	if n.kind != "object" {
		return nil, errors.New("the schema is not one of an object")
	}
	if c.OrCall {
		for i := range n.properties {
			n.properties[i].required = false
		}
		n.properties = append(n.properties,
			property{"tool", &node{kind: "string", description: "Instead of an answer: the name of the tool to call."}, false},
			property{"arguments", &node{kind: "string", description: `The arguments of the call, as a JSON object in a string.`},
				false})
	}
	var b strings.Builder
	n.write(&b, strict, false)
	return json.RawMessage(b.String()), nil
}

// schema is [downlevel] of a contract, done once: contracts are the same in every call.
func (m *Model) schema(c *prompt.Contract, strict bool) (json.RawMessage, error) {
	key := contractKey{c.Name, c.OrCall}
	if schema, ok := m.schemas.Load(key); ok {
		return schema.(json.RawMessage), nil
	}
	schema, err := downlevel(c, strict)
	if err == nil {
		m.schemas.Store(key, schema)
	}
	return schema, err
}

type contractKey struct {
	name   string
	orCall bool
}

// node is one schema, without what providers do not take.
type node struct {
	kind        string // JSON type; "" where enum or anyOf imply it
	description string
	enum        []string // raw JSON
	properties  []property
	items       *node
	anyOf       []*node
}

type property struct {
	name     string
	schema   *node
	required bool
}

type schemaReader struct {
	root  gjson.Result
	nodes int // read so far
}

func (r *schemaReader) read(v gjson.Result, depth int) (*node, error) {
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes {
		return nil, errors.New("the schema is too deep or too large")
	}
	if ref := v.Get("$ref"); ref.Exists() {
		target, ok := strings.CutPrefix(ref.String(), "#/$defs/")
		if !ok {
			return nil, fmt.Errorf("the schema refers to %s, which is not in it", ref.String())
		}
		def := r.root.Get(`$defs`).Map()[target]
		if !def.Exists() {
			return nil, fmt.Errorf("the schema has no definition %s", target)
		}
		return r.read(def, depth+1)
	}
	n := &node{kind: v.Get("type").String(), description: v.Get("description").String()}
	if v.Get("type").IsArray() {
		return nil, errors.New("the schema gives a value several types")
	}
	if c := v.Get("const"); c.Exists() {
		n.enum = []string{c.Raw}
	}
	for _, e := range v.Get("enum").Array() {
		n.enum = append(n.enum, e.Raw)
	}
	var err error
	if items := v.Get("items"); items.Exists() {
		if n.items, err = r.read(items, depth+1); err != nil {
			return nil, err
		}
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		for _, branch := range v.Get(word).Array() {
			one, err := r.read(branch, depth+1)
			if err != nil {
				return nil, err
			}
			n.anyOf = append(n.anyOf, one)
		}
	}
	n.properties, err = r.properties(v, depth)
	return n, err
}

func (r *schemaReader) properties(v gjson.Result, depth int) (list []property, err error) {
	required := v.Get("required").Array()
	v.Get("properties").ForEach(func(name, schema gjson.Result) bool {
		p := property{name: name.String()}
		p.required = slices.ContainsFunc(required, func(q gjson.Result) bool { return q.String() == p.name })
		p.schema, err = r.read(schema, depth+1)
		list = append(list, p)
		return err == nil
	})
	return list, err
}

// merge makes one object of several: a property is required when all have it and require it, and takes the values of
// all of them.
func merge(n *node) *node {
	one := &node{kind: "object", description: n.description}
	seen := map[string]int{}
	for _, branch := range n.anyOf {
		for _, p := range branch.properties {
			i := slices.IndexFunc(one.properties, func(q property) bool { return q.name == p.name })
			if i < 0 {
				i = len(one.properties)
				copied := *p.schema
				one.properties = append(one.properties, property{p.name, &copied, true})
			} else {
				one.properties[i].schema.enum = append(one.properties[i].schema.enum, p.schema.enum...)
			}
			one.properties[i].required = one.properties[i].required && p.required
			seen[p.name]++
		}
	}
	for i := range one.properties {
		p := &one.properties[i]
		p.required = p.required && seen[p.name] == len(n.anyOf)
	}
	return one
}

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
