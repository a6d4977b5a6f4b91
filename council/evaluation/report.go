// Package evaluation measures whether deliberating was worth it. From the records of sessions on questions with known
// answers it says how often each member alone, the plurality of their sealed positions, and the whole council were
// right, and the cost of each. It reads questions from bytes, writes a report as JSON and as a page, and knows no
// files: the same records give the same figures.
//
// It also simulates members, and counts how often policies find the right answer: one member, several samples of it, a
// plurality, and whole sessions under the real rules. Each member is right with a probability of its own, drawn anew
// for each question, evenly from Accuracy-Spread to Accuracy+Spread. In a share Correlation of the questions a common
// cause decides for all of them: one number is drawn, and a member is right if its probability lies above it. In the
// others members are right or wrong independently. With equal accuracies the share is the correlation between the
// errors of any two. Samples of one member share its probability, and besides are all the same on a share Repetition
// of the questions, so that their errors correlate more. In a session, a member that has seen the others' answers and
// is asked again (each turn, each ballot after the first) is first corrected, then conforms.
//
// And it plays answers that models gave to questions with known answers, at no call: see [Recording].
//
// It is its own package because it is pure: the command asks the questions and writes the files.
package evaluation

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

const Format = 1 // the version of the JSON report; schemas/evaluation.json describes it

// Report is the result of an evaluation. One of the three is set; only the first two have a page.
type Report struct {
	Format     int         `json:"format"`
	Dataset    *Dataset    `json:"dataset,omitempty"`
	Simulation *Simulation `json:"simulation,omitempty"`
	Recorded   *Recorded   `json:"recorded,omitempty"`
}

// Dataset is the result of a council on questions with known answers.
type Dataset struct {
	File      string   `json:"file"`
	SHA256    string   `json:"sha256"`
	Questions int      `json:"questions"` // in the file
	Wanted    int      `json:"wanted"`    // of these, those that were to be asked
	Council   string   `json:"council"`
	Stopped   string   `json:"stopped,omitempty"` // why not all were asked, in words
	Summary   Summary  `json:"summary"`
	Results   []Result `json:"results"` // in the order of the file
}

// Simulation is the result of simulated voters under each rule.
type Simulation struct {
	Rows []Row `json:"rows"`
}

// JSON returns the report for programs.
func (r *Report) JSON() ([]byte, error) {
	doc, err := json.MarshalIndent(r, "", "  ")
	return append(hostile.JSON(doc), '\n'), err
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"percent":   percent,
	"between":   func(low, high float64) string { return fmt.Sprintf("%.1f to %s", 100*low, percent(high)) },
	"number":    plural.Thousands[int64],
	"cost":      money,
	"bars":      bars,
	"clean":     hostile.Line,
	"unread":    listUnread,
	"rehearsed": hasRehearsal,
	"columns":   func(r Result) int { return len(r.Singles) + 3 }, // the right answer, the plurality, the council
	"base":      path.Base,
	"mark":      func(share float64) float64 { return max(0, 100*share-0.4) },
	"long":      func(n int) int64 { return int64(n) },
}).Parse(pageText))

// HTML returns the report for people. Words of members and data sets are text in it and nothing else.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, r)
	return b.Bytes(), err
}

// bar is one line of the picture, in percent.
type bar struct {
	Name  string
	Share // in words beside it
	X, W  float64
}

// bars returns the shares to be compared: each member alone, their mean, the plurality, the council.
func bars(s Summary) []bar {
	var all []bar
	add := func(name string, share Share) {
		all = append(all, bar{Name: name, Share: share, X: 100 * share.Low, W: 100 * (share.High - share.Low)})
	}
	for _, m := range s.Members {
		add(hostile.Line(string(m.Member))+" alone ("+hostile.Line(m.Model)+")", m.Share)
	}
	add("A member alone, on average", s.Single)
	add("Plurality of the sealed positions", s.Plurality)
	add("The council", s.Council)
	return all
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func money(c Cost) string {
	switch {
	case !c.Known && c.USD > 0:
		return fmt.Sprintf("%.4f and more: some prices are not known", c.USD)
	case !c.Known:
		return "not known"
	}
	return fmt.Sprintf("%.4f", c.USD)
}

func hasRehearsal(s Summary) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool { return strings.HasPrefix(m.Model, "rehearsal/") })
}

// listUnread lists the answers that could not be read, in words.
func listUnread(results []Result) []string {
	var all []string
	for _, r := range results {
		id := hostile.Line(r.Question)
		for _, s := range r.Singles {
			if !s.Readable {
				all = append(all, id+": the sealed position of "+hostile.Line(string(s.Member)))
			}
		}
		switch {
		case !r.Decided:
			all = append(all, id+": the council passed no resolution")
		case !r.Council.Readable:
			all = append(all, id+": the council's resolution")
		}
	}
	return all
}

// ErrStopped means that not all questions were answered; the same evaluation can go on.
var ErrStopped = errors.New("the evaluation stopped")
