package evaluation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Forecast is how good the forecasts of one condition were before and after the models read one another's reasons: the
// Brier score of their mean, of which less is better.
type Forecast struct {
	Condition string  `json:"condition"`
	Questions int     `json:"questions"`
	Model     string  `json:"model,omitempty"` // the best before, of those that forecast every question
	Alone     float64 `json:"alone,omitempty"` // its score
	Before    float64 `json:"before"`
	After     float64 `json:"after"`
	Change    float64 `json:"change"`
	Low       float64 `json:"low"`  // the 95 % interval of the change: percentiles of 10,000 bootstrap samples of the
	High      float64 `json:"high"` // questions, from a fixed seed
	Split     float64 `json:"split"`
	SplitOnly float64 `json:"splitOnly"`
}

// forecast is one line of a file: percentages.
type forecast struct {
	question, condition, model string
	before, after              float64
	resolution                 float64 // 0 or 100
}

const (
	splitPoints = 20 // forecasts that lie further apart are split
	samples     = 10_000
)

// forecastReader returns the function that adds a line of forecasts.
func (r *Recording) forecastReader(head []string) (func(cells []string) error, error) {
	columns := map[string]int{}
	for _, name := range []string{"resolution", "condition", "model", "before", "after"} {
		if columns[name] = slices.Index(head, name); columns[name] < 0 {
			return nil, fmt.Errorf("forecasts need the column %q", name)
		}
	}
	return func(cells []string) error {
		f := forecast{question: cells[0], condition: cells[columns["condition"]], model: cells[columns["model"]]}
		for _, of := range []struct {
			name string
			to   *float64
		}{{"before", &f.before}, {"after", &f.after}} {
			percent, err := strconv.ParseFloat(cells[columns[of.name]], 64)
			if err != nil || !(percent >= 0 && percent <= 100) {
				return fmt.Errorf("%s is a number from 0 to 100, not %q", of.name, cells[columns[of.name]])
			}
			*of.to = percent
		}
		switch cells[columns["resolution"]] {
		case "0":
		case "1":
			f.resolution = 100
		default:
			return fmt.Errorf("resolution is 0 or 1, not %q", cells[columns["resolution"]])
		}
		r.forecasts = append(r.forecasts, f)
		return nil
	}, nil
}

// score scores the forecasts of each condition, in the order of the file.
func (r *Recording) score() *Recorded {
	var conditions []string
	by := map[string][]forecast{}
	questions := map[string]bool{}
	for _, f := range r.forecasts {
		if by[f.condition] == nil {
			conditions = append(conditions, f.condition)
		}
		by[f.condition] = append(by[f.condition], f)
		questions[f.question] = true
	}
	found := &Recorded{Questions: len(questions), Played: len(questions)}
	for _, condition := range conditions {
		found.Forecasts = append(found.Forecasts, scoreCondition(condition, by[condition]))
	}
	return found
}

func scoreCondition(condition string, all []forecast) Forecast {
	slices.SortStableFunc(all, func(a, b forecast) int { return strings.Compare(a.question, b.question) })
	s := Forecast{Condition: condition}
	var changes []float64
	alone := map[string][]float64{} // scores before, by model
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].question == all[0].question {
			n++
		}
		group := all[:n]
		all = all[n:]
		own := map[string][]forecast{}
		low, high := group[0].before, group[0].before
		for _, f := range group {
			own[f.model] = append(own[f.model], f)
			low, high = min(low, f.before), max(high, f.before)
		}
		for model, forecasts := range own {
			before, _ := brier(forecasts)
			alone[model] = append(alone[model], before)
		}
		before, after := brier(group)
		s.Before += before
		s.After += after
		changes = append(changes, after-before)
		s.SplitOnly += before
		if high-low > splitPoints {
			s.Split++
			s.SplitOnly += after - before
		}
	}
	s.Questions = len(changes)
	of := float64(s.Questions)
	for _, sum := range []*float64{&s.Before, &s.After, &s.Split, &s.SplitOnly} {
		*sum /= of
	}
	s.Change = s.After - s.Before
	s.Low, s.High = interval(changes)
	for _, model := range slices.Sorted(maps.Keys(alone)) {
		if score := mean(alone[model]); len(alone[model]) == s.Questions && (s.Model == "" || score < s.Alone) {
			s.Model, s.Alone = model, score
		}
	}
	return s
}

// brier returns the score of the mean of forecasts on one question, before and after.
func brier(forecasts []forecast) (before, after float64) {
	for _, f := range forecasts {
		before += f.before - f.resolution
		after += f.after - f.resolution
	}
	n := 100 * float64(len(forecasts))
	return before / n * before / n, after / n * after / n
}

// interval returns the percentiles 2.5 and 97.5 of the mean in bootstrap samples. The same values give the same.
func interval(values []float64) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 0))
	means := make([]float64, samples)
	for i := range means {
		for range values {
			means[i] += values[r.IntN(len(values))]
		}
		means[i] /= float64(len(values))
	}
	slices.Sort(means)
	return means[samples/40], means[samples-1-samples/40]
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
