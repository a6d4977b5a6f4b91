package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Refer changes a configuration so that models take their key from where it is stored and no longer from a variable:
// ids are those of the credentials, by the JSON pointer of a model such as "/members/0/model". Comments and order stay.
// The error is a [Problems], or names a pointer at which there is no model.
func Refer(doc []byte, ids map[string]string) ([]byte, error) {
	root, problem := parse(doc)
	if problem != nil {
		return nil, Problems{*problem}
	}
	for pointer, id := range ids {
		found := root.Find(pointer)
		if found == nil {
			return nil, fmt.Errorf("there is no model at %s", pointer)
		}
		if kindOf(*found) == "a text" && strings.Contains(pointer, "/fallbacks/") {
			continue // a fallback that is only named: it takes the key of the model that it stands in for
		}
		model, ok := found.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("there is no model at %s", pointer)
		}
		refer(model, id)
	}
	changed := root.Pack()
	_, err := Parse(changed)
	return changed, err
}

// refer puts the reference in the place of what named the variable.
func refer(model *hujson.Object, id string) {
	quoted, _ := json.Marshal(id)
	name := hujson.ValueTrimmed(hujson.String("auth"))
	auth, err := hujson.Parse([]byte(`{ "method": "credential-ref", "credentialId": ` + string(quoted) + ` }`))
	if err != nil {
		panic(err) // it is ours
	}
	at := func(field string) int {
		return slices.IndexFunc(model.Members, func(m hujson.ObjectMember) bool { return text(m.Name) == field })
	}
	there, variable := at("auth"), at("apiKeyEnv")
	switch {
	case there >= 0:
		model.Members[there].Value.Value = auth.Value
		if variable >= 0 {
			model.Members = slices.Delete(model.Members, variable, variable+1)
		}
	case variable >= 0:
		model.Members[variable].Name.Value = name
		model.Members[variable].Value.Value = auth.Value
	default: // the variable was the provider's usual one; a model has a provider, so that there is one to follow
		first := model.Members[0]
		m := hujson.ObjectMember{Name: hujson.Value{Value: name}, Value: hujson.Value{Value: auth.Value}}
		m.Name.BeforeExtra = hujson.Extra(" ")
		m.Value.BeforeExtra = slices.Clone(first.Value.BeforeExtra)
		model.Members = slices.Insert(model.Members, min(1, len(model.Members)), m)
	}
}
