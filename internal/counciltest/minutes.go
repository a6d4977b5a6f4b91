package counciltest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

// Said is an event of a log written by hand, with its phase, round and author.
type Said struct {
	Phase   council.PhaseID
	Round   int
	Actor   council.MemberID
	Payload council.Payload
}

// LogOf puts events one after the other, seven seconds apart. Its clock is in a zone that is not UTC.
func LogOf(id council.SessionID, all []Said) []wire.Entry {
	at := time.Date(2026, 11, 21, 9, 15, 0, 250_000_000, time.FixedZone("elsewhere", 3600))
	var log []wire.Entry
	for i, s := range all {
		seq := council.Seq(i + 1)
		log = append(log, wire.Entry{
			Event: council.Event{Seq: seq, Phase: s.Phase, Round: s.Round, Actor: s.Actor, Payload: s.Payload}, Session: id,
			ID: seq.ID(), Time: at.Add(time.Duration(i) * 7 * time.Second)})
	}
	return log
}

// The sessions of architects who decide on a queue, written by hand: an event a line, fields that are empty left out.
var (
	//go:embed whole.jsonl
	whole string
	//go:embed late.jsonl
	late string
	//go:embed adjourned.jsonl
	adjourned string
)

// read returns the events of a session that was written by hand.
func read(text string) (all []Said) {
	for line := range strings.Lines(text) {
		var s struct {
			Type council.EventType
			Said
			Payload json.RawMessage
		}
		err := json.Unmarshal([]byte(line), &s)
		p := council.NewPayload(s.Type)
		if err == nil && s.Payload != nil {
			err = json.Unmarshal(s.Payload, p)
		}
		if err != nil {
			panic(err)
		}
		s.Said.Payload = council.Deref(p)
		all = append(all, s.Said)
	}
	return all
}

// WholeSession returns a session in which everything is said that can be said, up to its close.
func WholeSession() []Said { return read(whole) }

// LateRulings returns the later rulings of people on it.
func LateRulings() []Said { return read(late) }

// AdjournedSession returns a session that a person ended before anything was resolved.
func AdjournedSession() []Said { return read(adjourned) }

// ForgottenSession returns the whole session after some of it was erased: as payloads that are gone, and as words.
func ForgottenSession() []Said {
	log := WholeSession()
	log[0].Payload, log[8].Payload, log[25].Payload = nil, nil, nil
	log[9].Payload = council.TurnPassed{Reason: "[forgotten]"}
	return log
}

// LongSession returns a session of nine members who talk for many rounds.
func LongSession(id council.SessionID, rounds int) []wire.Entry {
	c := WholeSession()[0].Payload.(council.SessionStarted).Charter
	for i := range 6 {
		m := council.Member{ID: council.MemberID(fmt.Sprintf("m%d", i)), Name: fmt.Sprintf("Member %d", i)}
		c.Members = append(c.Members, m)
	}
	log :=
		[]Said{{Payload: council.SessionStarted{Topic: council.Topic{Text: strings.Repeat("How long? ", 500)}, Charter: c}}}
	for r := range rounds {
		for _, m := range c.Members {
			log = append(log, Said{Phase: "decide", Round: r + 1, Actor: m.ID,
				Payload: council.ContributionMade{Message: fmt.Sprintf("Round %d, %s: ", r+1, m.ID) +
					strings.Repeat("we talk on. ", 90)}})
		}
	}
	for i := range 40 {
		id := council.MotionID(fmt.Sprintf("p1.r1.t%d", i))
		log = append(log,
			Said{Phase: "decide", Actor: "ada", Payload: council.MotionMade{Motion: id, MotionTitle: strings.Repeat("Long ", 50),
				MotionText: "x", DecisionIfPass: strings.Repeat("“so” \\ ", 200)}},
			Said{Phase: "decide", Payload: council.MotionDecided{Motion: id,
				Decision: council.Decision{Result: quorum.Carried}}})
	}
	log = append(log,
		Said{Payload: council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCompleted, Decided: true,
			Resolutions: []council.Resolution{{Decision: strings.Repeat("\"so\" ", 300)}}}}})
	entries := LogOf(id, log)
	for i, e := range entries { // in turn: events without a number are sealed
		if e.Round > 0 {
			entries[i].Turn = (i-1)%len(c.Members) + 1
		}
	}
	return entries
}

// Charter seats n members, m1 to mn, on a model server for two phases of the given number of rounds and a document.
// Each member's model is called like its seat, so that the server can distinguish them.
func Charter(n, rounds int, baseURL string) council.Charter {
	c := Small()
	c.CouncilName, c.Purpose = "Stand-in council", "To measure"
	c.SessionPolicy.EntryPhaseID, c.SessionPolicy.MaxPhaseTransitions = "explore", 2
	c.Phases = []council.Phase{Phase("explore", rounds), Phase("decide", rounds)}
	c.Phases[0].Transitions = []council.Transition{{To: "decide", When: council.TriggerAlways}}
	for i := range c.Phases {
		c.Phases[i].Deliverables = []council.Deliverable{{ID: "result", Description: "A result", Required: true}}
		c.Phases[i].MemoryPolicy.IncludePriorPhaseSummary = true
	}
	c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 2
	c.Deliberation.SealedPositions = true
	for i := range n {
		id := fmt.Sprintf("m%d", i+1)
		c.Members = append(c.Members, council.Member{ID: council.MemberID(id), Name: "Member " + id, Role: "role " + id,
			SystemPrompt: "You look at things from side " + id + ".", Traits: []string{"careful"},
			Model: council.Model{Provider: "openai-compatible", Model: id, BaseURL: baseURL, Parallel: n}})
	}
	return c
}

// Filled returns a payload of the given type in which every field has a value, and every text is the given one.
func Filled(event council.EventType, text string) council.Payload {
	p := council.NewPayload(event)
	fill(reflect.ValueOf(p).Elem(), text, 0)
	return council.Deref(p)
}

// deepest is how far below a payload values are filled: a model may have models to fall back on.
const deepest = 8

func fill(v reflect.Value, text string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text, depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text, depth)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, depth)
	}
}
