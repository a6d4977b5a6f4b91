package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// Answer is a person's answer to a question of a session, in the words that the person gives.
type Answer struct {
	Reply                 string // the whole answer in the form of its schema; of a draft: the Markdown
	ReplyFrom             string // names the file of Reply
	Text, Ballot, Because string
	Confidence            string // in percent
	Stance                string
	Pass                  string // the reasons
	Move                  string // the title of a motion
	Strike, Insert        string
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
		return nil, wrongForm(v, "--pass")
	case o.Pass != "":
		body = council.Turn{Action: council.ActionPass, Reason: o.Pass}
	case o.Move != "" && v.Ask.Kind != council.AskTurn:
		return nil, wrongForm(v, "--move")
	case o.Move != "":
		body = council.Turn{Action: council.ActionCallVote, MotionTitle: o.Move, DecisionIfPass: o.Because,
			MotionText: o.Text}
	case o.Text != "":
		body, err = textAnswer(v, o)
	default:
		body, err = ballotAnswer(v, o)
	}
	if err != nil {
		return nil, err
	}
	if _, err = member.AnswerText(v, body); err != nil {
		return nil, fmt.Errorf("the answer cannot be used: %s", problem(err))
	}
	return body, nil
}

// problem returns the words for a reply that cannot be used.
func problem(err error) string { return hostile.Label(council.ReplyProblem(err)) }

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
		p := council.Position{Position: o.Text, Confidence: sure, Stance: o.Stance}
		var err error
		if len(options) > 0 && o.Stance != "" { // it is an order of the options
			p.Ranking, err = rankAnswer(options, o.Stance)
		}
		return p, err
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
		b := council.Amend{Rationale: o.Because, Withdraw: word == "withdraw"}
		if !b.Withdraw && word != "none" { // the ids of amendments
			ids := strings.FieldsFunc(word, func(r rune) bool { return r == ',' || r == ' ' })
			b.Amendments = council.Map(ids, func(id string) council.AmendmentID { return council.AmendmentID(id) })
		}
		return b, nil
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

// wrongForm refuses a flag that does not answer the question.
func wrongForm(v council.View, flag string) error {
	return site.Refuse(fmt.Sprintf("%s does not answer %s", flag, v.Ask.ID),
		fmt.Sprintf("council answer --show --ask %s prints the question and how it is answered.", v.Ask.ID))
}

// AnswerAsk keeps a person's answer to a question that is named as in [listing.Waiting.Choose].
func AnswerAsk(ctx context.Context, w *site.World, r *recorder.Root, id council.SessionID, ask string, a Answer) error {
	if err := a.Check(); err != nil {
		return err
	}
	waiting, err := listing.ReadWaiting(r, id)
	if err != nil {
		return err
	}
	q, err := waiting.Choose(ask)
	if err != nil {
		return err
	}
	body, err := a.Body(waiting.Session.View(q))
	if err != nil {
		return err
	}
	return RecordAnswer(ctx, w, r, id, q, body, slices.Contains(waiting.Replied, q))
}

// RecordAnswer puts an answer on the tape of its member, like a model's reply, if the question is still open; a
// changed answer, if the first is still unused.
func RecordAnswer(ctx context.Context, w *site.World, root *recorder.Root, id council.SessionID, ask council.Ask,
	body council.Body, changes bool) (err error) {
	folder, session, err := site.OpenUnfinished(w, root, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	waiting, err := listing.In(root, session)
	if err != nil {
		return err
	}
	if now, err := waiting.Choose(string(ask.ID)); err != nil {
		return err
	} else if now != ask {
		return fmt.Errorf("the question %s was put anew meanwhile: read it again", ask.ID)
	} else if !changes && slices.Contains(waiting.Replied, ask) {
		return fmt.Errorf("%s answered %s meanwhile; --ask %s changes that answer", waiting.Name(ask), ask.ID, ask.Member)
	}
	view := session.View(ask)
	if _, err := session.Answer(council.Reply{Ask: ask.ID, Body: body}); err != nil {
		return fmt.Errorf("the answer cannot be used: %s", problem(err))
	}
	tape, err := folder.Conversation(ask.Member)
	if err != nil {
		return err
	}
	var keeps member.CallLog = tape
	if changes {
		keeps = changing{tape}
	}
	seat := member.NewSeat(member.WithCallLog(member.People(answered{body}), keeps),
		prompt.NewConversation(prompt.Limits{}))
	reply, err := seat.Answer(ctx, view)
	if err == nil && reply.Fault != nil {
		err = reply.Fault
	}
	return err
}

type answered struct{ body council.Body }

func (g answered) Ask(context.Context, council.View) (council.Body, error) { return g.body, nil }

// changing is a tape on which the reply that is there gives way to another.
type changing struct{ *conversation.CallLog }

func (changing) Recall(*prompt.Prompt) (c prompt.Completion, known bool, err error) {
	return c, false, nil
}

func (changing) Asked(*prompt.Prompt) error { return nil }

func (t changing) Answered(p *prompt.Prompt, c prompt.Completion) error { return t.Replace(p, c) }

// Said is a note that all members of a session get.
type Said struct {
	Cut   council.Topic // with the secrets that were cut out of the note
	Event council.Seq   // that holds the note; 0: the process that drives the session records it
	GoOn  string        // the command line that goes on with the session
}

// Say gives all members of an open session a note: with its next question each gets it. While another process drives
// the session, the note is kept for that one.
func Say(w *site.World, root *recorder.Root, id council.SessionID, text string) (said Said, err error) {
	if text, said.Cut, err = site.ComposeNote(w, root, "note", text, council.MaxNote); err != nil {
		return said, err
	}
	said.GoOn = site.CommandLine(root, "council resume "+string(id))
	note := council.NoteGiven{By: w.User().Name(), Text: text}
	if _, running := root.Holder(id); running {
		return said, handNote(w, root, id, note)
	}
	damaged := site.CheckIntact(w, root, id) // before anything of the session is mended
	folder, session, err := site.OpenUnfinished(w, root, id)
	if errors.Is(err, recorder.ErrLocked) {
		return said, handNote(w, root, id, note)
	}
	if err != nil {
		return said, err
	}
	defer folder.Close()
	if session.Ready().Outcome != nil {
		return said, errTooLate(id)
	}
	if damaged != nil {
		w.Warn("Warning: %v. council verify says more.", damaged)
	}
	kept, err := live.Spooled(root, id, session.Events())
	if err != nil {
		return said, err
	}
	notes := council.Map(append(kept, note), func(n council.NoteGiven) council.Ruling { return n })
	if err := site.Rule(session, folder, notes...); err != nil {
		return said, err
	}
	if _, err := live.Spooled(root, id, session.Events()); err != nil { // which removes what is recorded
		return said, err
	}
	if err := folder.Finalize(); err != nil {
		return said, err
	}
	w.AnchorSession(folder)
	said.Event = council.Seq(len(session.Events()))
	return said, nil
}

func errTooLate(id council.SessionID) error {
	return fmt.Errorf("session %s is closed: no member is asked any more, so none would be told the note", id)
}

// handNote keeps a note for the process that drives a session.
func handNote(w *site.World, root *recorder.Root, id council.SessionID, note council.NoteGiven) error {
	note, err := live.Spool(root, id, note, w.Now())
	if err != nil {
		return err
	}
	// The driver looks for notes after it has closed the session; so either it or this process sees that one came late.
	closed, err := root.Closed(id)
	log := expunge.Restate(closed)
	if err == nil && len(log) > 0 && !note.In(log) {
		_, err := live.Spooled(root, id, log, note)
		return errors.Join(errTooLate(id), err)
	}
	return nil
}
