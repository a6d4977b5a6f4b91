package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/quorum"
)

// record is the opening of a session with its log and its results, which all parts of the session read.
type record struct {
	id      council.SessionID
	topic   council.Topic
	charter council.Charter
	memory  []council.Reminder
	seats   []council.MemberID

	open     group              // the questions that are open, or were last
	excluded []council.MemberID // that rulings excluded
	leader   council.MemberID   // "" before the election
	log      []council.Event
	vote     vote            // the ballots that are being collected, or were counted last
	decided  []carriedMotion // of the last visit to the deciding phase
	lost     vote            // the last that was lost there, where none carried
}

// step is the next step after an event: a consequence to record, or questions to put. The zero step waits.
type step struct {
	due  council.Payload
	by   council.MemberID // who said it before, of a consequence that repeats a reply
	asks []council.Ask    // put together; all have one AsOf
}

func due(p council.Payload) step { return step{due: p} }

// ask puts one question to each member, as of the log so far. The place is that in the protocol, and begins the ids.
func (r *record) ask(kind council.AskKind, place string, members ...council.MemberID) step {
	return step{asks: council.Map(members, func(m council.MemberID) council.Ask {
		return council.Ask{ID: council.AskID(place + string(kind) + "." + string(m)), Kind: kind, Member: m, AsOf: r.asOf()}
	})}
}

// asOf returns the last event so far.
func (r *record) asOf() council.Seq { return council.Seq(len(r.log)) }

// membersWhere returns the members for which holds is true, in seat order.
func (r *record) membersWhere(holds func(council.MemberID) bool) []council.MemberID {
	return slices.DeleteFunc(slices.Clone(r.seats), func(m council.MemberID) bool { return !holds(m) })
}

// countBallots decides a count of so many voters under a phase's governance. Those that are not in it are absent.
func countBallots(g council.Governance, voters int, count quorum.Count) council.Decision {
	rule := g.Rule(voters)
	rule.Quorum = rule.Required()
	count.Absent = voters - count.Valid() - count.Invalid
	of := rule.Of(count)
	return council.Decision{Result: rule.Decide(count), Rule: rule, Count: count, Needed: rule.Needed(of), Of: of}
}

// countRankings decides a choice by its rankings, where some ballots are invalid.
func countRankings(g council.Governance, voters []council.MemberID, options []string,
	ranks map[council.MemberID]quorum.Ranking, invalid int) (council.Decision, quorum.Choice) {
	ballots := ballotsOf(voters, ranks)
	chosen := g.Rule(len(voters)).Choose(len(options), ballots)
	count := quorum.Count{Invalid: invalid}
	count.Yes, count.No = chosen.Votes()
	count.Abstain = len(ballots) - count.Yes - count.No
	d := countBallots(g, len(voters), count)
	d.Result = chosen.Result
	return d, chosen
}

// ballotsOf returns the rankings of those voters that have one.
func ballotsOf(voters []council.MemberID, ranks map[council.MemberID]quorum.Ranking) (ballots []quorum.Ranking) {
	for _, m := range voters {
		if ranking, voted := ranks[m]; voted {
			ballots = append(ballots, ranking)
		}
	}
	return ballots
}

// stanceOf returns the stance to record: "" where the charter does not ask for one.
func (r *record) stanceOf(named string) string {
	if !r.charter.AsksStances() {
		return ""
	}
	return named
}

func (r *record) refuseLost(w council.Wording, options []string) error {
	if lost := council.LostBefore(r.log, w, options); lost > 0 {
		return badReply("it was lost already (%s), and may not be moved again unchanged", lost.ID())
	}
	return nil
}

// checkUses checks a member's tool calls against its charter: their number, and how much they return.
func (r *record) checkUses(id council.MemberID, uses []council.ToolUse) error {
	if len(uses) == 0 {
		return nil
	}
	m := r.charter.Member(id)
	if m == nil || m.Tools == nil {
		return badReply("%s has no tools", id)
	}
	if may := m.Tools.Calls(council.Uses(r.log, id)); len(uses) > may {
		return badReply("%s may call tools %d times more, not %d times", id, may, len(uses))
	}
	for _, u := range uses {
		if len(u.Result) > m.Tools.Bytes() {
			return badReply("a result has at most %d bytes", m.Tools.Bytes())
		}
		if u.SHA256 != council.Digest(u.Result) {
			return badReply("a result of %s is not what its SHA-256 says", u.Tool)
		}
	}
	return nil
}

// checkAssessment checks the leader's assessment of a phase against the charter and the record. A claim counts only
// where it cites something that exists; everything else is missing.
func (r *record) checkAssessment(p *council.Phase, a council.Assessment, end *council.PhaseEnded) {
	var good []string
	check := r.citeChecker(&good, &end.BadCites)
	check(a.Citations)
	judge := func(id, called string, required bool, c council.Claim) council.Finding {
		f := council.Finding{ID: id, Status: council.FindingMissing, Required: required, Citations: check(c.Citations)}
		if c.Met && len(f.Citations) > 0 {
			f.Status = council.FindingComplete
		} else if required {
			end.Missing = append(end.Missing, called+id)
		}
		return f
	}
	for _, d := range p.Deliverables {
		end.Deliverables = append(end.Deliverables, judge(d.ID, "deliverable ", d.Required, findClaim(a.Deliverables, d.ID)))
	}
	for i, gate := range p.QualityGates {
		end.QualityGates = append(end.QualityGates,
			judge(gate, "quality gate: ", true, findClaim(a.QualityGates, gate, "gate-"+strconv.Itoa(i+1))))
	}
	need := p.EvidenceRequirements
	if n := len(good); n < need.MinCitations {
		end.Missing = append(end.Missing, "citations: "+strconv.Itoa(n)+" of "+strconv.Itoa(need.MinCitations))
	}
	if need.RequireExplicitAssumptions && len(a.Assumptions) == 0 {
		end.Missing = append(end.Missing, "explicit assumptions")
	}
	if need.RequireRiskRegister && len(a.Risks) == 0 {
		end.Missing = append(end.Missing, "risk register")
	}
}

// assesses reports whether the leader is asked to assess a phase: whether the phase declares anything to judge.
func assesses(p *council.Phase) bool {
	return len(p.Deliverables) > 0 || len(p.QualityGates) > 0 || p.EvidenceRequirements != council.EvidenceRequirements{}
}

func findClaim(claims []council.Claim, names ...string) council.Claim {
	return council.First(claims, func(c council.Claim) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.EqualFold(normalizeName(c.ID), normalizeName(name))
		})
	})
}

// normalizeName returns a claim's name without marks at its ends and with single spaces.
func normalizeName(name string) string {
	return strings.Join(strings.Fields(strings.Trim(name, " \t\n.;:!*\"'`“”")), " ")
}

// citeChecker returns a function for the citations of the assessment that was recorded last: it returns those that
// exist, and adds all to the good and the bad ones, each once.
func (r *record) citeChecker(good, bad *[]string) func(cited []string) []string {
	given, at := citation.GivenIn(r.log), citation.Moment{AsOf: r.asOf()}
	for e, p := range council.Payloads[council.PhaseAssessed](r.log) {
		if r.charter.Deliberation.MarkCitations {
			at = citation.Moment{AsOf: p.AsOf, Event: e.Seq}
		}
	}
	return func(cited []string) (exist []string) {
		for _, entry := range cited {
			for _, cite := range given.ParseEntry(entry, at) {
				list := bad
				if cite.Fault == "" {
					list, exist = good, append(exist, cite.Text)
				}
				if !slices.Contains(*list, cite.Text) {
					*list = append(*list, cite.Text)
				}
			}
		}
		return exist
	}
}
