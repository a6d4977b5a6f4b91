package answering

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/fileerror"
)

// check refuses flags that say more about an answer than the others give.
func (o options) check() error {
	switch {
	case o.because != "" && o.ballot == "":
		return desk.Refuse("--because gives the reasons for a --ballot", "Leave it out, or say how you vote.")
	case (o.sure != "" || o.stance != "") && o.ballot == "" && o.text == "":
		return desk.Refuse("--confidence and --stance belong to a --text or a --ballot", "Leave them out, or give the position or the vote.")
	}
	return nil
}

// byFlags says how a question is answered by flags, or "".
func byFlags(v council.View) string {
	how := map[council.AskKind]string{
		council.AskPosition: `--text "your position" --confidence 70`,
		council.AskNominate: `--ballot MEMBER --because "why"`, council.AskBallot: `--ballot yes|no|abstain --because "why"`,
		council.AskSecond: `--ballot yes|no --because "why"`, council.AskTurn: `--text "a contribution"`,
		council.AskDissent: `--text "the dissent"`,
	}[v.Ask.Kind]
	if asksStance(v) {
		how += ` --stance "your answer in a few words"`
	}
	if how != "" {
		how += ", or "
	}
	return how
}

// read makes an answer of the flags.
func (d Desk) read(v council.View, o options) (council.Body, error) {
	var body council.Body
	var err error
	switch {
	case o.json != "":
		return d.file(v, o.json)
	case o.stance != "" && !asksStance(v):
		return nil, desk.Refuse(fmt.Sprintf("nobody is asked for a stance in %s", v.Ask.ID), "Leave --stance out.")
	case o.sure != "" && v.Ask.Kind != council.AskPosition:
		return nil, desk.Refuse(fmt.Sprintf("nobody is asked how sure they are in %s", v.Ask.ID), "Leave --confidence out.")
	case o.text != "":
		body, err = text(v, o)
	default:
		body, err = ballot(v, o)
	}
	if err != nil {
		return nil, err
	}
	if _, err := member.AnswerText(v, body); err != nil {
		return nil, fmt.Errorf("the answer cannot be used: %s", problem(err))
	}
	return body, nil
}

// file reads an answer in the form of its contract.
func (d Desk) file(v council.View, path string) (council.Body, error) {
	in, name := d.In, "standard input"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("the answer cannot be read from %s: %w", path, fileerror.Of(err))
		}
		defer f.Close()
		in, name = f, path
	}
	doc, err := io.ReadAll(io.LimitReader(in, prompt.MaxReply+1))
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be read from %s: %w", name, fileerror.Of(err))
	}
	body, err := prompt.Parse(v, string(doc))
	if err != nil {
		return nil, fmt.Errorf("what is in %s cannot be used: %s", name, problem(err))
	}
	return body, nil
}

// text is the answer to a question that is answered by a text alone.
func text(v council.View, o options) (council.Body, error) {
	words := o.text
	switch v.Ask.Kind {
	case council.AskPosition:
		sure, ok := percent(o.sure)
		if !ok {
			return nil, desk.Refuse("a position says how sure you are, as a number from 0 to 100", "Give it with your position: --confidence 70.")
		}
		return council.Position{Position: words, Confidence: sure, Stance: o.stance}, nil
	case council.AskTurn:
		return council.Turn{Action: council.ActionContribute, Message: words}, nil
	case council.AskDissent:
		return council.Dissent{Dissent: words}, nil
	case council.AskDraft:
		return prompt.Parse(v, words)
	}
	return nil, wrongForm(v, "--text")
}

// ballot is the answer to a question that is answered by a choice and its reasons.
func ballot(v council.View, o options) (council.Body, error) {
	choice, because := o.ballot, o.because
	word := strings.ToLower(strings.TrimSpace(choice))
	if v.Ask.Kind != council.AskBallot && v.Ask.Kind != council.AskSecond && v.Ask.Kind != council.AskNominate {
		return nil, wrongForm(v, "--ballot")
	}
	if because == "" {
		return nil, desk.Refuse("a vote has reasons", `Give them: --because "why".`)
	}
	switch {
	case v.Ask.Kind == council.AskNominate:
		return council.Nomination{Rationale: because, CandidateID: council.MemberID(word)}, nil
	case v.Ask.Kind == council.AskSecond && (word == "yes" || word == "no"):
		return council.Second{Rationale: because, Second: word == "yes"}, nil
	case v.Ask.Kind == council.AskSecond:
		return nil, desk.Refuse("whether you second is yes or no, not "+desk.Quote(choice), "Use --ballot yes or --ballot no.")
	case word == "yes" || word == "no" || word == "abstain":
		return council.Ballot{Rationale: because, Ballot: council.Choice(strings.ToUpper(word)), Stance: o.stance}, nil
	}
	return nil, desk.Refuse("a ballot is yes, no or abstain, not "+desk.Quote(choice), "Use --ballot yes, --ballot no or --ballot abstain.")
}

// wrongForm refuses a flag that does not answer the question.
func wrongForm(v council.View, flag string) error {
	return desk.Refuse(fmt.Sprintf("%s does not answer %s", flag, v.Ask.ID),
		fmt.Sprintf("council answer --show --ask %s prints the question and how it is answered.", v.Ask.ID))
}
