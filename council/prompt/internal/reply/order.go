package reply

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// Remarks that name the place of an option, or reject it.
var (
	optionNumber = expression(`(?i)\boption\s*#?(\d{1,2})\b`)
	placeNumber  = expression(`(?i)^(?:(?:rank|place|position|number|no\.?)[:\s]*)?#?(\d{1,2})(?:st|nd|rd|th|\.)?` +
		`(?: (?:place|choice|rank|best))?$`)
	placeWord = expression(`(?i)\b(first|second|third|fourth|fifth|sixth|seventh|eighth|\d(?:st|nd|rd|th)|best|top|` +
		`favou?rite|preferred|winner|worst|last)\b`)
	notWanted = expression(`(?i)\b(?:unacceptable|not acceptable|rejected?|veto(?:ed)?|never)\b`)
)

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}

// remarkFits reports whether a remark on the option at a place, of so many, names no other place.
func remarkFits(remark string, place, places int) bool {
	if m := placeNumber().FindStringSubmatch(remark); m != nil && m[1] != strconv.Itoa(place) {
		return false
	}
	for _, m := range placeWord().FindAllString(remark, -1) {
		word := strings.ToLower(m)
		switch i := slices.Index(ordinals, word); {
		case i >= 0:
			return i+1 == place // "second best" is the second
		case word[0] >= '0' && word[0] <= '9':
			return int(word[0]-'0') == place
		case word == "worst", word == "last":
			return place == places
		default:
			return place == 1
		}
	}
	return true
}

// contradiction returns why the groups are no order, or "". Ranks before options must be 1, 2, 3 … or A, B, C …,
// remarks must fit, and a repeated option must be the same entry again.
func (r *ranking) contradiction() string {
	seen := map[int]pick{}
	last, rejects := -1, false // none of these came before the group
	for i, group := range r.groups {
		for j, one := range group {
			before, again := seen[one.option]
			switch {
			case again && (last != one.option || council.StanceOf(before.said) != council.StanceOf(one.said)):
				return "The option " + quoted(r.all[one.option]) + " is named twice, in different ways."
			case r.groups[0][0].rank == "" && one.rank != "", j > 0 && one.rank != "",
				j == 0 && r.groups[0][0].rank != "" && !isRank(one.rank, r.groups[0][0].rank, i+1):
				return "The number or the letter before " + quoted(one.said) + " is not that of its place."
			case !remarkFits(one.remark, i+1, len(r.groups)),
				notWanted().MatchString(one.remark) && !rejects:
				return "The remark in " + quoted(one.said) + " contradicts its place."
			}
			seen[one.option], last = one, one.option
		}
		_, rejects = seen[len(r.all)-1]
	}
	return ""
}

// isRank reports whether a rank is that of a place, in the series of the first rank.
func isRank(rank, first string, place int) bool {
	return first == "1" && rank == strconv.Itoa(place) ||
		strings.EqualFold(first, "A") && rank == string(rune(first[0])+rune(place-1))
}

func (r *ranking) ranks() (ranks council.Ranks) {
	done := map[int]bool{}
	for _, group := range r.groups {
		var options []string
		for _, one := range group {
			if !done[one.option] {
				done[one.option], options = true, append(options, r.all[one.option])
			}
		}
		if options != nil {
			ranks = append(ranks, options)
		}
	}
	return ranks
}
