package render

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// superseding is a session that chooses among three options, and replaces a decision of an earlier one.
func superseding(words string) *scribe {
	s := newScribe(topic, charter("anthropic"), council.Reminder{Records: []council.Remembered{
		{ID: "r-old", Kind: "decision", Summary: "Behind.", Date: "2025-10-12", Session: "20251012-090000-old-2k9d"},
		{ID: "r-kept", Kind: "decision", Summary: "Go.", Date: "2025-10-12", Session: "20251011-090000-go-3k9d"}}})
	s.enter("decide", "Choose.", "").startRound(1)
	options := []string{"Ahead, replaces r-old " + words, "Behind", "Never"}
	s.note("", council.ChoicePut{Motion: s.motion(), Options: options, Reason: council.EndRoundLimit})
	var cast []quorum.Ranking
	for i, ranks := range []council.Ranks{{{options[0]}, {options[1]}}, {{options[0]}, {options[2]}},
		{{options[1]}, {options[0]}}} {
		by := []council.MemberID{ada, boole, curie}[i]
		ranking, ok := ranks.Of(options)
		if !ok {
			panic("a ranking names something else")
		}
		cast = append(cast, ranking)
		s.note(by, council.RankingCast{Answered: s.answered(council.AskRank, by), Motion: s.motion(),
			Ranked: council.Ranked{Rationale: "Because " + words, Ranking: ranks}})
	}
	d := decided(2, 1, 0, 0, 0, "0.5", quorum.Cast)
	choice := d.Rule.Choose(len(options), cast)
	s.note("", council.MotionDecided{Motion: s.motion(), Decision: d, Choice: &choice})
	won := s.motion()
	s.ends(council.EndRoundLimit, won)
	s.note("", council.PhaseEnded{Phase: "decide", Reason: council.EndRoundLimit, Resolutions: []council.MotionID{won}})
	s.summarises(ada, council.Summary{SummaryMarkdown: words, Settles: []council.Settlement{
		{Record: "r-kept", How: council.SettledSuperseded}}}) // the leader's word, which replaces nothing
	return s.closes(council.Outcome{Ended: council.SessionCompleted, Decided: true,
		Documentation: council.DocumentationNone, Resolutions: []council.Resolution{
			{Motion: won, Title: options[0], Decision: options[0], Yes: 2, No: 1}}})
}

// exported renders a session in every form, by the name of a file.
func exported(t *testing.T, log []wire.Entry) map[string]string {
	t.Helper()
	page, err := HTMLPage(log)
	record, _, _, failed := DecisionRecord(log)
	whole, wrong := FullMinutes(log)
	object, bad := JSONExport(log)
	for _, err := range []error{err, failed, wrong, bad} {
		check.OK(t, err)
	}
	_, body, _ := strings.Cut(string(page), "<body>\n") // the style before it is not the session's
	return map[string]string{"page.html": body, "record.md": string(record), "whole.md": string(whole),
		"session.json": string(object)}
}

// The exports of whole sessions, byte for byte.
func TestExports_Golden(t *testing.T) {
	for name, s := range map[string]*scribe{"approved": approved(), "chosen": superseding("of *all*")} {
		for file, text := range exported(t, s.log) {
			if file == "whole.md" || file == "session.json" {
				continue // their parts have golden files
			}
			check.Golden(t, filepath.Join("testdata", "exported", name+"-"+file), text)
		}
	}
}

func TestRecord_NamesTheSessionsThatItReplaces(t *testing.T) {
	_, title, replaces, err := DecisionRecord(superseding("x").log)
	if want := []council.SessionID{"20251012-090000-old-2k9d"}; err != nil || title != "Queue" ||
		!slices.Equal(replaces, want) {
		t.Errorf("%q replaces %v, %v; want %v", title, replaces, err, want)
	}
}

func TestRecord_StatusFollowsTheDecision(t *testing.T) {
	closed := func(decided bool, d council.Decision) *scribe {
		s := newScribe(topic, charter("anthropic")).enter("decide", "Choose.", "").startRound(1)
		s.moves(ada, "M", "T", "D").decide(d)
		return s.closes(council.Outcome{Ended: council.SessionCompleted, Decided: decided})
	}
	for want, logs := range map[string][]*scribe{
		"accepted": {approved(), closed(true, decided(2, 1, 0, 0, 0, "0.5", quorum.Cast))},
		"rejected": {closed(false, decided(0, 3, 0, 0, 0, "0.5", quorum.Cast))},
		"proposed": {explored(), closed(false, decided(1, 0, 0, 0, 2, "0.5", quorum.Cast))},
	} {
		for i, s := range logs {
			if text, _, _, err := DecisionRecord(s.log); err != nil || !strings.Contains(string(text), "\nstatus: "+want+"\n") {
				t.Errorf("%s %d: %v\n%.200s", want, i, err, text)
			}
		}
	}
}

func TestObject_HoldsEveryFile(t *testing.T) {
	for _, s := range []*scribe{approved(), explored(), citing()} {
		text := exported(t, s.log)["session.json"]
		check.OK(t, schemas.Validate("export", []byte(text)))
		var got ExportFile
		files, err := Artifacts(s.log)
		if err := errors.Join(err, json.Unmarshal([]byte(text), &got)); err != nil || len(got.Files) != len(files) {
			t.Fatalf("%d of %d files: %v", len(got.Files), len(files), err)
		}
		for name, content := range files {
			if strings.HasSuffix(name, ".md") && got.Files[name] != string(content) {
				t.Errorf("%s is not as its file", name)
			}
		}
	}
}

// Whatever members, documents and options say, in every place where they say it, the page holds the elements of ours.
func TestPage_IsInert(t *testing.T) {
	attacks := append([]string{"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
		"<svg onload=alert(1)>", "![x](https://evil.example/leak.png)", "</section></body><script>alert(1)</script>",
		"<style>*{display:none}</style>", "<iframe srcdoc='<script>alert(1)</script>'>", "<a href='data:text/html,x'>x</a>",
		"--><script>alert(1)</script>", "<form action=//evil.example><button>x", "<base href=//evil.example/>",
		"<meta http-equiv=refresh content=0>", "```\n</code></pre><script>alert(1)</script>",
		"| a |\n|---|\n| <img src=x onerror=alert(1)> |"}, forgeries...)
	for n, attack := range attacks {
		if n%counciltest.Often(3, 1) != 0 {
			continue
		}
		s := everywhere(attack, attack)
		for i, e := range s.log {
			if p, ok := e.Payload.(council.SessionStarted); ok {
				p.Topic.Text, p.Charter.CouncilName, p.Charter.Purpose = attack, attack, attack
				p.Charter.Members = slices.Clone(p.Charter.Members)
				p.Charter.Members[0].Name, p.Charter.Members[1].Role = attack, attack
				s.log[i].Payload = p
			}
		}
		for _, log := range [][]wire.Entry{s.log, superseding(strings.ReplaceAll(attack, "\n", " ")).log} {
			page, err := HTMLPage(log)
			doc, bad := html.Parse(strings.NewReader(string(page)))
			if err != nil || bad != nil {
				t.Fatal(err, bad)
			}
			for n := range doc.Descendants() {
				acts := slices.Contains([]string{"script", "img", "svg", "iframe", "form", "base", "object", "input"}, n.Data)
				if n.Type == html.ElementNode && (acts || n.Parent.Data == "body" && n.Data != "section") {
					t.Errorf("<%s> in the page after %q", n.Data, attack)
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" ||
						a.Key == "href" && !strings.HasPrefix(a.Val, "http") && !strings.HasPrefix(a.Val, "mailto:") {
						t.Errorf("%s=%q in the page after %q", a.Key, a.Val, attack)
					}
				}
			}
			record, _, _, _ := DecisionRecord(log)
			check.Is(t, attack, 1, strings.Count("\n"+string(record), "\n# "))
		}
	}
}
