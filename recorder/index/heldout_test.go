package index_test

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

var reported = flag.Bool("report", false, "print the figures of recall on the held-out set")

// matters are the matters of twenty fields, seven a field with commas between, each in several wordings: other words,
// other forms of the word, or parts of a compound.
//
//go:embed testdata/matters.txt
var fields string

var matters = strings.Split(strings.TrimSpace(fields), "\n")

var deeds = []string{"replace/swap/exchange", "extend/lengthen/prolong", "outsource/contract out/hand over",
	"postpone/delay/put off", "merge/combine/unify", "abolish/scrap/drop", "introduce/start/bring in",
	"automate/mechanize/automation", "double/expand/increase", "test/try/pilot"}

// held is one session of the held-out set with a question about it in other words.
type held struct {
	docs     []index.Doc
	question string
	decision string // the id of its decision's record
}

// heldOut makes sessions, no two on the same two matters. A speaker words each matter as it likes, and speaks of
// another matter of the field too. The question has other wordings than the topic, in another order.
func heldOut() []held {
	r := rand.New(rand.NewPCG(14, 2))
	var all []held
	for n := range 15 * len(matters) {
		field := strings.Split(matters[n%len(matters)], ", ")
		pair := n / len(matters) // of the 21 pairs of seven
		a := 0
		for pair >= len(field)-1-a {
			pair -= len(field) - 1 - a
			a++
		}
		x, y := strings.Split(field[a], "/"), strings.Split(field[a+1+pair], "/")
		deed := strings.Split(deeds[r.IntN(len(deeds))], "/")
		of := func(wordings []string) string { return wordings[r.IntN(len(wordings))] }
		other := func(wordings []string) string { return wordings[1+r.IntN(len(wordings)-1)] }
		aside := func() string { return of(strings.Split(of(field), "/")) }
		at := day0.AddDate(0, 0, n)
		id := council.SessionID(fmt.Sprintf("%s-held-%06d", at.Format("20060102-150405"), n))
		topic := fmt.Sprintf("Shall we %s the %s, given the %s?", deed[0], x[0], y[0])
		h := held{decision: fmt.Sprintf("r-%012d", n),
			question: fmt.Sprintf("what became of %s and whether to %s our %s", other(y), other(deed), other(x))}
		turn := func(seq int, what, format string, args ...any) {
			member := seq % 5
			h.docs = append(h.docs, index.Doc{ID: fmt.Sprintf("%s.e%d", id, seq), Kind: index.KindTurn, Session: id,
				Topic: topic, What: what, Event: fmt.Sprintf("e%d", seq), Member: council.MemberID(fmt.Sprint("member", member)),
				At: at, Text: fmt.Sprintf(format, args...)})

		}
		for seq := range 5 {
			turn(2+seq, "position", "Before the debate I think of the %s first. To %s it has costs, and the %s is a risk.",
				of(x), of(deed), aside())
		}
		for seq := range 10 {
			turn(10+seq, "contribution", "As others said of the %s, whether we %s it or not, we should decide what it costs, "+
				"who owns it, and what happens to the %s and the %s when it fails.", of(x), of(deed), of(y), aside())
		}
		turn(30, "motion", "We %s the %s in spring, and look at the %s again.", of(deed), of(x), of(y))
		for seq := range 5 {
			turn(40+seq, "ballot", "YES. To %s the %s is what we can afford, and the %s is open.", of(deed), of(x), aside())
		}
		h.docs = append(h.docs, index.Doc{ID: string(id), Kind: index.KindEpisode, Session: id, Topic: topic, At: at,
			Text: topic + "\nThe council carried a motion.\nWe " + of(deed) + " the " + of(x) + " in spring."})
		h.docs = append(h.docs, index.Doc{ID: h.decision, Kind: index.KindRecord, What: index.Decision, Session: id,
			Event: "e31", At: at, Status: "active",
			Text: fmt.Sprintf("Spring: We %s the %s in spring.\nMoved by the second member; carried 4 to 1.", of(deed), of(x))})
		h.docs = append(h.docs, index.Doc{ID: fmt.Sprintf("r-m%011d", n), Kind: index.KindRecord, Session: id, At: at,
			Member: "member1", Status: "active",
			Text: fmt.Sprintf("On “%s” the council resolved “We %s the %s in spring”; it voted YES.", topic, of(deed), of(x))})
		all = append(all, h)
	}
	return all
}

// recallAt returns how many of the questions find their session among the first, the first three and the first ten
// hits, and how many find its decision's own record.
func recallAt(t *testing.T, ix *index.Index, all []held) (at [3]int, decided int) {
	t.Helper()
	for _, h := range all {
		for place, hit := range search(t, ix, index.Query{Text: h.question}).Hits {
			if hit.Session != h.docs[0].Session {
				continue
			}
			for i, k := range []int{1, 3, 10} {
				if place < k {
					at[i]++
				}
			}
			if hit.ID == h.decision {
				decided++
			}
		}
	}
	return at, decided
}

// TestSearch_RecallOfTheHeldOutSet asks 300 questions in other words than the topics of 300 sessions, in the plain
// tests 60 of 120. With -report it asks all and prints the figures.
func TestSearch_RecallOfTheHeldOutSet(t *testing.T) {
	ix := open(t)
	all := heldOut()
	asked := all
	if !counciltest.Long() && !*reported {
		all, asked = all[:120], all[:60]
	}
	var docs []index.Doc
	for _, h := range all {
		docs = append(docs, h.docs...)
	}
	put(t, ix, docs...)
	at, decided := recallAt(t, ix, asked)
	if n := len(asked); at[0]*30 < n*19 || at[1]*30 < n*27 || at[2]*60 < n*59 {
		t.Errorf("of %d questions %d, %d and %d find their session first, among three and among ten", n, at[0], at[1], at[2])
	}
	if !*reported {
		return
	}
	fmt.Printf("of %d questions  at 1  at 3  at 10  by the decision\n", len(asked))
	fmt.Printf("                  %4d  %4d  %5d  %d\n", at[0], at[1], at[2], decided)
}
