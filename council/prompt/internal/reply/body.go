package reply

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
)

// verdicts are the fields with a member's vote or action. Contradictory ones are refused.
var verdicts = map[council.AskKind]string{council.AskNominate: "candidateId", council.AskTurn: "action",
	council.AskSecond: "second", council.AskBallot: "ballot", council.AskRank: "ranking"}

// body parses the fields of an answer to the view's ask.
func body(v council.View, fields map[string]any) (council.Body, error) {
	var problem error
	o := object{in: fields, problem: &problem}
	b := o.body(v)
	if field := verdicts[v.Ask.Kind]; problem == nil && field != "" && differs(fields, field, fields[field]) {
		problem = givenTwice(field)
	}
	if problem != nil {
		return nil, problem
	}
	return b, nil
}

func (o object) body(v council.View) council.Body {
	switch v.Ask.Kind {
	case council.AskPosition:
		options := v.Charter.Options
		if len(v.Options) > 0 { // of a spare
			options = v.Options
		}
		ranks, unread := o.sealedRanking(options)
		return council.Position{Position: o.needed("position"), Confidence: o.share("confidence"),
			Overlooked: o.lines("overlooked"), Stance: o.text("stance"), Ranking: ranks, UnreadRanking: unread,
			CandidateID: candidateCalled(v.Charter, o.text("candidateId")), Counter: o.text("counter"),
			ChangeMind: o.text("changeMind"), Missing: o.missingAnswer(options)}
	case council.AskPropose:
		return o.answers(v)
	case council.AskNominate:
		named := o.needed("candidateId")
		n := council.Nomination{Rationale: o.text("rationale"), CandidateID: candidateCalled(v.Charter, named)}
		if n.CandidateID == "" {
			o.fail("candidateId", "There is no member %q; candidateId is one of %s.", Shorten(named, 60), memberIDs(v.Charter))
		}
		return n
	case council.AskTurn:
		return o.turn(v)
	case council.AskReply:
		return council.Answer{Answer: o.needed("answer")}
	case council.AskSecond:
		return o.second(v)
	case council.AskAmend:
		return o.amend(v)
	case council.AskBallot:
		return council.Ballot{Rationale: o.text("rationale"),
			Ballot: council.Choice(o.verdict("ballot", "YES", "NO", "ABSTAIN")), Stance: o.text("stance"),
			CriticalBlockers: o.blockers()}
	case council.AskRank:
		return council.Ranked{Rationale: o.text("rationale"), Ranking: o.ranking(v.Motion.Options),
			Blockers: o.saidLines("blockers"), Missing: o.missingAnswer(v.Motion.Options)}
	case council.AskAssess:
		return o.assessment()
	case council.AskSummary:
		return o.summary(v)
	case council.AskReview:
		return o.review()
	case council.AskDissent:
		if o.none("dissent") {
			o.missing("dissent")
		}
		d := council.Dissent{Dissent: o.text("dissent"), CriticalBlockers: o.blockers()}
		if saysNone(d.Dissent) {
			d.Dissent = ""
		}
		return d
	}
	*o.problem = badReply("There is no answer to a question of kind %q.", v.Ask.Kind)
	return nil
}

// memberCalled returns the only member with this id or name, or "".
func memberCalled(c *council.Charter, name string) (id council.MemberID) {
	name = strings.TrimSpace(name)
	for _, m := range c.Members {
		if called := sameName(string(m.ID), name) || sameName(m.Name, name); called && id != "" {
			return ""
		} else if called {
			id = m.ID
		}
	}
	return id
}

// candidateCalled returns a member by id, by name, or by either with a role behind it, or "".
func candidateCalled(c *council.Charter, named string) council.MemberID {
	id := memberCalled(c, named)
	if name, role, ok := strings.Cut(strings.TrimSuffix(named, ")"), " ("); ok && id == "" && memberCalled(c, role) == "" {
		id = memberCalled(c, name)
	}
	return id
}

// sameName compares two names, ignoring the case of ASCII letters.
func sameName(a, b string) bool {
	foreign := func(r rune) bool { return r > unicode.MaxASCII }
	return a == b || strings.EqualFold(a, b) && !strings.ContainsFunc(a+b, foreign)
}

// turn parses the fields of the chosen action alone: some providers make models fill every field.
func (o object) turn(v council.View) council.Turn {
	actions := []string{"CONTRIBUTE", "PASS"}
	if v.Options == nil {
		actions = append(actions, "CALL_VOTE")
	}
	if v.Phase.Governance.Choices && !v.Blind() && v.Options == nil {
		actions = append(actions, "CALL_CHOICE")
	}
	if v.MayAdd {
		actions = append(actions, "ADD_OPTION")
	}
	if v.MayAsk {
		actions = append(actions, "ASK")
	}
	t := council.Turn{Action: council.Action(o.verdict("action", actions...))}
	switch t.Action {
	case council.ActionContribute:
		t.Message = o.needed("message")
	case council.ActionAddOption:
		t.Message, t.Option = o.needed("message"), strings.TrimSpace(o.needed("option"))
		if _, problem := council.OptionProblem(append(slices.Clone(v.Options), t.Option)); problem != "" {
			o.fail("option", "It cannot be added: %s.", problem)
		}
	case council.ActionPass:
		t.Reason, t.Note = o.text("reason"), o.text("note")
	case council.ActionCallVote:
		w := o.wording()
		t.MotionTitle, t.MotionText, t.DecisionIfPass = w.MotionTitle, w.MotionText, w.DecisionIfPass
		o.notLost(v, "motionText", w, nil)
		t.Supersedes = o.supersedes(v)
	case council.ActionAsk:
		t.To, t.Question = o.asked(v), o.needed("question")
	case council.ActionCallChoice:
		t.MotionTitle, t.MotionText, t.Options = o.needed("motionTitle"), o.text("motionText"), o.lines("options")
		if _, problem := council.OptionProblem(t.Options); problem != "" {
			o.fail("options", "These are no options of a choice: %s.", problem)
		}
		o.notLost(v, "options", council.Wording{}, t.Options)
	}
	return t
}

// supersedes parses the motions in force that are replaced. Where there are none, the field is ignored.
func (o object) supersedes(v council.View) (replaced []council.MotionID) {
	if len(v.Standing) == 0 {
		return nil
	}
	stand := standing(v, func(p council.MotionMade) council.MotionID { return p.Motion })
	for _, name := range o.lines("supersedes") {
		id := council.MotionNamed(v.Events, name)
		if !slices.Contains(v.Standing, id) {
			o.fail("supersedes", "%q is no motion that stands; those that do are %s.", Shorten(name, 60),
				strings.Join(stand, ", "))
		} else if !slices.Contains(replaced, id) {
			replaced = append(replaced, id)
		}
	}
	return replaced
}

func (o object) asked(v council.View) council.MemberID {
	named := o.needed("to")
	id := memberCalled(v.Charter, named)
	if id == "" && sameName(named, string(council.Convener)) {
		return council.Convener
	}
	if id == "" || id == v.Ask.Member {
		o.fail("to", "It must be another member, not %q: one of %s.", Shorten(named, 60), memberIDs(v.Charter))
	}
	return id
}

func (o object) assessment() council.Assessment {
	if o.none("deliverables", "qualityGates", "assumptions", "risks", "constraints", "citations") {
		o.missing("deliverables")
	}
	a := council.Assessment{Deliverables: o.claims("deliverables"), QualityGates: o.claims("qualityGates"),
		Assumptions: o.lines("assumptions"), Constraints: o.lines("constraints"), Citations: o.lines("citations")}
	for _, r := range o.objectsWithWords("risks", "risk") {
		a.Risks = append(a.Risks, council.Risk{Risk: r.text("risk"), Mitigation: r.text("mitigation")})
	}
	return a
}

// claims skips claims without an id.
func (o object) claims(field string) []council.Claim {
	return council.Map(o.objectsWithWords(field, "id"), func(c object) council.Claim {
		return council.Claim{ID: c.text("id"), Claim: c.text("claim"), Citations: c.lines("citations"), Met: c.yes("met")}
	})
}

func (o object) summary(v council.View) council.Summary {
	s := council.Summary{SummaryMarkdown: o.needed("summaryMarkdown"), RequiresExecution: o.yes("requiresExecution"),
		Undecided: o.undecided(v)}
	unsaid := o.none("requiresExecution") && !v.Undecided
	for _, b := range o.objects("executionBrief", "objective") {
		brief := b.brief(v.Charter)
		if unsaid && b.text("objective") != "" && len(brief.Steps) > 0 {
			s.RequiresExecution = true
		}
		if !s.RequiresExecution && b.text("objective") == "" && len(brief.Steps) == 0 {
			continue // filled because every field had to be named
		}
		if len(brief.Steps) == 0 {
			b.missing("steps")
		}
		brief.Objective = b.bounded("objective", council.MaxDecision)
		s.ExecutionBrief = &brief
	}
	if s.RequiresExecution && s.ExecutionBrief == nil {
		o.missing("executionBrief")
	}
	for _, entry := range o.objectsWithWords("settles", "record") {
		if how := entry.choice("how", "RESOLVED", "SUPERSEDED"); how != "" { // else it settles nothing
			s.Settles = append(s.Settles, council.Settlement{Record: entry.text("record"),
				How: council.SettlementHow(how), Because: entry.text("because")})
		}
	}
	return s
}

// undecided parses the substitute for a decision: the first of its forms with words.
func (o object) undecided(v council.View) *council.Undecided {
	for _, u := range o.objects("undecided", "question") {
		var all []council.Alternative
		for _, a := range u.objectsWithWords("alternatives", "answer") {
			called := func(name string) council.MemberID { return memberCalled(v.Charter, name) }
			alternative := council.Alternative{Answer: a.text("answer"), RightIf: a.text("rightIf"),
				HeldBy: council.Map(a.lines("heldBy"), called)}
			alternative.HeldBy = slices.DeleteFunc(alternative.HeldBy, func(id council.MemberID) bool { return id == "" })
			if !slices.ContainsFunc(all, func(b council.Alternative) bool { return b.Answer == alternative.Answer }) {
				all = append(all, alternative)
			}
		}
		if len(all) > 0 {
			return &council.Undecided{Alternatives: all}
		}
		if question := u.text("question"); question != "" {
			return &council.Undecided{Question: question}
		}
		for _, i := range u.objectsWithWords("investigation", "measure") {
			return &council.Undecided{Investigation: &council.Investigation{
				Measure: i.text("measure"), By: i.text("by"), Means: i.text("means"),
			}}
		}
	}
	if _, given := o.in["undecided"]; v.Undecided && !given {
		o.missing("undecided")
	}
	return nil
}

// The events in a text, and with sealed positions by their numbers.
var (
	events             = regexp.MustCompile(`\be[1-9][0-9]{0,8}\b`)
	eventsAndPositions = regexp.MustCompile(events.String() + `|(?i:\bposition [1-9][0-9]?\b)`)
)

// brief parses a brief. It skips steps and risks without words.
func (o object) brief(c *council.Charter) council.Brief {
	b := council.Brief{Motions: o.lines("motions"), AcceptanceCriteria: o.lines("acceptanceCriteria"),
		RecommendedExecutorProfile: cmp.Or(o.text("recommendedExecutorProfile"), c.Execution.DefaultExecutorProfile)}
	cited := events
	if c.HidesPeers() {
		cited = eventsAndPositions
	}
	for _, s := range o.objectsWithWords("steps", "step") {
		b.Steps = append(b.Steps, council.Step{Step: s.text("step"), AcceptanceCriteria: s.lines("acceptanceCriteria"),
			AskedIn: cited.FindAllString(s.text("askedIn"), -1)})
	}
	for _, r := range o.objectsWithWords("risks", "risk") {
		b.Risks = append(b.Risks, council.BriefRisk{Risk: r.text("risk"), Mitigation: r.text("mitigation")})
	}
	return b
}

// review parses blockers. A blocker without a known severity counts as high; the session gives it its id.
func (o object) review() council.Review {
	if o.none("criticalBlockers", "suggestedChanges") {
		o.missing("criticalBlockers")
	}
	r := council.Review{CriticalBlockers: o.blockers(), SuggestedChanges: o.lines("suggestedChanges")}
	if len(r.SuggestedChanges) == 1 && saysNone(r.SuggestedChanges[0]) {
		r.SuggestedChanges = nil
	}
	return r
}

// noneSaid matches a text that means "none".
var noneSaid = expression(`(?i)^(?:none|nil|null|nothing|n/?a|not applicable|` +
	`(?:no|none of the) (?:critical )?(?:blockers?|dissent|changes|objections?|suggestions?)|keine|aucune?|ning[uú]n[oa]?)$`)

func saysNone(text string) bool {
	return noneSaid().MatchString(strings.Trim(text, " \t\n.!*_`'\"()[]-–—"))
}

// blockers reads blockers. Entries that say that there is none are left out.
func (o object) blockers() (all []council.Blocker) {
	if in, ok := o.in["criticalBlockers"].(map[string]any); ok {
		for _, name := range []string{"blockers", "criticalBlockers"} {
			if list, ok := in[name]; ok {
				o.in["criticalBlockers"] = list
			}
		}
	}
	for _, b := range o.objects("criticalBlockers", "problem") {
		blocker := council.Blocker{ID: b.text("id"), Section: b.text("section"), Problem: b.text("problem"),
			Impact: b.text("impact"), RequiredChange: b.text("requiredChange"),
			Severity: cmp.Or(b.choice("severity", "low", "medium", "high", "critical"), "high")}
		if said := cmp.Or(blocker.Problem, blocker.RequiredChange); said == "" {
			b.missing("problem")
		} else if saysNone(said) && saysNone(cmp.Or(blocker.RequiredChange, said)) {
			continue
		}
		all = append(all, blocker)
	}
	return all
}

// differs reports whether the field is given anywhere within fields with something else than was taken.
func differs(fields map[string]any, field string, taken any) bool {
	return anyValue("", fields, func(name string, v any) bool {
		return name == field && v != nil && !reflect.DeepEqual(v, taken)
	})
}

// verdict returns an answer without the reasons for it.
func verdict(b council.Body) any {
	switch b := b.(type) {
	case council.Ballot:
		return b.Ballot
	case council.Second:
		b.Rationale = ""
		return b
	case council.Nomination:
		return b.CandidateID
	case council.Ranked:
		return b.Ranking.Words()
	}
	return b
}
