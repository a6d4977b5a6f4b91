package quorum_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// counted is an election as the library of others takes it: of each ballot the place of each option.
type counted struct {
	Options int     `json:"options"`
	Ballots [][]int `json:"ballots"`
}

// The options that lead in 100,000 elections are those that a library of others finds, which COUNCIL_ELECTIONS leads
// to; see .ci/elections. It looks at the ballots for a defeat alone, so elections in which two defeats differ in those
// against them only are left out.
func TestOthers_AChoiceAgreesWithTheCountOfOthers(t *testing.T) {
	script := os.Getenv("COUNCIL_ELECTIONS")
	if script == "" {
		t.Skip("COUNCIL_ELECTIONS names no script")
	}
	random := rand.New(rand.NewPCG(1, 2))
	var input bytes.Buffer
	var want [][]int
	ties := 0
	for len(want) < 100_000 {
		options, members := 2+random.IntN(6), 3+random.IntN(7)
		e := counted{Options: options}
		var box []quorum.Ranking
		for range members {
			places, ballot := make([]int, options), quorum.Ranking{}
			for _, o := range random.Perm(options) {
				if n := len(ballot); n > 0 && random.IntN(4) == 0 {
					ballot[n-1] = append(ballot[n-1], o)
				} else {
					ballot = append(ballot, []int{o})
				}
				places[o] = len(ballot)
			}
			box, e.Ballots = append(box, ballot), append(e.Ballots, places)
		}
		rule := quorum.Rule{Members: members, Threshold: "0.5", CountOf: quorum.Present}
		got := rule.Choose(options, box)
		paths := quorum.Strongest(got.Prefers, options)
		against := map[int]int{}
		differ := false
		for a := range options {
			for b := range options {
				if with, without := got.Prefers[a][b], got.Prefers[b][a]; with > without {
					if n, known := against[with]; known && n != without {
						differ = true
					}
					against[with] = without
				}
			}
		}
		if differ {
			continue
		}
		// It orders all options by how many they defeat. Of those that nothing defeats it names those that defeat most.
		defeats := make([]int, options)
		for a := range options {
			for b := range options {
				if paths[a][b].For > paths[b][a].For {
					defeats[a]++
				}
			}
		}
		var winners []int
		for o, n := range defeats {
			if n == slices.Max(defeats) {
				winners = append(winners, o)
			}
		}
		if leads := got.Pair[0]; !quorum.Unbeaten(paths, leads) {
			t.Fatalf("%d leads, although an option defeats it", leads)
		}
		if i := slices.IndexFunc(winners, func(o int) bool { return !quorum.Unbeaten(paths, o) }); i >= 0 {
			t.Fatalf("%v defeat most, and %d is defeated", winners, winners[i])
		}
		if len(winners) > 1 {
			ties++
		}
		want = append(want, winners)
		check.OK(t, json.NewEncoder(&input).Encode(e))
	}
	node := exec.Command("node", script)
	node.Stdin, node.Stderr = &input, os.Stderr
	out := check.Get(node.Output())(t)
	lines := bufio.NewScanner(bytes.NewReader(out))
	n := 0
	for ; lines.Scan(); n++ {
		var winners []int
		if err := json.Unmarshal(lines.Bytes(), &winners); err != nil || !slices.Equal(winners, want[n]) {
			t.Fatalf("election %d: %v win, by the library %s", n, want[n], lines.Text())
		}
	}
	check.Is(t, "elections", len(want), n)
	t.Logf("%d elections, %d of them with several winners", n, ties)
}
