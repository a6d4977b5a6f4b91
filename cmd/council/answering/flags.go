package answering

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/human"
	"github.com/council-engine/council/council/prompt"
)

// read makes an answer of the flags.
func (d Desk) read(v council.View, o options) (council.Body, error) {
	var body council.Body
	var err error
	switch {
	case o.json != "":
		return d.file(v, o.json)
	case o.text != "":
		body, err = text(v, o.text)
	default:
		body, err = ballot(v, o.ballot, o.because)
	}
	if err != nil {
		return nil, err
	}
	if _, err := human.Text(v, body); err != nil {
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
			return nil, fmt.Errorf("the answer cannot be read: %w", err)
		}
		defer f.Close()
		in, name = f, path
	}
	doc, err := io.ReadAll(io.LimitReader(in, prompt.MaxReply+1))
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be read from %s: %w", name, err)
	}
	body, err := prompt.Parse(v, string(doc))
	if err != nil {
		return nil, fmt.Errorf("what is in %s cannot be used: %s", name, problem(err))
	}
	return body, nil
}

// text is the answer to a question that is answered by a text alone.
func text(v council.View, words string) (council.Body, error) {
	switch v.Ask.Kind {
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
func ballot(v council.View, choice, because string) (council.Body, error) {
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
		return council.Ballot{Rationale: because, Ballot: council.Choice(strings.ToUpper(word))}, nil
	}
	return nil, desk.Refuse("a ballot is yes, no or abstain, not "+desk.Quote(choice), "Use --ballot yes, --ballot no or --ballot abstain.")
}

// wrongForm refuses a flag that does not answer the question.
func wrongForm(v council.View, flag string) error {
	return desk.Refuse(fmt.Sprintf("%s does not answer %s", flag, v.Ask.ID),
		fmt.Sprintf("council answer --show --ask %s prints the question and how it is answered.", v.Ask.ID))
}
