package budget

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Prices is a list of prices and where it came from.
type Prices struct {
	Name  string // a path, or "built in"
	Rates []council.Rate
}

// MaxPricesSize is the size in bytes of the largest table that is read.
const MaxPricesSize = 1 << 20

//go:embed prices.json
var builtIn string

// BuiltInPrices returns the table that comes with this version. docs/costs.md has the sources of its prices.
func BuiltInPrices() Prices {
	t, err := ParsePrices("built in", builtIn)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
}

// ParsePrices reads a table: {"prices": [...]}. The name is for messages. Unknown fields are refused: a price that is
// not understood whole must not be used.
func ParsePrices(name, doc string) (Prices, error) {
	t := Prices{Name: name}
	if len(doc) > MaxPricesSize {
		return t, fmt.Errorf("%s has %d bytes; at most %d are read", name, len(doc), MaxPricesSize)
	}
	var file struct {
		Prices []written `json:"prices"`
	}
	strict := json.NewDecoder(strings.NewReader(strings.TrimPrefix(doc, "\ufeff"))) // some editors begin a file so
	strict.DisallowUnknownFields()
	err := strict.Decode(&file)
	if err == nil && strict.More() {
		err = errors.New("something follows it")
	}
	if err != nil {
		return t, fmt.Errorf("%s is not a table of prices: %s", name, plainly(err))
	}
	if len(file.Prices) > council.MaxRates {
		return t, fmt.Errorf("%s has %d prices; at most %d are read", name, len(file.Prices), council.MaxRates)
	}
	for i := range file.Prices {
		r, found := file.Prices[i].rate()
		if len(found) > 0 {
			return t, fmt.Errorf("%s: /prices/%d/%s: %s", name, i, found[0].Field, found[0].Text)
		}
		t.Rates = append(t.Rates, r)
	}
	return t, nil
}

// plainly puts the error of a document that cannot be read into words for people.
func plainly(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return `it must be an object, such as {"prices": []}`
	case errors.As(err, &kind):
		return "/" + strings.ReplaceAll(kind.Field, ".", "/") + " must be another kind of value than a " + kind.Value
	case errors.As(err, &syntax), strings.HasSuffix(err.Error(), "EOF"): // it ends too early
		return "it is not JSON (comments are not read here): " + err.Error()
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// written is a price as it stands in a file, where what is left out can be told from what costs nothing.
type written struct {
	council.Rate
	Input  *float64 `json:"input"`
	Output *float64 `json:"output"`
}

func (w written) rate() (council.Rate, []council.Problem) {
	var found []council.Problem
	for _, each := range []struct {
		field string
		from  *float64
		to    *float64
	}{{"input", w.Input, &w.Rate.Input}, {"output", w.Output, &w.Rate.Output}} {
		if each.from == nil {
			found = append(found, council.Problem{Field: each.field, Text: council.MissingPrice})
			continue
		}
		*each.to = *each.from
	}
	return w.Rate, slices.Concat(w.Problems(), found, w.Idle())
}

// Settle returns the prices that count for the models on a day, YYYY-MM-DD, and no others. Those of an earlier table
// count before those of a later one, and in one table the closest.
func Settle(models []council.PricedModel, day string, tables ...Prices) []council.Rate {
	var settled []council.Rate
	for _, m := range models {
		if r, _ := find(m, day, tables...); r != nil &&
			!slices.ContainsFunc(settled, func(o council.Rate) bool { return alike(r, &o) }) {
			settled = append(settled, *r)
		}
	}
	return settled
}

// find returns the price of a model on a day, and the name of the first table that has one; nil when none has.
func find(m council.PricedModel, day string, tables ...Prices) (*council.Rate, string) {
	for _, t := range tables {
		holding := slices.DeleteFunc(slices.Clone(t.Rates), func(r council.Rate) bool { return !r.Holds(day) })
		if r := council.RateFor(holding, m); r != nil {
			return r, t.Name
		}
	}
	return nil, ""
}

// alike reports whether two prices are for the same models.
func alike(r, q *council.Rate) bool {
	return r.Provider == q.Provider && r.Model == q.Model && r.Server == q.Server
}
