// Package quorum decides whether a count of ballots carries. It knows numbers only.
package quorum

import "fmt"

// Rule is the declared arithmetic of one vote.
type Rule struct {
	Members   int     `json:"members"`   // seats entitled to vote
	Quorum    int     `json:"quorum"`    // valid ballots needed; 0 means a majority of Members
	Threshold Share   `json:"threshold"` // more than half of the denominator at one half, else at least so much of it
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

// Words tells what a vote needs, and how many YES that is when every member votes.
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
