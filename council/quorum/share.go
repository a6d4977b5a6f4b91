package quorum

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Share is the part of a denominator that a vote needs: a decimal such as "0.6" or a fraction such as "2/3". It means
// exactly what it says: two of three are "2/3" and less than "0.67". In JSON a decimal is a number, a fraction a text.
type Share string

// form is how a share is written, so that equal decimals are equal texts, if it is not longer than maxShare, the length
// of a float64.
var form = regexp.MustCompile(`^(0\.[0-9]*[1-9]|1|[1-9][0-9]{0,3}/[1-9][0-9]{0,3})$`)

const maxShare = 333 // a count within form would be compiled at every start of the program, at a millisecond

var errShare = errors.New(`a share is a number, or a fraction as text such as "2/3"`)

// ReadShare reads a share from its JSON, where a decimal is a number and a text is anything else. It does not check
// what the text says or that a number lies between 0 and 1: see [Share.Valid].
func ReadShare(doc []byte) (Share, error) {
	var number float64
	if json.Unmarshal(doc, &number) == nil && string(doc) != "null" {
		return Share(strconv.FormatFloat(number, 'f', -1, 64)), nil
	}
	var text string
	if err := json.Unmarshal(doc, &text); err != nil || string(doc) == "null" || Share(text).isDecimal() {
		return "", errShare
	}
	return Share(text), nil
}

// UnmarshalJSON reads a share as [ReadShare] does.
func (s *Share) UnmarshalJSON(doc []byte) (err error) {
	*s, err = ReadShare(doc)
	return err
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

// All reports whether the share is the whole denominator.
func (s Share) All() bool {
	return s == "1" || s.isFraction() && s.rational().Cmp(big.NewRat(1, 1)) == 0
}

// Words tells what is needed of a denominator: "more than half", "all", "at least 2/3" or "at least 67 %".
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

func (s Share) isDecimal() bool { return !s.isFraction() && s.written() }

func (s Share) written() bool { return len(s) <= maxShare && form.MatchString(string(s)) }

func (s Share) isFraction() bool { return strings.Contains(string(s), "/") }

// rational returns the exact value; 0 for a share that cannot be read.
func (s Share) rational() *big.Rat {
	r := new(big.Rat)
	if s.written() {
		r.SetString(string(s))
	}
	return r
}

// of returns the share of a denominator, rounded up.
func (s Share) of(n int) int {
	product := s.rational()
	product.Mul(product, new(big.Rat).SetInt64(int64(n)))
	up := new(big.Int).Add(product.Num(), product.Denom())
	up.Sub(up, big.NewInt(1)).Quo(up, product.Denom())
	return int(up.Int64())
}
