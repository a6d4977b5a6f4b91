package seat

import (
	"math/rand/v2"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/recorder/conversation"
)

// link holds the settings of the stages between one member and one of its models.
type link struct {
	roster *Roster

	// Of the stages above the fallback.
	member  council.MemberID
	tape    *conversation.CallLog
	abandon map[council.AskID]bool
	budget  *budget.Budget // nil: the calls are in no session's budget

	// Of the stages below it.
	model  council.Model
	limits member.Limits
}

// stage is a decorator that a question passes on its way to the provider, and the reply on its way back.
type stage struct {
	name, does string
	wrap       func(*link, member.Model) member.Model // returns the model itself where the stage does not apply
}

// stages lists the stages between a member's seat and the provider, in the order in which a question passes them. The
// stages above the fallback exist once for a member, those below it once for each of its models.
var stages = []stage{
	{"call log", "records questions before they are asked and replies, without secrets; replays recorded replies",
		func(l *link, m member.Model) member.Model {
			return member.WithCallLog(m, l.tape, l.roster.wallet.Gate.Policy().Redactions()...)
		}},
	{"abandoned asks", "fails asks that were cut off by a crash and must not be paid for twice",
		func(l *link, m member.Model) member.Model { return member.Abandon(m, l.abandon) }},
	{"budget", "fails repairs that the session cannot pay for, and counts the cost of every call",
		func(l *link, m member.Model) member.Model {
			if l.budget == nil {
				return m
			}
			return l.budget.Pay(m, l.member)
		}},
	{"fallback", "passes the question to the member's model, or to a fallback model while that is down", nil},
	{"retry", "repeats calls that failed for a passing reason, waiting longer each time",
		func(l *link, m member.Model) member.Model {
			policy := member.DefaultRetryPolicy()
			policy.Jitter, policy.Sleep = rand.Float64, l.roster.world.Wait
			return member.Retry(m, policy)
		}},
	{"queue", "bounds the concurrent calls to one server",
		func(l *link, m member.Model) member.Model { return l.roster.queue(m, l.model) }},
	{"shared prefix", "lets one call fill the provider's cache with the part that all prompts begin with",
		func(l *link, m member.Model) member.Model {
			if k := l.model.Kind(); !k.Server() {
				return m
			}
			one := &l.model
			place := one.Provider + " " + one.BaseURL + " " + one.Model + " " + credential.Name(l.model)
			return l.roster.prefixes.Share(m, place)
		}},
	{"token rate", "delays calls above tokensPerMinute",
		func(l *link, m member.Model) member.Model {
			most := l.model.TokensPerMinute
			if most <= 0 {
				return m
			}
			return member.LimitTokens(m, l.roster.limits.share(l.model, l.model.Model, most, int(most)), l.roster.world.Now)
		}},
	{"call rate", "delays calls above callsPerMinute",
		func(l *link, m member.Model) member.Model {
			most := l.model.CallsPerMinute
			if most <= 0 {
				return m
			}
			return member.Limit(m, l.roster.limits.share(l.model, "", most, 1), l.roster.world.Now)
		}},
	{"timeout", "ends calls that do not begin or finish in time",
		func(l *link, m member.Model) member.Model { return member.Timeout(m, l.limits, l.roster.world.Now) }},
	{"stop", "sends no call once the run is to stop, and knows the calls that are under way",
		func(_ *link, m member.Model) member.Model { return member.TrackCalls(m) }},
	{"truncated prompt", "fails replies to a prompt that the server cut to its context window",
		func(l *link, m member.Model) member.Model {
			return member.DetectTruncatedPrompt(m, l.model.ContextWindow)
		}},
	{"reply limit", "marks replies above maxReplyBytes as too long",
		func(l *link, m member.Model) member.Model { return member.LimitReply(m, member.ReplyLimit(l.model)) }},
	{"gate", "asks the policy and writes the ledger before each request, and the cost after it",
		func(l *link, m member.Model) member.Model {
			if k := l.model.Kind(); k.NoModel { // a person's or a script's words cost nothing
				return m
			}
			return gatedModel{l.roster.wallet.Gate, m, l.model, l.roster.world.Now}
		}},
}

var fallbackAt = slices.IndexFunc(stages, func(s stage) bool { return s.wrap == nil })

// wrap wraps m by the stages: the last of them is the closest to m.
func (l *link) wrap(m member.Model, through []stage) member.Model {
	for _, s := range slices.Backward(through) {
		m = s.wrap(l, m)
	}
	return m
}
