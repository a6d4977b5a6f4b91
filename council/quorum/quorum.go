// Package quorum decides whether a count of ballots carries. It knows numbers only.
package quorum

import (
	"math/big"
	"strconv"
)

// Rule is the declared arithmetic of one vote.
type Rule struct {
	Members           int     `json:"members"`           // seats entitled to vote
	Quorum            int     `json:"quorum"`            // valid ballots needed; 0 means a majority of Members
	Threshold         float64 `json:"threshold"`         // in (0, 1], read as the shortest decimal that means it
	AbstainCountsAsNo bool    `json:"abstainCountsAsNo"` // the denominator is all members, else YES + NO
}

// Count is what the ballots say. Members not in it have not been heard yet.
type Count struct {
	Yes     int `json:"yes"`
	No      int `json:"no"`
	Abstain int `json:"abstain"`
	Invalid int `json:"invalid"`
	Absent  int `json:"absent"`
}

// Result is the verdict on a count.
type Result string

// The results. Pending: ballots are outstanding. NoQuorum is not a loss: too few valid ballots were cast to tell.
const (
	Pending  Result = "PENDING"
	Carried  Result = "CARRIED"
	Lost     Result = "LOST"
	NoQuorum Result = "NO_QUORUM"
)

// Valid is the number of ballots that count towards the quorum.
func (c Count) Valid() int { return c.Yes + c.No + c.Abstain }

// Heard is the number of members accounted for.
func (c Count) Heard() int { return c.Valid() + c.Invalid + c.Absent }

// Required is the number of valid ballots that make a quorum.
func (r Rule) Required() int {
	if r.Quorum > 0 {
		return r.Quorum
	}
	return r.Members/2 + 1
}

// Of is the denominator: all members when abstentions count as NO, else those who said YES or NO.
func (r Rule) Of(c Count) int {
	if r.AbstainCountsAsNo {
		return r.Members
	}
	return c.Yes + c.No
}

// Needed is what carries out of a denominator, of ballots or of their weight: more than half at threshold 0.5, at least
// ceil(of × threshold) at any other, and never nothing.
func (r Rule) Needed(of int) int {
	if r.Threshold == 0.5 {
		return of/2 + 1
	}
	// The threshold means the decimal that was written: 0.7 of 10 is 7, though 0.7*10 is a little more in floats.
	threshold, ok := new(big.Rat).SetString(strconv.FormatFloat(r.Threshold, 'g', -1, 64))
	if !ok {
		return of + 1 // NaN or infinite: nothing carries
	}
	product := threshold.Mul(threshold, new(big.Rat).SetInt64(int64(of)))
	needed, rest := new(big.Int).DivMod(product.Num(), product.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		needed.Add(needed, big.NewInt(1))
	}
	return max(1, int(needed.Int64()))
}

// Decide says whether the count carries. A tie fails, and so does every count with no more YES than NO.
func (r Rule) Decide(c Count) Result { return r.verdict(c, c.Yes, c.No, r.Of(c)) }

// verdict hears everybody by heads, asks for a quorum of heads, and then compares the two sides in whatever they count in.
func (r Rule) verdict(c Count, yes, no, of int) Result {
	switch {
	case c.Heard() < r.Members:
		return Pending
	case c.Valid() < r.Required():
		return NoQuorum
	case yes > no && yes >= r.Needed(of):
		return Carried
	}
	return Lost
}
