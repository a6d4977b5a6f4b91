package reply

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// missingAnswer parses the name of an answer that the options lack. Words that cannot be an option name none.
func (o object) missingAnswer(options []string) string {
	named := o.text("missing")
	if _, problem := council.OptionProblem(append(slices.Clone(options), named)); problem != "" || saysNone(named) {
		return ""
	}
	return named
}

// saidLines parses a list of texts, without entries that say that there is none.
func (o object) saidLines(field string) []string { return slices.DeleteFunc(o.lines(field), saysNone) }

// answers parses a leader's proposal. heldBy names a position by its author's id or name. A position that is listed
// with no answer belongs to the one in the words of its stance, and to the only one there is.
func (o object) answers(v council.View) council.Answers {
	called := func(m council.MemberID) string { return v.Charter.Member(m).Name }
	b := council.Answers{Crux: o.text("crux"), Text: o.needed("text"), Summary: o.summary(v)}
	for _, a := range o.objectsWithWords("answers", "answer") {
		one := council.Held{Answer: strings.TrimRight(strings.Join(strings.Fields(a.text("answer")), " "), ".")}
		for _, name := range a.lines("heldBy") {
			if id := memberCalled(v.Charter, name); id != "" {
				one.HeldBy = append(one.HeldBy, id)
			} else {
				o.fail("heldBy", "There is no position %q; heldBy lists some of %s.", Shorten(name, 60),
					strings.Join(council.Map(v.Positions, called), ", "))
			}
		}
		b.Answers = append(b.Answers, one)
	}
	for _, m := range v.Positions {
		named := func(a council.Held) bool { return slices.Contains(a.HeldBy, m) }
		alike := func(a council.Held) bool { return council.StanceOf(a.Answer) == stanceOf(v, m) }
		at := slices.IndexFunc(b.Answers, alike)
		if len(b.Answers) == 1 {
			at = 0
		}
		if at >= 0 && !slices.ContainsFunc(b.Answers, named) {
			b.Answers[at].HeldBy = append(b.Answers[at].HeldBy, m)
		}
	}
	cut, _ := council.Shorten(b)
	if problem := cut.(council.Answers).Problem(v.Positions, called); problem != "" {
		o.fail("answers", "%s.", problem)
	}
	return b
}

func stanceOf(v council.View, m council.MemberID) (stance council.Stance) {
	for e, p := range council.Payloads[council.PositionSealed](v.Events) {
		if e.Actor == m {
			stance = council.StanceOf(p.Stance)
		}
	}
	return stance
}

// candidateCalled returns a member by id, by name, or by either with a role behind it, or "".
func candidateCalled(c *council.Charter, named string) council.MemberID {
	id := memberCalled(c, named)
	if name, role, ok := strings.Cut(strings.TrimSuffix(named, ")"), " ("); ok && id == "" && memberCalled(c, role) == "" {
		id = memberCalled(c, name)
	}
	return id
}

// second parses whether a motion is seconded, and the member's side, where those are asked for.
func (o object) second(v council.View) council.Body {
	g := v.Phase.Governance
	b := council.Second{Rationale: o.text("rationale")}
	if g.Debate {
		stands := []string{string(council.StandSupport), string(council.StandOppose)}
		if g.Amends() && len(v.Motion.Options) == 0 {
			stands = append(stands, string(council.StandAmend))
		}
		if !g.RequireSeconding || !o.none("stand") || !o.yes("second") { // else it seconds, and takes no side
			b.Stand = council.Stand(o.verdict("stand", stands...))
		}
	}
	if b.Stand == council.StandAmend {
		b.Amendment = o.amendment(v)
	}
	if g.RequireSeconding || !g.Debate {
		if o.none("second") {
			o.missing("second")
		}
		b.Second = o.yes("second")
	}
	return b
}

// amendment parses an amendment and applies it to the motion.
func (o object) amendment(v council.View) *council.Amendment {
	given := o.objects("amendment", "strike")
	if len(given) == 0 {
		o.missing("amendment")
		return nil
	}
	in := given[0]
	a := council.Amendment{Strike: strings.TrimSpace(in.text("strike")), Insert: strings.TrimSpace(in.text("insert"))}
	for _, s := range in.objects("substitute", "motionText") {
		if s.text("motionText") != "" { // else filled because every field had to be named
			w := s.wording()
			a.Substitute = &w
		}
	}
	was := v.Motion.Wording()
	amended, problem := was.Amended(a)
	if problem == council.NoSuchWords {
		o.fail("amendment", "The words to strike must stand in the motion as they are; %s do not. The nearest are: %s.",
			quoted(Shorten(a.Strike, 200)), nearest(a.Strike, was.MotionTitle, was.MotionText, was.DecisionIfPass))
	} else if problem != "" {
		o.fail("amendment", "It cannot be taken so: %s.", problem)
	}
	o.notLost(v, "amendment", amended, nil)
	return &a
}

func (o object) notLost(v council.View, field string, w council.Wording, options []string) {
	if lost := council.LostBefore(v.Events, w, options); lost > 0 {
		o.fail(field, "A motion that says the same was lost already (%s), and is not voted on again. Change what it "+
			"decides, or do something else.", lost.ID())
	}
}

// wording parses a motion. The default title is its first line, the default decision its text.
func (o object) wording() council.Wording {
	w := council.Wording{MotionText: o.bounded("motionText", council.MaxMotion), MotionTitle: o.text("motionTitle")}
	if w.MotionTitle == "" {
		w.MotionTitle, _, _ = strings.Cut(w.MotionText, "\n")
	}
	if w.DecisionIfPass = w.MotionText; o.text("decisionIfPass") != "" {
		w.DecisionIfPass = o.bounded("decisionIfPass", council.MaxDecision)
	}
	return w
}

// amend parses the amendments that the mover accepts, or another member seconds, without the member's own.
func (o object) amend(v council.View) council.Body {
	if o.none("amendments", "withdraw") {
		o.missing("amendments")
	}
	b := council.Amend{Rationale: o.text("rationale")}
	known := council.Map(v.Proposed, func(p council.Proposal) string { return string(p.ID) })
	for _, entry := range o.lines("amendments") {
		if saysNone(entry) {
			continue
		}
		named, beside := events.FindAllString(entry, -1), events.ReplaceAllString(entry, "")
		if named == nil || !besideIDs().MatchString(beside) {
			o.fail("amendments", "The entry %q is not the id of an amendment alone; they are %s.", Shorten(entry, 100),
				strings.Join(known, ", "))
		}
		for _, id := range named {
			switch i := slices.Index(known, id); {
			case i < 0:
				o.fail("amendments", "There is no amendment %s; they are %s.", id, strings.Join(known, ", "))
			case v.Proposed[i].By != v.Ask.Member && !slices.Contains(b.Amendments, v.Proposed[i].ID):
				b.Amendments = append(b.Amendments, v.Proposed[i].ID)
			}
		}
	}
	b.Withdraw = o.yes("withdraw") && v.Motion.Mover == v.Ask.Member
	return b
}

// besideIDs matches words beside the ids of amendments, such as a name.
var besideIDs = expression(`^(?:\W|_|(?i:and|amendments?|events?)\b|(?i:by)(?: \p{Lu}[\pL\pM'-]*){1,3}\b)*$`)

// nearest returns the row of words in the texts that is most similar to the sought one, by pairs of letters.
func nearest(sought string, texts ...string) string {
	pairs := func(s string) map[string]int {
		counts, runes := map[string]int{}, []rune(strings.ToLower(s))
		for i := range max(0, len(runes)-1) {
			counts[string(runes[i:i+2])]++
		}
		return counts
	}
	want, best, found := pairs(sought), -1, ""
	for _, text := range texts {
		words := strings.Fields(text)
		n := min(len(words), len(strings.Fields(sought)))
		for i := range len(words) - n + 1 {
			passage := strings.Join(words[i:i+n], " ")
			common := 0
			for pair, count := range pairs(passage) {
				common += min(count, want[pair])
			}
			if common > best {
				best, found = common, passage
			}
		}
	}
	return quoted(Shorten(found, 400))
}
