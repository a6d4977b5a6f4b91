package budget

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
)

const MaxPricesSize = 1 << 20 // the size in bytes of the largest table that is read

//go:embed prices.json
var builtIn string

// BuiltInPrices returns the table that comes with this version, which must not be changed. docs/costs.md has the
// sources of its prices.
var BuiltInPrices = sync.OnceValue(func() []council.Rate {
	rates, err := ParsePrices("built in", builtIn)
	if err != nil {
		panic(err) // a test reads it
	}
	return rates
})

// ParsePrices reads a table: {"prices": [...]}. The name is for messages. Unknown fields are refused: a price that is
// not understood whole must not be used.
func ParsePrices(name, doc string) (rates []council.Rate, err error) {
	if len(doc) > MaxPricesSize {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", name, len(doc), MaxPricesSize)
	}
	var file struct {
		Prices []priceEntry `json:"prices"`
	}
	err = council.ReadJSON([]byte(strings.TrimPrefix(doc, "\ufeff")), &file) // some editors begin a file so
	if err != nil {
		return nil, fmt.Errorf("%s is not a table of prices: %s", name, explainError(err))
	}
	if len(file.Prices) > council.MaxRates {
		return nil, fmt.Errorf("%s has %d prices; at most %d are read", name, len(file.Prices), council.MaxRates)
	}
	for i := range file.Prices {
		r, found := file.Prices[i].rate()
		if len(found) > 0 {
			return nil, fmt.Errorf("%s: /prices/%d/%s: %s", name, i, found[0].Field, found[0].Text)
		}
		rates = append(rates, r)
	}
	return rates, nil
}

// explainError puts the error of a document that cannot be read into words for people.
func explainError(err error) string {
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

// priceEntry is a price in a file, in which a missing price differs from a price of zero.
type priceEntry struct {
	council.Rate
	Input  *float64 `json:"input"`
	Output *float64 `json:"output"`
}

func (w priceEntry) rate() (council.Rate, []council.Problem) {
	var found []council.Problem
	price := func(field string, usd *float64) float64 {
		if usd == nil {
			found = append(found, council.Problem{Field: field, Text: council.MissingPrice})
			return 0
		}
		return *usd
	}
	w.Rate.Input, w.Rate.Output = price("input", w.Input), price("output", w.Output)
	return w.Rate, slices.Concat(w.Problems(), found, w.Idle())
}

// SelectPrices returns the prices that count for the models on a day, YYYY-MM-DD, and no others. Those of an earlier
// table count before those of a later one, and in one table the closest.
func SelectPrices(models []council.PricedModel, day string, tables ...[]council.Rate) []council.Rate {
	var settled []council.Rate
	for _, m := range models {
		for _, t := range tables {
			holding := slices.DeleteFunc(slices.Clone(t), func(r council.Rate) bool { return !r.Holds(day) })
			r := council.RateFor(holding, m)
			if r == nil {
				continue
			}
			if !slices.ContainsFunc(settled, func(o council.Rate) bool {
				return r.Provider == o.Provider && r.Model == o.Model && r.Server == o.Server // for the same models
			}) {
				settled = append(settled, *r)
			}
			break
		}
	}
	return settled
}
