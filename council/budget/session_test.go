package budget_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

// temper is how the members of a council are.
type temper struct {
	stance string            // of all positions; "" for each its own
	turn   council.Action    // of all turns; "" for one by chance
	moves  []council.PhaseID // phases in which they move all the same
	yes    func() bool
}

var tempers = map[string]temper{
	"of one mind": {stance: "yes", turn: council.ActionCallVote, yes: func() bool { return true }},
	"silent":      {stance: "yes", turn: council.ActionPass, yes: func() bool { return true }},
	"sullen":      {stance: "yes", turn: council.ActionPass, yes: func() bool { return false }},
	"talkative":   {turn: council.ActionContribute, yes: func() bool { return true }},
	"contrary":    {turn: council.ActionCallVote, yes: func() bool { return false }},
}

func (t temper) body(a council.Ask, s *rules.Session, chance *rand.Rand) council.Body {
	switch a.Kind {
	case council.AskPosition:
		p := council.Position{Position: "P", Confidence: 1, Stance: t.stance, CandidateID: s.Charter().Seats()[0]}
		options := slices.Concat(s.Charter().Options, s.View(a).Options)
		if t.stance == "" {
			p.Stance = string(a.Member)
			chance.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
		}
		if len(options) > 0 {
			p.Ranking = council.Ranks{options[:1]}
		}
		return p
	case council.AskNominate:
		return council.Nomination{Rationale: "R", CandidateID: s.Charter().Seats()[chance.IntN(len(s.Charter().Members))]}
	case council.AskTurn:
		action := t.turn
		if slices.Contains(t.moves, s.View(a).Phase.ID) {
			action = council.ActionCallVote
		}
		switch action {
		case council.ActionPass:
			return council.Turn{Action: action, Reason: "R"}
		case council.ActionContribute:
			return council.Turn{Action: action, Message: "M"}
		default:
			return council.Turn{Action: council.ActionCallVote, MotionTitle: "T",
				MotionText: fmt.Sprintf("X%d", len(s.Events())), DecisionIfPass: "D"}
		}
	case council.AskSecond:
		return council.Second{Rationale: "R", Stand: council.StandSupport, Second: t.turn != "" || t.yes()}
	case council.AskBallot:
		vote := council.ChoiceNo
		if t.yes() {
			vote = council.ChoiceYes
		}
		return council.Ballot{Rationale: "R", Ballot: vote, Stance: "yes"}
	case council.AskRank:
		options := s.View(a).Motion.Options
		if !t.yes() {
			return council.Ranked{Rationale: "R", Ranking: council.Ranks{{council.NoneOfThese}}}
		}
		return council.Ranked{Rationale: "R", Ranking: council.Ranks{options[:1]}}
	}
	return counciltest.Agree(s.View(a))
}

// asked holds a session and returns how many questions each member answered, and how many were put to it, moot ones
// included.
func asked(t *testing.T, c council.Charter, mood temper, chance *rand.Rand) (answered, put map[council.MemberID]int) {
	t.Helper()
	answered, put = map[council.MemberID]int{}, map[council.MemberID]int{}
	known := map[council.AskID]bool{}
	s := counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c)
	counciltest.Hold(t, s, func(s *rules.Session) (council.Event, error) {
		asks := s.Ready().Asks
		for _, a := range asks {
			if !known[a.ID] {
				known[a.ID] = true
				put[a.Member]++
			}
		}
		now := mood
		if mood.turn == "" {
			now.turn = []council.Action{council.ActionPass, council.ActionContribute, council.ActionCallVote}[chance.IntN(3)]
			now.yes = func() bool { return chance.IntN(2) == 0 }
		}
		answered[asks[0].Member]++
		return s.Answer(council.Reply{Ask: asks[0].ID, Body: now.body(asks[0], s, chance), Usage: council.Usage{Calls: 1}})
	})
	return answered, put
}

// Every ready-made council, as it is and with debates that end early or votes that end none, takes as many calls as its
// forecast allows, with any members; and one of its kinds takes no more than the least.
func TestSession_SessionsOfReadyMadeCouncilsLieWithinTheirForecasts(t *testing.T) {
	moods := maps.Clone(tempers)
	for i := range counciltest.Often(2, 20) {
		stance := ""
		if i%2 == 0 {
			stance = "yes"
		}
		moods[fmt.Sprintf("by chance %d", i)] = temper{stance: stance}
	}
	for n, name := range templates.Councils() {
		moods := maps.Clone(moods)
		doc, _ := templates.Council(name)
		for i, variant := range []string{"as it is", "contested only", "votes end nothing",
			"contested only, votes end nothing", "at the pace auto", "at the pace auto, with options"} {
			if (n+i)%counciltest.Often(3, 1) != 0 {
				continue
			}
			c := check.Get(config.Parse(doc))(t)
			for i := range c.Members { // so that a repair is forecast for everybody
				c.Members[i].Model = council.Model{Provider: "openai", Model: "m", APIKeyEnv: "KEY"}
			}
			c.Deliberation.ContestedOnly = variant[0] == 'c'
			for i := range c.Phases {
				if variant[len(variant)-1] == 'g' {
					c.Phases[i].StopConditions.EndOnMajorityVote = false
				}
			}
			c.Deliberation.Pace = ""
			if variant[0] == 'a' && variant[1] == 't' {
				c.Deliberation.Pace, c.Deliberation.ContestedOnly = council.PaceAuto, false
				if variant[len(variant)-1] == 's' {
					c.Options = []string{"NATS", "Kafka", "Postgres"}
				}
				charter.SetPace(&c)
			}
			for some := range 1 << len(c.Phases) { // silent but in these phases: one of them is the shortest way
				mood := tempers["silent"]
				for i, p := range c.Phases {
					if some&(1<<i) > 0 {
						mood.moves = append(mood.moves, p.ID)
					}
				}
				moods[fmt.Sprintf("moving in %v", mood.moves)] = mood
			}
			f := budget.ForecastOf(&c, make([]int64, len(c.Members)))
			shortest := f.Most.Total.Usage.Calls
			for mood, members := range moods {
				answered, put := asked(t, c, members, rand.New(rand.NewPCG(1, uint64(len(mood)))))
				n, most := 0, 0
				for i, m := range c.Members {
					n, most = n+answered[m.ID], most+3*put[m.ID]
					if least := f.Least.Members[i].Usage.Calls; answered[m.ID] < least {
						t.Errorf("%s, %s, %s: %s answered %d times, and at least %d were forecast", name, variant, mood, m.ID,
							answered[m.ID], least)
					}
					if all := f.Most.Members[i].Usage.Calls; 3*put[m.ID] > all {
						t.Errorf("%s, %s, %s: %s is asked %d times, unusably three times each, and at most %d were forecast", name,
							variant, mood, m.ID, put[m.ID], all)
					}
				}
				shortest = min(shortest, n)
				check.That(t, n >= f.Least.Total.Usage.Calls && most <= f.Most.Total.Usage.Calls,
					"%s, %s, %s: %d answers, %d calls at most, and the forecast was %d to %d", name, variant, mood, n, most,
					f.Least.Total.Usage.Calls, f.Most.Total.Usage.Calls)
			}
			check.That(t, shortest <= f.Least.Total.Usage.Calls,
				"%s, %s: at least %d calls were forecast, and no session took less than %d", name, variant,
				f.Least.Total.Usage.Calls, shortest)
		}
	}
}
