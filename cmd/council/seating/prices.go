package seating

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// pricesFile is the name of a table of prices that people edit.
const pricesFile = "prices.json"

// hintPrices says how to make a price known.
const hintPrices = "Write its price into .council/" + pricesFile +
	" (docs/costs.md shows how), or cap tokens instead: --budget-tokens N"

// Price puts the prices of the members' models into a charter that is about to be frozen. A budget in US dollars is
// refused where a price is not known. Prices in the configuration count first, then those in the record's folder, in
// the user's configuration, and those built in.
func Price(env *cli.Env, c *council.Charter) error {
	tables := [][]council.Rate{c.Prices}
	for _, folder := range []string{c.Storage.RootDir, env.ConfigFolder()} {
		t, err := readPrices(folder)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	c.Prices = budget.Settle(c.Models(), env.Now().UTC().Format(time.DateOnly), append(tables, budget.BuiltInPrices())...)
	return Affordable(c, c.Budget)
}

// Affordable refuses a budget in US dollars for members whose prices are not known, as a usage error.
func Affordable(c *council.Charter, b council.Budget) error {
	if unpriced := c.Unpriced(); b.USD > 0 && unpriced != "" {
		return cli.Refuse("a budget in US dollars needs the price of every member's model, and that of "+unpriced+
			" is not known", hintPrices)
	}
	return nil
}

// readPrices reads the table in a folder; one that is not there is empty. A table that cannot be read is never passed
// over: with what it was to say another price would count.
func readPrices(folder string) ([]council.Rate, error) {
	if folder == "" {
		return nil, nil
	}
	path := filepath.Join(folder, pricesFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // where the record is to lie is looked at later
		return nil, nil
	}
	var doc []byte
	if err == nil {
		defer f.Close()
		doc, err = io.ReadAll(io.LimitReader(f, budget.MaxPricesSize+1))
	}
	path = filepath.ToSlash(path)
	if err != nil {
		return nil, fmt.Errorf("the prices cannot be read from %s: %w", path, atomicfile.Explain(err))
	}
	return budget.ParsePrices(path, string(doc))
}

// openBudget opens the budget of a session: what its log records, what is paid for on its tapes and not yet recorded,
// and what crashes may have cost. sizes are the bytes of the prompt for a view.
func openBudget(folder *recorder.Session, s *rules.Session, within func() council.Budget,
	sizes func(council.View) int64) (*budget.Budget, error) {
	o := budget.Opening{Charter: s.Charter(), Budget: within, Sizes: sizes, Events: s.Events(), Again: folder.Again}
	cut, err := folder.Ambiguous()
	if err != nil {
		return nil, err
	}
	counts, err := folder.Doubts()
	if err != nil {
		return nil, err
	}
	for _, ask := range cut {
		counts[ask]++
	}
	for _, ask := range slices.Sorted(maps.Keys(counts)) {
		o.Doubts = append(o.Doubts, budget.Doubt{Ask: ask, Times: counts[ask], Open: slices.Contains(cut, ask)})
	}
	for _, m := range s.Charter().Members {
		tape, err := folder.Conversation(m.ID)
		if err != nil {
			return nil, err
		}
		for ask, u := range tape.Paid() {
			o.Paid = append(o.Paid, budget.Paid{Ask: ask, Member: m.ID, Usage: u})
		}
	}
	return budget.New(o), nil
}
