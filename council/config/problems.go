package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

const MaxProblems = 10 // how many problems a message lists

// Problem is one thing that is wrong in a configuration.
type Problem struct {
	Line    int    `json:"line,omitempty"`   // from 1; 0 when it concerns the whole file
	Column  int    `json:"column,omitempty"` // from 1, in characters; 0 when it concerns the whole file
	Pointer string `json:"where,omitempty"`  // JSON pointer, such as "/members/0/id"; empty for the file or its syntax
	Text    string `json:"problem"`          // the error, and the remedy
	meant   string // pointer of the field that a misspelt name was meant to be
}

func (p Problem) Error() string {
	var place []string
	if p.Line > 0 {
		place = append(place, fmt.Sprintf("line %d, column %d", p.Line, p.Column))
	}
	if p.Pointer != "" {
		place = append(place, p.Pointer)
	}
	return strings.Join(append(place, p.Text), ": ")
}

// Problems is everything that is wrong in a configuration. Its message lists at most [MaxProblems], a line each.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, 0, MaxProblems+1)
	for i, p := range ps {
		if i == MaxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(ps)-MaxProblems))
			break
		}
		lines = append(lines, p.Error())
	}
	return strings.Join(lines, "\n")
}

// Is makes them a [council.ErrBadCharter].
func (ps Problems) Is(target error) bool { return target == council.ErrBadCharter }

// explains reports whether one of the problems is the cause of a problem at a place.
func (ps Problems) explains(pointer string) bool {
	return slices.ContainsFunc(ps, func(p Problem) bool {
		return isWithin(pointer, p.Pointer) || p.meant != "" && isWithin(pointer, p.meant)
	})
}

func isWithin(pointer, outer string) bool {
	return pointer == outer || strings.HasPrefix(pointer, outer+"/")
}

// add notes a problem at a place, or at the nearest place around it that is in the file.
func (r *reader) add(pointer, format string, args ...any) {
	p := Problem{Pointer: pointer, Text: fmt.Sprintf(format, args...)}
	near := pointer
	offset, ok := r.places[near]
	for !ok && near != "" {
		near = near[:strings.LastIndexByte(near, '/')]
		offset, ok = r.places[near]
	}
	before := r.doc[:min(offset, len(r.doc))]
	p.Line = 1 + bytes.Count(before, []byte("\n"))
	p.Column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	r.problems = append(r.problems, p)
}

// checkIdle refuses settings of models without any effect: their author expects one. The charter's own rules do not, so
// that records of earlier versions stay readable.
func (r *reader) checkIdle(c *council.Charter) {
	for i, m := range c.Members {
		at := fmt.Sprintf("/members/%d/model", i)
		r.checkIdleModel(at, m.Model)
		for j, f := range m.Model.Fallbacks {
			if place := fmt.Sprintf("%s/fallbacks/%d", at, j); !r.named[place] {
				r.checkIdleModel(place, f)
			}
		}
	}
}

const minCallsPerMinute = 0.016 // the lowest rate of calls that anybody waits for, in calls a minute

// minTokensPerMinute is the lowest rate of tokens a minute at which a session comes to an end on the same day.
const minTokensPerMinute = 100

// checkIdleModel refuses settings that a kind of member does not use.
func (r *reader) checkIdleModel(at string, m council.Model) {
	if m.CallsPerMinute > 0 && m.CallsPerMinute < minCallsPerMinute {
		r.add(at+"/callsPerMinute", "it must be 0, for no limit, or at least %v, about a call an hour", minCallsPerMinute)
	}
	if m.TokensPerMinute > 0 && m.TokensPerMinute < minTokensPerMinute {
		r.add(at+"/tokensPerMinute", "it must be 0, for no limit, or at least %d", minTokensPerMinute)
	}
	unused := m.Kind().Unused
	if m.Kind().Program && m.BaseURL == "" {
		unused = append(slices.Clone(unused), "parallel")
	}
	for _, name := range unused {
		if r.has(at + "/" + name) {
			r.add(at+"/"+name, "the provider %s does not use it", m.Provider)
		}
	}
	if m.Auth == nil {
		return
	}
	a := *m.Auth
	if m.APIKeyEnv != "" && a.Method != "api-key-env" {
		r.add(at+"/apiKeyEnv", "it has no effect with auth with the method %s: leave one of them out", a.Method)
	}
	for _, f := range charter.AuthFields(a) {
		if f.Given && !slices.Contains(f.Needed, a.Method) && !slices.Contains(f.Used, a.Method) {
			r.add(at+"/auth/"+f.Name, "the method %s does not use it", a.Method)
		}
	}
}

// SetCredentials changes a configuration so that models take their key from where it is stored and no longer from a
// variable: ids are those of the credentials, by the JSON pointer of a model such as "/members/0/model". Comments and
// order stay. The error is a [Problems], or names a pointer at which there is no model.
func SetCredentials(doc []byte, ids map[string]string) ([]byte, error) {
	root, problem := parse(doc)
	if problem != nil {
		return nil, Problems{*problem}
	}
	for pointer, id := range ids {
		found := cmp.Or(root.Find(pointer), &hujson.Value{})
		if model, ok := found.Value.(*hujson.Object); ok {
			setReference(model, id)
		} else if kindOf(*found) != "a text" || !strings.Contains(pointer, "/fallbacks/") {
			return nil, fmt.Errorf("there is no model at %s", pointer)
		} // a fallback that is only named takes the key of its model
	}
	changed := root.Pack()
	_, err := Parse(changed)
	return changed, err
}

func setReference(model *hujson.Object, id string) {
	quoted, _ := json.Marshal(id)
	name := hujson.ValueTrimmed(hujson.String("auth"))
	auth, err := hujson.Parse([]byte(`{ "method": "credential-ref", "credentialId": ` + string(quoted) + ` }`))
	if err != nil {
		panic(err) // it is ours
	}
	at := func(field string) int {
		return slices.IndexFunc(model.Members, func(m hujson.ObjectMember) bool { return text(m.Name) == field })
	}
	place := at("auth")
	if place < 0 {
		place = at("apiKeyEnv")
	}
	if place < 0 { // the variable was the provider's usual one; a model has a provider, so that there is one to follow
		var m hujson.ObjectMember
		m.Name.BeforeExtra = hujson.Extra(" ")
		m.Value.BeforeExtra = slices.Clone(model.Members[0].Value.BeforeExtra)
		place, model.Members = 1, slices.Insert(model.Members, 1, m)
	}
	model.Members[place].Name.Value, model.Members[place].Value.Value = name, auth.Value
	if variable := at("apiKeyEnv"); variable >= 0 {
		model.Members = slices.Delete(model.Members, variable, variable+1)
	}
}
