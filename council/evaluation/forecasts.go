package evaluation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Forecast is how good the forecasts of one condition were before and after the models read one another's reasons: the
// Brier score of their mean, of which less is better.
type Forecast struct {
	Condition string  `json:"condition"`
	Questions int     `json:"questions"`
	Before    float64 `json:"before"`
	After     float64 `json:"after"`
	Change    float64 `json:"change"`
	Low       float64 `json:"low"`  // the 95 % interval of the change: percentiles of 10,000 bootstrap samples of the
	High      float64 `json:"high"` // questions, from a fixed seed
	Split     float64 `json:"split"`
	SplitOnly float64 `json:"splitOnly"` // the score if only split questions are debated
}

// forecast is what the models of one condition forecast on one question, in percent.
type forecast struct {
	condition     string
	resolution    float64 // 0 or 100
	before, after []float64
}

const (
	splitPoints = 20 // a question is split where forecasts lie further apart
	samples     = 10_000
)

// addForecast adds a line of forecasts.
func (r *Recording) addForecast(cells []string) error {
	cell := func(name string) string { return cells[slices.Index(r.head, name)] }
	var percent [2]float64
	for i, name := range []string{"before", "after"} {
		var err error
		if percent[i], err = strconv.ParseFloat(cell(name), 64); err != nil || !(percent[i] >= 0 && percent[i] <= 100) {
			return fmt.Errorf("%s is a number from 0 to 100, not %q", name, cell(name))
		}
	}
	resolution := slices.Index([]string{"0", "1"}, cell("resolution"))
	if resolution < 0 {
		return fmt.Errorf("resolution is 0 or 1, not %q", cell("resolution"))
	}
	of := [2]string{cells[0], cell("condition")}
	if _, known := r.forecastOf[of]; !known {
		r.forecastOf[of] = len(r.forecasts)
		r.forecasts = append(r.forecasts, forecast{condition: of[1], resolution: 100 * float64(resolution)})
	}
	f := &r.forecasts[r.forecastOf[of]]
	f.before, f.after = append(f.before, percent[0]), append(f.after, percent[1])
	return nil
}

// score scores the forecasts of each condition, in the order of the file.
func (r *Recording) score() (all []Forecast) {
	changes := map[string][]float64{}
	for _, f := range r.forecasts {
		at := slices.IndexFunc(all, func(s Forecast) bool { return s.Condition == f.condition })
		if at < 0 {
			at, all = len(all), append(all, Forecast{Condition: f.condition})
		}
		s := &all[at]
		before, after := f.brier(f.before), f.brier(f.after)
		s.Before, s.After, s.SplitOnly = s.Before+before, s.After+after, s.SplitOnly+before
		if slices.Max(f.before)-slices.Min(f.before) > splitPoints {
			s.Split, s.SplitOnly = s.Split+1, s.SplitOnly+after-before
		}
		changes[f.condition] = append(changes[f.condition], after-before)
	}
	for i := range all {
		s := &all[i]
		s.Questions = len(changes[s.Condition])
		for _, sum := range []*float64{&s.Before, &s.After, &s.Split, &s.SplitOnly} {
			*sum /= float64(s.Questions)
		}
		s.Change = s.After - s.Before
		s.Low, s.High = interval(changes[s.Condition])
	}
	return all
}

// brier returns the score of the mean of forecasts.
func (f *forecast) brier(percents []float64) (score float64) {
	for _, p := range percents {
		score += (p - f.resolution) / 100 / float64(len(percents))
	}
	return score * score
}

// interval returns the percentiles 2.5 and 97.5 of the mean in bootstrap samples. The same values give the same.
func interval(values []float64) (low, high float64) {
	r, means := rand.New(rand.NewPCG(1, 0)), make([]float64, samples)
	for i := range means {
		for range values {
			means[i] += values[r.IntN(len(values))] / float64(len(values))
		}
	}
	slices.Sort(means)
	return means[samples/40], means[samples-1-samples/40]
}
