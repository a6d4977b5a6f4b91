package schemas_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	reflected "github.com/invopop/jsonschema"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

//go:generate go test . -run TestWhatIsMadeFromTheEventsIsUpToDate -rewrite

// sharedTypes are those of which the shared definitions have a schema, by its name.
var sharedTypes = map[reflect.Type]string{
	reflect.TypeFor[council.MemberID]():        "record#/$defs/memberId",
	reflect.TypeFor[council.PhaseID]():         "record#/$defs/phaseId",
	reflect.TypeFor[council.AskID]():           "record#/$defs/askId",
	reflect.TypeFor[council.MotionID]():        "record#/$defs/motionId",
	reflect.TypeFor[council.Seq]():             "record#/$defs/asOf",
	reflect.TypeFor[quorum.Rule]():             "record#/$defs/rule",
	reflect.TypeFor[quorum.Count]():            "record#/$defs/tally",
	reflect.TypeFor[council.Usage]():           "record#/$defs/usage",
	reflect.TypeFor[[]council.ToolUse]():       "record#/$defs/uses",
	reflect.TypeFor[council.Cut]():             "record#/$defs/found",
	reflect.TypeFor[[]council.Shortened]():     "record#/$defs/shortened",
	reflect.TypeFor[council.Fault]():           "record#/$defs/fault",
	reflect.TypeFor[council.DraftRef]():        "record#/$defs/draftRef",
	reflect.TypeFor[council.Claim]():           "record#/$defs/claim",
	reflect.TypeFor[council.Risk]():            "record#/$defs/risk",
	reflect.TypeFor[council.Finding]():         "record#/$defs/finding",
	reflect.TypeFor[council.Reminder]():        "record#/$defs/reminder",
	reflect.TypeFor[council.Recollection]():    "record#/$defs/recollection",
	reflect.TypeFor[council.Settlement]():      "record#/$defs/settlement",
	reflect.TypeFor[council.Brief]():           "record#/$defs/brief",
	reflect.TypeFor[council.Blocker]():         "record#/$defs/blocker",
	reflect.TypeFor[council.BlockerResponse](): "record#/$defs/response",
	reflect.TypeFor[council.Topic]():           "record#/$defs/topic",
	reflect.TypeFor[council.Resolution]():      "record#/$defs/resolution",
	reflect.TypeFor[council.Charter]():         "charter#/$defs/charter",
	reflect.TypeFor[council.Budget]():          "charter#/$defs/budget",
}

// enums are the values of types that are words from a fixed list.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[council.Choice]():     {council.ChoiceYes, council.ChoiceNo, council.ChoiceAbstain},
	reflect.TypeFor[council.Standing]():   {council.StandingInvalid, council.StandingAbsent, council.StandingOpen},
	reflect.TypeFor[council.SessionEnd](): {council.SessionCompleted, council.SessionCutShort},
	reflect.TypeFor[council.Trigger]():    {council.TriggerMajorityVote, council.TriggerRoundLimit, council.TriggerAlways},
	reflect.TypeFor[council.DebateEnd](): {
		council.EndMajorityVote, council.EndRoundLimit, council.EndAllPassed, council.EndUncontested, council.EndUnanswered,
		council.EndNothingNew,
	},
	reflect.TypeFor[council.Withholding](): {
		council.WithheldRehearsed, council.WithheldAdjourned, council.WithheldUndecided, council.WithheldMotion,
		council.WithheldUnnamed, council.WithheldUnvoted, council.WithheldDocument,
	},
	reflect.TypeFor[quorum.Result]():   {quorum.Pending, quorum.Carried, quorum.Lost, quorum.NoQuorum},
	reflect.TypeFor[council.AskKind](): values(council.AskKinds()),
	reflect.TypeFor[council.DocumentationStatus](): {
		council.DocumentationNone, council.DocumentationApproved, council.DocumentationUnapproved,
		council.DocumentationMissing,
	},
}

func values[T any](all []T) []any {
	out := make([]any, len(all))
	for i, v := range all {
		out[i] = v
	}
	return out
}

// mapped returns the schema of a type that does not have the one of its fields.
func mapped(t reflect.Type) *reflected.Schema {
	one := uint64(1)
	switch def, shared := sharedTypes[t]; {
	case shared:
		return &reflected.Schema{Ref: "mem://council/shared." + def}
	case enums[t] != nil:
		return &reflected.Schema{Type: "string", Enum: enums[t]}
	case t == reflect.TypeFor[council.SessionID]():
		return &reflected.Schema{Type: "string", MinLength: &one}
	case t.Kind() == reflect.Int: // all of them count something
		return &reflected.Schema{Type: "integer", Minimum: "0"}
	}
	return nil
}

// pages makes schemas and pages from structs.
type pages struct{ *reflected.Reflector }

// schema returns the schema of an event.
func (g pages) schema(t *testing.T, p council.Payload) []byte {
	t.Helper()
	s := g.Reflect(p)
	s.ID = reflected.ID("mem://council/" + schemas.Event(string(p.Row().Type)))
	s.Title = string(p.Row().Type)
	s.Description, _, _ = strings.Cut(g.comment(reflect.TypeOf(p)), "\n\n")
	for _, one := range s.OneOf {
		one.Title = ""
	}
	for at := s.Properties.Oldest(); at != nil; at = at.Next() {
		at.Value.Description = sentence(at.Value.Description)
	}
	text := check.Get(json.MarshalIndent(s, "", "  "))(t)
	return append(text, '\n')
}

// page returns the part of docs/events.md on an event, up to the example.
func (g pages) page(p council.Payload) string {
	kind := "Fact."
	if p.Row().Consequence {
		kind = "Consequence."
	}
	protocol := p.Row().Protocol
	if protocol != "" {
		protocol = " (" + protocol + ")"
	}
	first, rest, _ := strings.Cut(g.comment(reflect.TypeOf(p)), "\n\n")
	if rest != "" {
		rest = "\n\n" + rest
	}
	if _, isReply := (council.Event{Payload: p}).Answered(); isReply {
		kind = "Fact, a reply."
	}
	return kind + " " + first + protocol + rest + "\n\n"
}

// comment returns the doc comment of a type without its name.
func (g pages) comment(t reflect.Type) string {
	text := strings.TrimPrefix(strings.TrimPrefix(g.CommentMap[t.PkgPath()+"."+t.Name()], t.Name()+" "), "is ")
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = sentence(p)
	}
	return strings.Join(paragraphs, "\n\n")
}

var see = regexp.MustCompile(`; see (?:package [a-z]+|\[[A-Za-z.]+\])`)

// line returns a comment on one line, without its references to Go.
func line(comment string) string {
	return see.ReplaceAllString(strings.ReplaceAll(comment, "\n", " "), "")
}

// sentence returns a comment on one line that begins with a capital.
func sentence(comment string) string {
	if comment = line(comment); comment == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(comment)
	return string(unicode.ToUpper(first)) + comment[size:]
}

// partEnd begins the last of an event's part of the page: an example, or a mark where there is none.
var partEnd = regexp.MustCompile("\n(?:```json|<!-- end -->)")

// A struct, its schema and its part of the page cannot disagree: the latter two are made from the former, by
// go generate ./schemas.
func TestWhatIsMadeFromTheEventsIsUpToDate(t *testing.T) {
	g := pages{&reflected.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true, Mapper: mapped}}
	t.Chdir("..") // comments are found by the path of their package
	check.OK(t, g.AddGoComments("github.com/council-engine/council", "council", reflected.WithFullComment()))
	const docs, list = "docs/events.md", "schemas/event.json"
	page, names, last := read(t, docs), []string{}, 0
	for _, eventType := range council.EventTypes() {
		p := council.Deref(council.NewPayload(eventType))
		names = append(names, fmt.Sprintf("        %q", eventType))
		check.Golden(t, "schemas/"+strings.Replace(schemas.Event(string(eventType)), ".", "/", 1)+".json",
			string(g.schema(t, p)))
		head := "\n#### " + string(eventType) + "\n\n"
		before, rest, found := strings.Cut(page, head)
		if !found && *check.Rewrite { // at the end of the part before it
			before, rest = before[:last], "\n<!-- end -->\n"+before[last:]
		}
		part, others, more := strings.Cut(rest, "\n#### ")
		end := partEnd.FindStringIndex(part)
		if end == nil {
			t.Fatalf("%s has no part on %s that ends in an example; go generate ./schemas", docs, eventType)
		}
		page = before + head + g.page(p) + part[end[0]:]
		if last = len(page); more {
			page += "\n#### " + others
		}
	}
	check.Golden(t, docs, page)
	before, rest, _ := strings.Cut(read(t, list), `"enum": [`)
	_, after, _ := strings.Cut(rest, "\n      ]")
	check.Golden(t, list, before+`"enum": [`+"\n"+strings.Join(names, ",\n")+"\n      ]"+after)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !*check.Rewrite {
		t.Fatal(err)
	}
	return string(text)
}
