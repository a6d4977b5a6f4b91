package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/site"
)

// Answer is a person's answer to a question of a session, in the words that the person gives.
type Answer struct {
	Reply      string // the whole answer in the form of its schema; of a draft: the Markdown
	ReplyFrom  string // names the file of Reply
	Text       string
	Ballot     string
	Because    string
	Confidence string // in percent
	Stance     string
	Pass       string // the reasons
	Move       string // the title of a motion
	Strike     string
	Insert     string
}

// Given reports whether the answer says anything.
func (o Answer) Given() bool { return o.Reply != "" || o.Text != "" || o.Ballot != "" || o.Pass != "" }

// Check refuses fields that say more about an answer than the others give.
func (o Answer) Check() error {
	switch {
	case o.Because != "" && o.Ballot == "" && o.Move == "":
		return site.Refuse("--because gives the reasons for a --ballot, or what a --move decides",
			"Leave it out, or say how you vote.")
	case o.Move != "" && (o.Text == "" || o.Because == ""):
		return site.Refuse("a motion has a text, and says what is decided if it carries",
			`Give both: --move TITLE --text TEXT --because "We keep the queue."`)
	case (o.Strike != "" || o.Insert != "") && !strings.EqualFold(strings.TrimSpace(o.Ballot), "amend"):
		return site.Refuse("--strike and --insert say what --ballot amend changes", "Leave them out, or add --ballot amend.")
	case (o.Confidence != "" || o.Stance != "") && o.Ballot == "" && o.Text == "":
		return site.Refuse("--confidence and --stance belong to a --text or a --ballot",
			"Leave them out, or give the position or the vote.")
	}
	return nil
}

// Body returns the reply that the answer gives to the question of a view.
func (o Answer) Body(v council.View) (council.Body, error) {
	var body council.Body
	var err error
	switch {
	case o.Reply != "":
		body, err := prompt.Parse(v, o.Reply)
		if err != nil {
			return nil, fmt.Errorf("what is in %s cannot be used: %s", o.ReplyFrom, problem(err))
		}
		return body, nil
	case o.Stance != "" && !v.AsksStance() && !v.MayAdd:
		return nil, site.Refuse(fmt.Sprintf("nobody is asked for a stance in %s", v.Ask.ID), "Leave --stance out.")
	case o.Confidence != "" && v.Ask.Kind != council.AskPosition:
		return nil, site.Refuse(fmt.Sprintf("nobody is asked how sure they are in %s", v.Ask.ID), "Leave --confidence out.")
	case o.Pass != "" && v.Ask.Kind != council.AskTurn:
		err = wrongForm(v, "--pass")
	case o.Pass != "":
		body = council.Turn{Action: council.ActionPass, Reason: o.Pass}
	case o.Move != "" && v.Ask.Kind != council.AskTurn:
		err = wrongForm(v, "--move")
	case o.Move != "":
		body = council.Turn{Action: council.ActionCallVote, MotionTitle: o.Move, MotionText: o.Text,
			DecisionIfPass: o.Because}
	case o.Text != "":
		body, err = textAnswer(v, o)
	default:
		body, err = ballotAnswer(v, o)
	}
	if err != nil {
		return nil, err
	}
	if _, err := member.AnswerText(v, body); err != nil {
		return nil, fmt.Errorf("the answer cannot be used: %s", problem(err))
	}
	return body, nil
}

// problem returns the words for a reply that cannot be used.
func problem(err error) string { return hostile.Label(council.ReplyProblem(err)) }

// textAnswer returns the answer to a question that is answered by a text alone.
func textAnswer(v council.View, o Answer) (council.Body, error) {
	switch v.Ask.Kind {
	case council.AskPosition:
		sure, ok := council.ParsePercent(o.Confidence)
		if !ok {
			return nil, site.Refuse("a position says how sure you are, as a number from 0 to 100",
				"Give it with your position: --confidence 70.")
		}
		options := v.Charter.Options
		if len(v.Options) > 0 { // of a spare
			options = v.Options
		}
		ranks, err := preferred(options, o.Stance)
		return council.Position{Position: o.Text, Confidence: sure, Stance: o.Stance, Ranking: ranks}, err
	case council.AskTurn:
		if o.Stance != "" {
			return council.Turn{Action: council.ActionAddOption, Message: o.Text, Option: o.Stance}, nil
		}
		return council.Turn{Action: council.ActionContribute, Message: o.Text}, nil
	case council.AskReply:
		return council.Answer{Answer: o.Text}, nil
	case council.AskDissent:
		return council.Dissent{Dissent: o.Text}, nil
	case council.AskDraft:
		return prompt.Parse(v, o.Text)
	}
	return nil, wrongForm(v, "--text")
}

// preferred returns the ranking of a position that is given by flags: --stance is an order of the options, if there are
// any.
func preferred(options []string, stance string) (council.Ranks, error) {
	if len(options) == 0 || stance == "" {
		return nil, nil
	}
	return rankAnswer(options, stance)
}

// rankAnswer returns an order of options that a flag gives.
func rankAnswer(options []string, text string) (council.Ranks, error) {
	ranks, err := prompt.ReadRanking(options, text)
	if err != nil {
		return nil, site.Refuse("the order "+site.Quote(text)+" cannot be read", fmt.Sprintf(
			"Rank %s, by name or number, best first: A > B = C.",
			site.Join(council.ListOptions(options, func(o string) string { return o }))))
	}
	return ranks, nil
}

// ballotAnswer returns the answer to a question that is answered by a choice and its reasons.
func ballotAnswer(v council.View, o Answer) (council.Body, error) {
	word := strings.ToLower(strings.TrimSpace(o.Ballot))
	switch kind := v.Ask.Kind; {
	case !slices.Contains([]council.AskKind{council.AskBallot, council.AskSecond, council.AskNominate, council.AskRank,
		council.AskAmend}, kind):
		return nil, wrongForm(v, "--ballot")
	case o.Because == "":
		return nil, site.Refuse("a vote has reasons", `Give them: --because "why".`)
	case kind == council.AskRank:
		ranks, err := rankAnswer(v.Motion.Options, o.Ballot)
		return council.Ranked{Rationale: o.Because, Ranking: ranks}, err
	case kind == council.AskNominate:
		return council.Nomination{Rationale: o.Because, CandidateID: council.MemberID(word)}, nil
	case kind == council.AskSecond && v.Debated() && (word == "support" || word == "oppose"):
		return council.Second{Rationale: o.Because, Stand: council.Stand(strings.ToUpper(word)),
			Second: word == "support" && v.Phase.Governance.RequireSeconding}, nil
	case kind == council.AskSecond && v.Debated() && word == "amend":
		return council.Second{Rationale: o.Because, Stand: council.StandAmend,
			Amendment: &council.Amendment{Strike: o.Strike, Insert: o.Insert}}, nil
	case kind == council.AskSecond && v.Debated():
		return nil, site.Refuse("where you stand is support, oppose or amend, not "+site.Quote(o.Ballot),
			`To amend the motion: --ballot amend --strike "words that stand there" --insert "others".`)
	case kind == council.AskAmend:
		return amendAnswer(word, o.Because), nil
	case kind == council.AskSecond && (word == "yes" || word == "no"):
		return council.Second{Rationale: o.Because, Second: word == "yes"}, nil
	case kind == council.AskSecond:
		return nil, site.Refuse("whether you second is yes or no, not "+site.Quote(o.Ballot),
			"Use --ballot yes or --ballot no.")
	case word == "yes" || word == "no" || word == "abstain":
		return council.Ballot{Rationale: o.Because, Ballot: council.Choice(strings.ToUpper(word)), Stance: o.Stance}, nil
	}
	return nil, site.Refuse("a ballot is yes, no or abstain, not "+site.Quote(o.Ballot),
		"Use --ballot yes, --ballot no or --ballot abstain.")
}

// amendAnswer parses an answer about amendments: their ids, separated by commas or spaces, none, or withdraw.
func amendAnswer(word, because string) council.Amend {
	b := council.Amend{Rationale: because, Withdraw: word == "withdraw"}
	if !b.Withdraw && word != "none" {
		for _, id := range strings.FieldsFunc(word, func(r rune) bool { return r == ',' || r == ' ' }) {
			b.Amendments = append(b.Amendments, council.AmendmentID(id))
		}
	}
	return b
}

// wrongForm refuses a flag that does not answer the question.
func wrongForm(v council.View, flag string) error {
	return site.Refuse(fmt.Sprintf("%s does not answer %s", flag, v.Ask.ID),
		fmt.Sprintf("council answer --show --ask %s prints the question and how it is answered.", v.Ask.ID))
}
