// Package quorum decides whether a count of ballots carries. It knows numbers only.
package quorum

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Rule is the declared arithmetic of one vote.
type Rule struct {
	Members   int     `json:"members"`   // seats entitled to vote
	Quorum    int     `json:"quorum"`    // valid ballots needed; 0 means a majority of Members
	Threshold Share   `json:"threshold"` // more than half at one half, else at least so much
	CountOf   CountOf `json:"countOf"`   // the denominator
}

// CountOf names who makes up the denominator of a vote.
type CountOf string

// The denominators. Only under Members does it count against a motion that a member cannot be heard.
const (
	Members CountOf = "members" // all members
	Present CountOf = "present" // members with a valid ballot: YES, NO and ABSTAIN
	Cast    CountOf = "cast"    // YES and NO
)

// Count sums up ballots. Members not in it have not been heard yet.
type Count struct {
	Yes     int `json:"yes"`
	No      int `json:"no"`
	Abstain int `json:"abstain"`
	Invalid int `json:"invalid"`
	Absent  int `json:"absent"`
}

// Result is the verdict on a count.
type Result string

// The results. Pending: ballots are outstanding. NoQuorum is not a loss: too few valid ballots were cast.
const (
	Pending  Result = "PENDING"
	Carried  Result = "CARRIED"
	Lost     Result = "LOST"
	NoQuorum Result = "NO_QUORUM"
)

// Valid returns the number of ballots that count towards the quorum.
func (c Count) Valid() int { return c.Yes + c.No + c.Abstain }

// Words returns the count in words: "3 YES, 1 NO, 1 ABSENT".
func (c Count) Words() string {
	words := fmt.Sprintf("%d YES, %d NO", c.Yes, c.No)
	for _, rest := range []struct {
		n    int
		what string
	}{{c.Abstain, "ABSTAIN"}, {c.Invalid, "INVALID"}, {c.Absent, "ABSENT"}} {
		if rest.n > 0 {
			words += fmt.Sprintf(", %d %s", rest.n, rest.what)
		}
	}
	return words
}

// Heard returns the number of members accounted for.
func (c Count) Heard() int { return c.Valid() + c.Invalid + c.Absent }

// Required returns the number of valid ballots that make a quorum.
func (r Rule) Required() int {
	if r.Quorum > 0 {
		return r.Quorum
	}
	return r.Members/2 + 1
}

// Of returns the denominator of a count.
func (r Rule) Of(c Count) int {
	switch r.CountOf {
	case Members:
		return r.Members
	case Present:
		return c.Valid()
	}
	return c.Yes + c.No
}

// Needed returns the number of YES that carries out of a denominator: more than half at a threshold of one half, the
// threshold's part of it rounded up at any other, and never none. Under a threshold that is not valid nothing carries.
func (r Rule) Needed(of int) int {
	switch {
	case r.Threshold.Half():
		return of/2 + 1
	case !r.Threshold.Valid():
		return of + 1
	}
	return max(1, r.Threshold.of(of))
}

// Decide reports whether the count carries. A tie fails, and so does every count with no more YES than NO.
func (r Rule) Decide(c Count) Result {
	switch {
	case c.Heard() < r.Members:
		return Pending
	case c.Valid() < r.Required():
		return NoQuorum
	case c.Yes > c.No && c.Yes >= r.Needed(r.Of(c)):
		return Carried
	}
	return Lost
}

// Words describes the YES that a vote needs, and their number when every member votes.
func (r Rule) Words() string {
	needed, more := r.Needed(r.Members), ""
	if r.Needed(100) <= 50 {
		more = ", and more YES than NO"
	}
	switch {
	case r.CountOf == Members:
		return fmt.Sprintf("%d YES of %d members%s", needed, r.Members, more)
	case r.CountOf == Present:
		return fmt.Sprintf("YES on %s of the valid ballots (%d of %d when all vote)%s", r.Threshold.Words(), needed,
			r.Members, more)
	case r.Threshold.Half():
		return "more YES than NO"
	}
	return fmt.Sprintf("YES on %s of the YES and NO ballots (%d of %d when all take a side)%s", r.Threshold.Words(),
		needed, r.Members, more)
}

// Share is the part of a denominator that a vote needs: a decimal such as "0.6" or a fraction such as "2/3". It is
// exact: two of three are "2/3" and less than "0.67". In JSON a decimal is a number, a fraction a text.
type Share string

// form is how a share is written, so that equal decimals are equal texts, up to maxShare, the length of a float64.
var form = regexp.MustCompile(`^(0\.[0-9]*[1-9]|1|[1-9][0-9]{0,3}/[1-9][0-9]{0,3})$`)

const maxShare = 333 // a count within form would be compiled at every start of the program, at a millisecond

var errShare = errors.New(`a share is a number, or a fraction as text such as "2/3"`)

// UnmarshalJSON reads a share, where a decimal is a number and a fraction a text. See [Share.Valid] for its range.
func (s *Share) UnmarshalJSON(doc []byte) error {
	var number float64
	var text string
	switch {
	case string(doc) == "null":
		return errShare
	case json.Unmarshal(doc, &number) == nil:
		text = strconv.FormatFloat(number, 'f', -1, 64)
	case json.Unmarshal(doc, &text) != nil || Share(text).isDecimal():
		return errShare
	}
	*s = Share(text)
	return nil
}

// MarshalJSON writes a decimal as a number and everything else as a text.
func (s Share) MarshalJSON() ([]byte, error) {
	if s.isDecimal() {
		return []byte(s), nil
	}
	return json.Marshal(string(s))
}

// Valid reports whether the share can be read and is more than 0 and at most 1.
func (s Share) Valid() bool {
	r := s.rational()
	return r.Sign() > 0 && r.Cmp(big.NewRat(1, 1)) <= 0
}

// Half reports whether the share is one half, at which a vote needs more than that.
func (s Share) Half() bool {
	return s == "0.5" || s.isFraction() && s.rational().Cmp(big.NewRat(1, 2)) == 0
}

// BelowHalf reports whether the share is valid and less than one half, so that less than a majority carries.
func (s Share) BelowHalf() bool { return s.Valid() && s.rational().Cmp(big.NewRat(1, 2)) < 0 }

// All reports whether the share is the whole denominator.
func (s Share) All() bool {
	return s == "1" || s.isFraction() && s.rational().Cmp(big.NewRat(1, 1)) == 0
}

// Words describes the share: "more than half", "all", "at least 2/3" or "at least 67 %".
func (s Share) Words() string {
	switch {
	case s.Half():
		return "more than half"
	case s.All():
		return "all"
	case s.isFraction():
		return "at least " + string(s)
	}
	part, _ := strconv.ParseFloat(string(s), 64)
	return "at least " + strconv.FormatFloat(100*part, 'g', 4, 64) + " %"
}

func (s Share) isDecimal() bool    { return !s.isFraction() && s.isWellFormed() }
func (s Share) isWellFormed() bool { return len(s) <= maxShare && form.MatchString(string(s)) }
func (s Share) isFraction() bool   { return strings.Contains(string(s), "/") }

// rational returns the exact value; 0 for a share that cannot be read.
func (s Share) rational() *big.Rat {
	r := new(big.Rat)
	if s.isWellFormed() {
		r.SetString(string(s))
	}
	return r
}

// of returns the share of a denominator, rounded up.
func (s Share) of(n int) int {
	product := new(big.Rat).Mul(s.rational(), big.NewRat(int64(n), 1))
	before := new(big.Int).Sub(product.Num(), big.NewInt(1))
	return int(before.Div(before, product.Denom()).Int64()) + 1
}
