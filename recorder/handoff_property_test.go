package recorder_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/render"
)

// random writes the replies of members by chance.
type random struct {
	*rand.Rand
	none bool // of the options none is wanted
}

func (r random) often(percent int) bool { return r.IntN(100) < percent }

// charter draws a council: with a phase before the deciding one and after it, options, a document, and its approval, or
// without.
func (r random) charter() council.Charter {
	c := charter()
	c.Execution.RequireHumanApproval = r.often(50)
	c.Phases[0].Decides, c.Phases[0].StopConditions.EndOnMajorityVote = true, r.often(50)
	c.Phases[0].StopConditions.MaxRounds = 1
	if r.often(50) {
		c.Options = []string{"NATS", "Kafka", "keep Postgres"}
		c.Phases[0].StopConditions.EndOnMajorityVote = true
	}
	if r.often(50) {
		before := c.Phases[0]
		before.ID, before.Decides = "explore", false
		before.Transitions = []council.Transition{{To: "decide", When: council.TriggerAlways}}
		c.Phases, c.SessionPolicy.EntryPhaseID = []council.Phase{before, c.Phases[0]}, "explore"
	}
	if r.often(30) {
		after, decide := c.Phases[len(c.Phases)-1], &c.Phases[len(c.Phases)-1]
		decide.Transitions = []council.Transition{{To: "plan", When: council.TriggerAlways}}
		after.ID, after.Decides = "plan", false
		c.Phases = append(c.Phases, after)
	}
	if c.DocumentationReview.MaxRevisionRounds = r.IntN(3); r.often(30) {
		c.Output.Type = council.OutputNone
	}
	return c
}

func (r random) answer(v council.View) string {
	choice := "YES"
	switch v.Ask.Kind {
	case council.AskTurn:
		ranks := v.Charter.OptionsOf(v.Phase) != nil
		switch {
		case ranks && v.MayAdd && r.often(10):
			return fmt.Sprintf(`{"action":"ADD_OPTION","message":"M","option":"by %s"}`, v.Ask.Member)
		case ranks || r.often(20):
			return `{"action":"PASS","reason":"The ballots decide."}`
		}
		return fmt.Sprintf(
			`{"action":"CALL_VOTE","motionTitle":"Do %s","motionText":"That we do %[1]s.","decisionIfPass":"We do %[1]s."}`,
			v.Ask.ID)
	case council.AskPosition:
		return `{"position":"P","confidence":0.5,"overlooked":[],"ranking":["NATS"]}`
	case council.AskRank:
		return prompt.Text(council.Ranked{Rationale: "R", Ranking: r.ranking(v.Motion.Options)})
	case council.AskBallot:
		if r.often(45) {
			choice = "NO"
		}
		return fmt.Sprintf(`{"rationale":"R","ballot":%q}`, choice)
	case council.AskSummary:
		s := council.Summary{SummaryMarkdown: "Postgres stays.", Undecided: &council.Undecided{Question: "Why?"}}
		if r.often(90) {
			s.RequiresExecution, s.ExecutionBrief = true, r.brief(v)
		}
		return prompt.Text(s)
	case council.AskDraft:
		d := council.Draft{Markdown: fmt.Sprintf("# Draft %s\n\nIt says %d.", v.Ask.ID, r.IntN(1000))}
		if len(v.Blockers) > 0 && r.often(60) {
			d.ExecutionBrief = r.brief(v)
		}
		return prompt.Text(d)
	}
	return script(v)
}

// ranking draws an order of options, with equals and some left out, in which none of these comes last or first.
func (r random) ranking(options []string) (order council.Ranks) {
	for _, i := range r.Perm(len(options)) {
		switch n := len(order); {
		case n > 0 && r.often(15):
			order[n-1] = append(order[n-1], options[i])
		case n == 0 || r.often(80):
			order = append(order, []string{options[i]})
		}
	}
	none := []string{council.NoneOfThese}
	if r.none {
		return append(council.Ranks{none}, order...)
	}
	return append(order, none)
}

// brief names some motions of the session by their events, by chance those that carried.
func (r random) brief(v council.View) *council.Brief {
	b := &council.Brief{Objective: fmt.Sprintf("Objective %d", r.IntN(1000)), RecommendedExecutorProfile: "engineer",
		Steps: []council.Step{{Step: fmt.Sprintf("Step %d", r.IntN(1000))}}}
	for _, e := range v.Events {
		var id council.MotionID
		switch p := e.Payload.(type) {
		case council.MotionMade:
			id = p.Motion
		case council.ChoicePut:
			id = p.Motion
		}
		if carried := slices.Contains(v.Standing, id); id != "" && r.often(map[bool]int{true: 80, false: 6}[carried]) {
			b.Motions = append(b.Motions, e.Seq.ID())
		}
	}
	return b
}

// naive is the result of a session, counted anew from its ballots.
type naive struct {
	carried   []council.MotionID // in the deciding phase, in order
	decisions []string
	findings  []council.MotionID          // carried before it
	motions   map[string]council.MotionID // by the event that made it
	brief     *council.Brief
	approved  *council.DraftWritten
}

// recount counts a log of three members, whose majority is two.
func recount(log []council.Event) naive {
	n := naive{motions: map[string]council.MotionID{}}
	decides, yes := map[council.MotionID]string{}, map[string]int{}
	orders := map[council.MotionID][]council.Ranks{}
	options := map[council.MotionID][]string{}
	var phases []council.PhaseID
	carry := func(id council.MotionID, phase council.PhaseID, decision string) {
		if phase != "decide" {
			n.findings = append(n.findings, id)
			return
		}
		n.carried, n.decisions = append(n.carried, id), append(n.decisions, decision)
	}
	var drafts []council.DraftWritten
	for _, e := range log {
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			phases = append(phases, p.Phase)
		case council.MotionMade:
			n.motions[e.Seq.ID()], decides[p.Motion] = p.Motion, p.DecisionIfPass
		case council.ChoicePut:
			n.motions[e.Seq.ID()], options[p.Motion] = p.Motion, p.Options
		case council.BallotCast:
			subject := string(p.Subject.Motion)
			if p.Draft != nil {
				subject = p.Draft.SHA256 + p.Draft.BriefSHA256
			}
			if p.Ballot.Ballot == council.ChoiceYes {
				yes[subject]++
			}
		case council.RankingCast:
			orders[p.Motion] = append(orders[p.Motion], p.Ranking)
		case council.MotionDecided: // its time counts, not its result
			phase := phases[len(phases)-1]
			if options[p.Motion] == nil && yes[string(p.Motion)] >= 2 {
				carry(p.Motion, phase, decides[p.Motion])
			}
			for _, option := range options[p.Motion] {
				if beatsAll(orders[p.Motion], option, append(slices.Clone(options[p.Motion]), council.NoneOfThese)) {
					carry(p.Motion, phase, option)
				}
			}
		case council.SummaryWritten:
			n.brief = p.ExecutionBrief
		case council.DraftWritten:
			drafts = append(drafts, p)
			if p.ExecutionBrief != nil {
				n.brief = p.ExecutionBrief
			}
		}
	}
	for _, d := range drafts {
		sum := ""
		if n.brief != nil && d.Version == len(drafts) {
			sum = n.brief.SHA256()
		}
		if yes[d.SHA256+sum] >= 2 {
			n.approved = &d
		}
	}
	return n
}

// beatsAll reports whether two of three orders place an option above each other one. In a cycle none does.
func beatsAll(orders []council.Ranks, option string, all []string) bool {
	place := func(order council.Ranks, of string) int {
		at := slices.IndexFunc(order, func(group []string) bool { return slices.Contains(group, of) })
		if at < 0 {
			return len(order) // below all that is named
		}
		return at
	}
	return !slices.ContainsFunc(all, func(other string) bool {
		above := 0
		for _, order := range orders {
			if place(order, option) < place(order, other) {
				above++
			}
		}
		return other != option && above < 2
	})
}

// named returns the carried motions that the brief names, and whether it names one that did not carry.
func (n naive) named() (executes []council.MotionID, lost bool) {
	for _, name := range n.brief.Motions {
		switch id := n.motions[name]; {
		case slices.Contains(n.carried, id):
			executes = append(executes, id)
		case !slices.Contains(n.findings, id):
			lost = true
		}
	}
	return executes, lost
}

// Whatever the votes and the leader's summary, the handoff agrees with the ballots, counted anew: outcome, brief and
// document; and verify and replay agree. COUNCIL_LONG tries 2,000 sessions.
func TestHandoff_AgreesWithTheBallots(t *testing.T) {
	sessions := counciltest.Often(25, 2_000)
	seen := map[string]int{}
	for seed := range sessions {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			r := random{rand.New(rand.NewPCG(uint64(seed), 83)), seed%6 == 5}
			root, path := openRoot(t)
			log, isClosed := holdSession(t, root, r.charter(), func() func(council.View) string {
				return random{rand.New(rand.NewPCG(r.Uint64(), 83)), r.none}.answer // members answer at once
			})
			check.Is(t, "closed", true, isClosed)
			n := recount(log)
			folder := filepath.Join(path, "sessions", string(sessionID))
			doc, err := os.ReadFile(filepath.Join(folder, "execution-handoff.json"))
			var h render.HandoffFile
			if err == nil {
				err = json.Unmarshal(doc, &h)
			}
			charter := log[0].Payload.(council.SessionStarted).Charter
			want := ""
			var executes []council.MotionID
			if n.brief != nil && len(n.carried) > 0 {
				var lost bool
				executes, lost = n.named()
				switch {
				case lost:
					want = "names what was lost"
				case executes == nil:
					want = "names nothing"
				case n.approved != nil && !charter.Execution.RequireHumanApproval:
					want = string(council.ExecutionCleared)
				default:
					want = string(council.ExecutionAwaitingApproval)
				}
			}
			seen[want]++
			if len(charter.Options) > 0 && len(n.carried) == 0 && !r.none {
				seen["undecided with options"]++
			}
			if handed := want == "CLEARED" || want == "AWAITING_APPROVAL"; handed != (err == nil) {
				t.Fatalf("%q, but the handoff: %v", want, err)
			} else if handed {
				n.check(t, h, executes, council.ExecutionStatus(want), charter, folder)
				seen["changed"] += min(1, len(h.Changes))
			}
		})
	}
	t.Logf("%d sessions: %v", sessions, seen)
	for _, kind := range []string{"", "CLEARED", "AWAITING_APPROVAL", "changed", "undecided with options"} {
		check.That(t, seen[kind] != 0, "no session was of the kind %q", kind)
	}
}

// check holds a handoff against the ballots.
func (n naive) check(t *testing.T, h render.HandoffFile, executes []council.MotionID,
	status council.ExecutionStatus, c council.Charter, folder string) {
	t.Helper()
	var decisions []string
	var resolved, carriesOut []council.MotionID
	for _, one := range h.Outcome.Resolutions {
		decisions, resolved = append(decisions, one.Decision), append(resolved, one.Motion)
	}
	for _, one := range h.Decisions {
		carriesOut = append(carriesOut, one.ID)
	}
	steps, _, _ := n.brief.Lists()
	voted := council.Withholding("")
	if n.approved == nil {
		voted = council.WithheldDocument
		if c.Output.Type == council.OutputNone {
			voted = council.WithheldUnvoted
		}
	}
	type told struct {
		Question, Final, Objective, Sum string
		Decisions, Steps                []string
		Resolved, Executes              []council.MotionID
		Status                          council.ExecutionStatus
		Withheld                        council.Withholding
	}
	want := told{"Shall we?", strings.Join(n.decisions, " "), n.brief.Objective, n.brief.SHA256(), n.decisions, steps,
		n.carried, executes, status, voted}
	got := told{h.Outcome.Question, h.FinalResolution, h.Brief.Objective, h.BriefSHA256, decisions, h.Brief.Steps,
		resolved, carriesOut, h.Status, h.Withheld}
	check.Equal(t, "the handoff and what was voted on", want, got)
	if n.approved == nil {
		return
	}
	document, err := os.ReadFile(filepath.Join(folder, "documentation.md"))
	if err != nil || h.Documentation.SHA256 != n.approved.SHA256 ||
		!strings.Contains(string(document), n.approved.Markdown) {
		t.Fatalf("it hands over the document %+v and not %q: %v", h.Documentation, n.approved.Markdown, err)
	}
}
