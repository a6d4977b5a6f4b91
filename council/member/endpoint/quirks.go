package endpoint

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/prompt"
)

// feature is a part of a request that not every server takes.
type feature string

// The features that are left out after a server complained about them.
const (
	systemRole          feature = "system"                // messages of the role system, before those of the user
	instructionsField   feature = "instructions"          // a field of the responses protocol in their place
	cacheMarks          feature = "cache_control"         // marks for the cache, and with them texts as lists of blocks
	storeField          feature = "store"                 // that nothing is to be stored
	schemaFeature       feature = "schema"                // the reply's contract as a JSON Schema
	temperatureFeature  feature = "temperature"           // some models have only one
	streamUsage         feature = "stream_options"        // token counts at the end of a stream
	maxTokens           feature = "max_tokens"            // the older name of the bound of a reply
	maxCompletionTokens feature = "max_completion_tokens" // the newer one
)

// complaints match the words by which a server complains about a feature.
var complaints = map[feature]*regexp.Regexp{
	systemRole: regexp.MustCompile(`system role|developer instruction.*not enabled|roles must alternate|` +
		`('system'|system messages?|system instruction).*not (support|allow)|instructions are required|` +
		`not (support|allow).*('system'|system message|system instruction)`),
	instructionsField: regexp.MustCompile(`instructions`),
	// These are narrow, because either costs: without marks the cache serves nothing, and without the other field some
	// providers store what they are sent.
	cacheMarks: regexp.MustCompile(`cache_control|(system|content)\b.*(valid string|be a string|type string|str type)|` +
		`sequence, expected a string|expected string, received array|cannot unmarshal array`),
	storeField: regexp.MustCompile(`(unknown|unsupported|unrecognized|unexpected|extra|not (supported|permitted|allowed)).*` +
		`\bstore\b|\bstore\b.*(unknown|unsupported|unrecognized|unexpected|extra|not (supported|permitted|allowed))`),
	schemaFeature: regexp.MustCompile(
		`response_format|text\.format|schema|output_config|output_format|structured output|grammar`),
	temperatureFeature:  regexp.MustCompile(`temperature`),
	streamUsage:         regexp.MustCompile(`stream_options|include_usage`),
	maxTokens:           regexp.MustCompile(`max_tokens.*max_completion_tokens|max_completion_tokens.*max_tokens`),
	maxCompletionTokens: regexp.MustCompile(`max_completion_tokens`),
}

// Quirks remember what each model on each server was found not to take. The zero value is ready; it may be shared by
// many members. What it knows lasts as long as the process, or longer where Keep writes it down.
type Quirks struct {
	Now  func() time.Time // dates what is found; nil: [time.Now]
	Keep func(doc []byte) // is given all that is known whenever something was found; nil: nothing is kept

	mu    sync.Mutex
	known map[string]map[feature]string // the day on which each was found, as 2006-01-02
}

func (q *Quirks) lacks(place string, f feature) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known[place][f] != ""
}

// learn notes from a rejection what the server at a place does not take of what was sent, and reports whether the call
// is worth putting again without it.
func (q *Quirks) learn(place string, r *rejection, sent []feature) bool {
	if !r.mayBeAboutTheRequest() {
		return false
	}
	words := strings.Join(strings.Fields(strings.ToLower(r.Kind+" "+r.Message)), " ")
	q.mu.Lock()
	defer q.mu.Unlock()
	learnt, found := false, false
	for _, f := range sent {
		if complaints[f].MatchString(words) {
			learnt = true
			if q.known[place][f] == "" { // else another member has noted it meanwhile
				found = true
				q.note(place, f, q.day(0))
			}
		}
	}
	if found && q.Keep != nil {
		doc, _ := json.MarshalIndent(keptQuirks{1, aboutQuirks, q.known}, "", "  ") // strings always encode
		q.Keep(append(doc, '\n'))
	}
	return learnt
}

func (q *Quirks) note(place string, f feature, on string) {
	if q.known == nil {
		q.known = map[string]map[feature]string{}
	}
	if q.known[place] == nil {
		q.known[place] = map[feature]string{}
	}
	q.known[place][f] = on
}

// rediscovered is how long what was found is believed: servers learn.
const rediscovered = 30 * 24 * time.Hour

// keptQuirks is the form in which quirks are written down.
type keptQuirks struct {
	Version int                           `json:"version"`
	About   string                        `json:"about"`
	Places  map[string]map[feature]string `json:"places"`
}

const aboutQuirks = "What model servers were found not to take, by address and model, and when. It may be deleted: " +
	"then it is found out again."

// Recall takes in what was written down before. What cannot be read, is too old or is from another version is passed
// over: it is found out again.
func (q *Quirks) Recall(doc []byte) {
	var kept keptQuirks
	if json.Unmarshal(doc, &kept) != nil || kept.Version != 1 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for place, found := range kept.Places {
		for f, on := range found {
			_, err := time.Parse(time.DateOnly, on)
			if err == nil && complaints[f] != nil && on >= q.day(-rediscovered) && on <= q.day(0) {
				q.note(place, f, on)
			}
		}
	}
}

// day returns the date of a time from now.
func (q *Quirks) day(from time.Duration) string {
	now := time.Now
	if q.Now != nil {
		now = q.Now
	}
	return now().Add(from).UTC().Format(time.DateOnly)
}

// downlevel returns a copy of a contract's schema, which is one of an object, in the part of JSON Schema that providers
// take: objects without further properties, lists, enums and descriptions. A root that offers several objects becomes
// one object with the properties of all. Where a reply may call a tool instead, its properties and those of a call are
// optional in one object. What the copy no longer says is checked when the reply is parsed. Properties keep their
// order, because a model writes them in it. A strict copy requires each property; what is optional may be null there,
// which is as good as absent when the reply is read.
func downlevel(c *prompt.Contract, strict bool) json.RawMessage {
	d := dialect{gjson.ParseBytes(c.Schema), strict}
	branches := d.root.Get("oneOf").Array()
	if len(branches) == 0 {
		branches = []gjson.Result{d.root}
	}
	properties := d.properties(branches...)
	if c.OrCall {
		for i := range properties {
			properties[i].required = false
		}
		call := gjson.Parse(`{"tool":{"type":"string","description":"Instead of an answer: the name of the tool to call."},` +
			`"arguments":{"type":"string","description":"The arguments of the call, as a JSON object in a string."}}`)
		for _, name := range []string{"tool", "arguments"} {
			properties = append(properties, property{name: name, schema: call.Get(name)})
		}
	}
	return json.RawMessage(d.write(d.root, nil, properties, false))
}

// downlevelled has what [downlevel] made of contracts, by contractKey: they are the same in every call of every model.
var downlevelled sync.Map

type contractKey struct {
	name           string
	orCall, strict bool
}

// schema is [downlevel] of a contract, done once.
func schema(c *prompt.Contract, strict bool) json.RawMessage {
	key := contractKey{c.Name, c.OrCall, strict}
	schema, ok := downlevelled.Load(key)
	if !ok {
		schema, _ = downlevelled.LoadOrStore(key, downlevel(c, strict))
	}
	return schema.(json.RawMessage)
}

// dialect writes schemas as providers take them.
type dialect struct {
	root   gjson.Result // of the schema, which has the definitions
	strict bool
}

// property is one of an object, or of several objects that become one.
type property struct {
	name     string
	schema   gjson.Result
	values   []string // the values that it may have in any of them, in JSON
	required bool     // in all of them
}

// resolve returns the definition that a schema refers to, or the schema itself.
func (d dialect) resolve(v gjson.Result) gjson.Result {
	if ref := v.Get(`\$ref`); ref.Exists() {
		return d.root.Get(`\$defs.` + strings.TrimPrefix(ref.String(), "#/$defs/"))
	}
	return v
}

// properties returns what at least one of the objects has.
func (d dialect) properties(objects ...gjson.Result) (list []property) {
	count := map[string]int{} // of the objects that require it
	for _, object := range objects {
		object.Get("properties").ForEach(func(name, schema gjson.Result) bool {
			i := slices.IndexFunc(list, func(p property) bool { return p.name == name.String() })
			if i < 0 {
				i, list = len(list), append(list, property{name: name.String(), schema: d.resolve(schema)})
			}
			list[i].values = append(list[i].values, values(d.resolve(schema))...)
			return true
		})
		for _, name := range object.Get("required").Array() {
			count[name.String()]++
		}
	}
	for i := range list {
		list[i].required = count[list[i].name] == len(objects)
	}
	return list
}

// values returns the values that a schema names, in JSON.
func values(v gjson.Result) (list []string) {
	for _, e := range append(v.Get("enum").Array(), v.Get("const")) {
		if e.Exists() {
			list = append(list, e.Raw)
		}
	}
	return list
}

// write returns the schema of one value, with the properties of an object. A nullable one may also be null.
func (d dialect) write(v gjson.Result, enum []string, properties []property, nullable bool) string {
	kind := v.Get("type").String()
	if kind == "" && properties == nil {
		kind = "string" // every enum is one of words
	}
	kind = quote(cmp.Or(kind, "object"))
	if nullable {
		kind = "[" + kind + `,"null"]`
		if enum != nil {
			enum = append(slices.Clip(enum), "null")
		}
	}
	parts := []string{`"type":` + kind}
	if words := v.Get("description"); words.Exists() {
		parts = append(parts, `"description":`+quote(words.String()))
	}
	if enum != nil {
		parts = append(parts, `"enum":[`+strings.Join(enum, ",")+"]")
	}
	if v.Get("items").Exists() {
		items := d.resolve(v.Get("items"))
		parts = append(parts, `"items":`+d.write(items, values(items), d.properties(items), false))
	}
	if properties != nil {
		var list, required []string
		for _, p := range properties {
			list = append(list, quote(p.name)+":"+
				d.write(p.schema, p.values, d.properties(p.schema), d.strict && !p.required))
			if d.strict || p.required {
				required = append(required, quote(p.name))
			}
		}
		parts = append(parts, `"properties":{`+strings.Join(list, ",")+"}",
			`"required":[`+strings.Join(required, ",")+"]", `"additionalProperties":false`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quote(s string) string {
	doc, _ := json.Marshal(s) // a string always encodes
	return string(doc)
}
