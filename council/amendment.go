package council

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Stand is a member's opinion of a motion in the debate on it.
type Stand string

// The stands.
const (
	StandSupport Stand = "SUPPORT"
	StandOppose  Stand = "OPPOSE"
	StandAmend   Stand = "AMEND"
)

// Amends reports whether members may propose amendments to motions.
func (g Governance) Amends() bool { return g.Debate && g.MaxAmendments > 0 }

// AmendmentID names an amendment by the event that proposed it, such as "e14".
type AmendmentID string

// Amendment is a change to a motion: words to strike throughout it, and their replacement, or a substitute for the
// whole motion.
type Amendment struct {
	Strike     string   `json:"strike,omitempty" text:"said"`
	Insert     string   `json:"insert,omitempty" text:"said"`
	Substitute *Wording `json:"substitute,omitempty"`
}

// Wording holds the words of a motion.
type Wording struct {
	MotionTitle    string `json:"motionTitle" text:"short"`
	MotionText     string `json:"motionText" text:"said"`
	DecisionIfPass string `json:"decisionIfPass" text:"said"` // the decision if it carries
}

// Proposal is an amendment before the council.
type Proposal struct {
	ID AmendmentID
	By MemberID
	Amendment
}

// The longest texts of a motion, in characters.
const (
	MaxTitle    = 200
	MaxMotion   = 8_000
	MaxDecision = 4_000
)

// Amended returns the amended motion. The problem, such as [NoSuchWords], says why it cannot be amended so, or is "".
func (w Wording) Amended(a Amendment) (amended Wording, problem string) {
	switch {
	case (a.Strike == "") == (a.Substitute == nil):
		return w, "an amendment has either words to strike or a substitute"
	case a.Substitute != nil:
		amended = *a.Substitute
	default:
		amended.MotionTitle = replaceWords(w.MotionTitle, a.Strike, a.Insert)
		amended.MotionText = replaceWords(w.MotionText, a.Strike, a.Insert)
		amended.DecisionIfPass = replaceWords(w.DecisionIfPass, a.Strike, a.Insert)
	}
	long := func(text string, most int) bool { return utf8.RuneCountInString(text) > most }
	blank := func(text string) bool { return strings.TrimSpace(text) == "" }
	switch {
	case amended == w && a.Strike != a.Insert && a.Substitute == nil:
		return w, NoSuchWords
	case amended == w && !strings.Contains(w.MotionText, ForgottenMark):
		return w, "it changes nothing"
	case blank(amended.MotionTitle), blank(amended.MotionText), blank(amended.DecisionIfPass):
		return w, "it leaves a title, a text or a decision without words"
	case long(amended.MotionTitle, MaxTitle), long(amended.MotionText, MaxMotion),
		long(amended.DecisionIfPass, MaxDecision):
		return w, "the motion would be longer than a motion may be"
	}
	return amended, ""
}

// NoSuchWords is the problem of an amendment whose words to strike are not in the motion.
const NoSuchWords = "the words to strike do not stand in the motion"

// replaceWords replaces words wherever they are whole words. Without a replacement, the space before them goes too.
func replaceWords(text, strike, insert string) string {
	within := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	first, _ := utf8.DecodeRuneInString(strike)
	last, _ := utf8.DecodeLastRuneInString(strike)
	var b strings.Builder
	done := 0
	for from := 0; ; {
		at := strings.Index(text[from:], strike)
		if at < 0 {
			return b.String() + text[done:]
		}
		at += from
		from = at + len(strike)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[from:])
		if within(before) && within(first) || within(last) && within(after) {
			continue
		}
		kept := text[done:at]
		if insert == "" {
			kept = strings.TrimSuffix(kept, " ")
		}
		b.WriteString(kept + insert)
		done = from
	}
}

// comparedForm returns the motion in the form in which it is compared: its text and its decision, or the options of a
// choice in any order. It is nil where words of it were forgotten.
func comparedForm(w Wording, options []string) []Stance {
	texts := options
	if len(options) == 0 {
		texts = []string{w.MotionText, w.DecisionIfPass}
	}
	if strings.Contains(strings.Join(texts, "\n"), ForgottenMark) {
		return nil
	}
	forms := Map(texts, StanceOf)
	if len(options) > 0 {
		slices.Sort(forms)
	}
	return forms
}

// LostBefore returns the event that decided that a motion is lost which says the same: text and decision, or all
// options, differ in case, punctuation and spaces at most. Without one it is 0.
func LostBefore(log []Event, w Wording, options []string) Seq {
	want := comparedForm(w, options)
	for _, m := range foldMotions(log) {
		if m.lost > 0 && want != nil && (len(options) == 0) == (len(m.options) == 0) &&
			slices.Equal(comparedForm(m.Wording, m.options), want) {
			return m.lost
		}
	}
	return 0
}
