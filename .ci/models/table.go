package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// row sums the answers of one model to one kind of question in one form.
type row struct {
	asked, first, again, lost int
	seconds                   []float64
	prompt, cached, written   int64
}

func (r *row) add(a answer) {
	r.asked++
	switch {
	case a.Problem == "":
		r.first++
	case a.Fault == nil:
		r.again++
	default:
		r.lost++
	}
	r.seconds = append(r.seconds, a.Seconds)
	r.prompt += a.Usage.PromptTokens()
	r.cached += a.Usage.CachedTokens
	r.written += a.Usage.OutputTokens
}

// share writes a count as a share of all, with both.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d %% (%d of %d)", 100*n/of, n, of)
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// tabulate prints what the answers come to, by model, form and kind, as Markdown.
func (b *bench) tabulate(w io.Writer) {
	rows := map[[3]string]*row{}
	at := func(model string, f form, kind string) *row {
		key := [3]string{model, string(f), kind}
		if rows[key] == nil {
			rows[key] = &row{}
		}
		return rows[key]
	}
	for _, a := range b.answers {
		at(a.Model, a.Form, string(a.Kind)).add(a)
		at(a.Model, a.Form, "all").add(a)
	}
	kinds := []string{"all"}
	for _, k := range council.AskKinds() {
		kinds = append(kinds, string(k))
	}
	if len(rows) > 0 {
		fmt.Fprintln(w, "\n| model | form | question | usable at the first try | after asking again | lost | median s "+
			"| prompt tokens | of these cached | reply tokens |")
		fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	}
	for _, m := range models {
		for _, f := range forms {
			for _, k := range kinds {
				r := rows[[3]string{m.name, string(f), k}]
				if r == nil {
					continue
				}
				fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %d | %.1f | %d | %s | %d |\n", m.name, f, k,
					share(r.first, r.asked), r.again, r.lost, median(r.seconds), r.prompt/int64(r.asked),
					share(int(r.cached), int(r.prompt)), r.written/int64(r.asked))
			}
		}
	}
	b.tabulateSessions(w)
	var faults []string
	for _, a := range b.answers {
		if a.Problem != "" && len(faults) < 40 {
			faults = append(faults, fmt.Sprintf("%s, %s, %s: %s", a.Model, a.Form, a.Kind, a.Problem))
		}
	}
	if len(faults) > 0 {
		fmt.Fprintf(w, "\nFirst tries that could not be used:\n- %s\n", strings.Join(faults, "\n- "))
	}
}
