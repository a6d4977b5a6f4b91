package citation_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/internal/check"
)

func given() *citation.Given {
	return of(
		council.NewDocument("docs/queue.md", "one\ntwo\nthree\n"),
		council.NewDocument("src/app/[id].tsx", "one\ntwo"),
		council.NewDocument("my notes.txt", "one"),
		council.NewDocument("Makefile", "all:\n"),
		council.NewDocument("a/dup.go", "1\n2\n3\n4\n"),
		council.NewDocument("b/dup.go", "1\n"),
		council.NewDocument("stdin", "x\n"),
		asDiff(),
	)
}

// asDiff returns a diff that shows lines of three files.
func asDiff() council.Document {
	d := council.NewDocument("diff:HEAD~1", strings.Repeat("line\n", 24))
	d.Shows = []council.FileLines{{File: "main.go", From: 10, To: 13}, {File: "main.go", From: 31, To: 31},
		{File: "gone.go", From: 1, To: 2}, {File: "café.go", From: 1, To: 1}}
	return d
}

// of returns the lines that a session with documents gives.
func of(docs ...council.Document) *citation.Given {
	g := citation.NewGiven()
	g.Take(council.Event{Seq: 1, Payload: council.SessionStarted{Topic: council.Topic{Documents: docs}}})
	return g
}

// asOf returns a moment at which the log up to seq was known.
func asOf(seq council.Seq) citation.Moment { return citation.Moment{AsOf: seq} }

// told writes citations as "e12" or "e99=no such event then".
func told(cites []citation.Citation) []string {
	out := []string{}
	for _, c := range cites {
		if c.Fault != "" {
			c.Text += "=" + string(c.Fault)
		}
		out = append(out, c.Text)
	}
	return out
}

func TestCitation_FindsWhatIsCitedAndWhetherItHolds(t *testing.T) {
	const event, document, line = "=no such event then", "=no such document", "=no such line"
	tests := []struct {
		text string
		want []string
	}{
		{"As e12 says.", []string{"e12"}},
		{"As e20 says, and e21 does not.", []string{"e20", "e21" + event}},
		{"[e2, e25] and (see e3; e99)", []string{"e2", "e25" + event, "e3", "e99" + event}},
		{"[e2, e1000] (see e2; e2000) [e2 and e3000] (e4000",
			[]string{"e2", "e1000" + event, "e2", "e2000" + event, "e2", "e3000" + event}},
		{"**e12**, “e14”, 'e15', e16's", []string{"e12", "e14", "e15", "e16"}},
		{"e12-e15, e12–15 and e19/e22", []string{"e12", "e15", "e12", "e15", "e19", "e22" + event}},
		{"[e99](https://example.org)", []string{"e99" + event}},
		{"`e12` and ``e44``", []string{"e12", "e44" + event}},
		{"e0 and [e0]", []string{"e0" + event}},
		{"docs/queue.md:1-3, docs/queue.md:4.", []string{"docs/queue.md:1-3", "docs/queue.md:4" + line}},
		{"docs/queue.md:3–4 and docs/queue.md:0", []string{"docs/queue.md:3–4" + line, "docs/queue.md:0" + line}},
		{"docs/queue.md:3-1", []string{"docs/queue.md:3-1" + line}},
		{"docs/queue.md:2:14: error", []string{"docs/queue.md:2:14"}},
		{"docs/queue.md:L2-L3", []string{"docs/queue.md:L2-L3"}},
		{"queue.md:2, ./docs/queue.md:2, eue.md:2", []string{"queue.md:2", "./docs/queue.md:2", "eue.md:2" + document}},
		{"repo/docs/queue.md:2, 见 repo/docs/queue.md:9 and odocs/queue.md:2", []string{"odocs/queue.md:2" + document}},
		{"(`docs/queue.md:2`)", []string{"docs/queue.md:2"}},
		{"`docs/queue.md:2, e12`", []string{"docs/queue.md:2", "e12"}},
		{"[docs/queue.md:2](docs/queue.md)", []string{"docs/queue.md:2"}},
		{"src/app/[id].tsx:2 and my notes.txt:1, my notes.txt:7",
			[]string{"src/app/[id].tsx:2", "my notes.txt:1", "my notes.txt:7" + line}},
		{"Makefile:1 and Makefile:2; Dockerfile:3", []string{"Makefile:1", "Makefile:2" + line, "Dockerfile:3" + document}},
		{"dup.go:4 of one of two", []string{"dup.go:4"}},
		{"stdin:1, diff:HEAD~1:4", []string{"stdin:1", "diff:HEAD~1:4"}},
		{"other.go:12 was never given", []string{"other.go:12" + document}},
		{"main.go:10-13, main.go:14, main.go:31", []string{"main.go:10-13", "main.go:14" + line, "main.go:31"}},
		{"gone.go:2, café.go:1", []string{"gone.go:2", "café.go:1"}},
		{"> quoted e99\n> as is", []string{"e99" + event}},
		{"日本語では e12、e99。", []string{"e12", "e99" + event}},
		{"stack.md:3 ؟ docs/queue.md:2؛ docs/queue.md:1।",
			[]string{"stack.md:3" + document, "docs/queue.md:2", "docs/queue.md:1"}},
	}
	for _, test := range tests {
		check.Equal(t, fmt.Sprintf("%q", test.text), test.want, told(citation.Find(test.text, given(), asOf(20))))
	}
}

// A citation within Chinese text was taken for a document that does not exist: 根据queue.md:3。
func TestCitation_CitesBesideLettersWithoutSpaces(t *testing.T) {
	const event, document, line = "=no such event then", "=no such document", "=no such line"
	g := of(council.NewDocument("docs/queue.md", "one\ntwo\nthree\n"), council.NewDocument("设计/队列.md", "一\n二\n"),
		council.NewDocument("第3章.md", "一\n"), council.NewDocument("我的 笔记.md", "一\n"), asDiff())
	for text, want := range map[string]string{
		"根据queue.md:3，可以。":                                 "queue.md:3",
		"见 docs/queue.md:3。":                               "docs/queue.md:3",
		"见docs/queue.md:1-3和e12":                           "docs/queue.md:1-3 e12",
		"queue.md:3による":                                    "queue.md:3",
		"【queue.md:3】、「docs/queue.md:2」":                   "queue.md:3 docs/queue.md:2",
		"см. queue.md:3. Изqueue.md:2":                     "queue.md:3 queue.md:2",
		"根据队列.md:2，根据设计/队列.md:1":                           "队列.md:2 设计/队列.md:1",
		"按第3章.md:1，见我的 笔记.md:1处":                           "第3章.md:1 我的 笔记.md:1",
		"문서queue.md:3에서 e12에":                              "queue.md:3 e12",
		"ตามqueue.md:3และe12":                              "queue.md:3 e12",
		"وفقqueue.md:3، בqueue.md:2":                       "queue.md:3 queue.md:2",
		"queue.md:3：是；（e12）【事件e13】e2～e3":                   "queue.md:3 e12 e13 e2 e3",
		"见diff:HEAD~1:4和main.go:31":                        "diff:HEAD~1:4 main.go:31",
		"根据queue.md:9，见stack.md:3":                         "queue.md:9" + line + " stack.md:3" + document,
		"【e99】（见e98）【事件e97】":                               "e99" + event + " e98" + event + " e97" + event,
		"事件e99，e77车，型号e27灯泡，第e13a，https://例子.cn/a.md:3":    "",
		"电子邮件我@host.md:3，端口localhost:8080，时间12:30，版本e2e测试": "",
	} {
		check.Is(t, text, want, strings.Join(told(citation.Find(text, g, asOf(20))), " "))
	}
}

// Words about other things. None of them may be marked.
var innocent = []string{
	"Open with e4, answer e5; e4 e5 is the oldest line.", // nothing of it exists at the time
	"An e27 bulb, the e164 format, an e1000 card.",
	"Use e2-standard-4 or e2 instances; n2 and e2 cost the same.",
	"1e12 operations, 2.5e10 bytes, 0xe12, E404, E12, e12s, e12.5, e2e tests, e12_x, #e12, $e12, x=e12, /e12, e12@host.",
	"The commit e1071f, the package e1071, an e12 key.",
	"Listen on localhost:8080, 127.0.0.1:80, [::1]:443, example.org:443, db.internal:5432, redis:6379.",
	"At 12:30, a ratio of 3:1, in Mark 4:12, sha256:123456, urn:isbn:12345, node:22, golang:1.26.",
	"https://example.org/a/main.c:12 and http://host/x.go:80/y, ssh git@host.go:22.",
	"```\nmain.rs:12: panic\n  at e99\n```\nand then\n~~~text\nother.go:4\n```\nmore.go:5\n~~~\n",
	"`grep -n x other.go:12` prints `e99 e100 x`.",
	"image: registry.example.com/team/app:12 and v1.2.3:4.",
	"C:\\work\\x and http:12.",
	"The set {e1, e2, e3} of edges.",
	"Black has (?e5), [e7 | e5] or (!e5) to answer.",
}

func TestCitation_WhatIsNoCitationIsNotMarked(t *testing.T) {
	for _, text := range innocent {
		bad := citation.Unfounded(citation.Find(text, given(), asOf(1)))
		check.That(t, len(bad) == 0, "%q: %v", text, bad)
	}
}

func TestCitation_AMarkStandsBehindItsCitation(t *testing.T) {
	for text, want := range map[string]string{
		"As [e99, e12] and `x.go:3`, x.go:4.": "As [e99^, e12] and `x.go:3`^, x.go:4^.",
		"**e99**\nsee my notes.txt:9!":        "**e99^**\nsee my notes.txt:9^!",
		"e98-e99: yes":                        "e98-e99^^: yes",
	} {
		got, at := "", 0
		for _, c := range citation.Unfounded(citation.Find(text, given(), asOf(20))) {
			got, at = got+text[at:c.End]+"^", c.End
		}
		if got += text[at:]; got != want {
			t.Errorf("%q is marked as %q, not %q", text, got, want)
		}
	}
}

func TestCitation_ACitationThatStandsAloneIsTakenByTheLetter(t *testing.T) {
	g := given()
	for cite, want := range map[string]bool{
		"e1": true, "E20": true, "e21": false, "e0": false, "e-1": false, "e": false, "": false,
		"docs/queue.md": true, "queue.md": false, "docs/queue.md:3": true, "docs/queue.md:4": false,
		"docs/queue.md:1-3": true,
		"docs/queue.md:3-1": false, "docs/queue.md:": false, "docs/queue.md:x": false, "docs/queue.md:1-x": false,
		"main.go:12": true, "main.go:20": false, "main.go": true, "diff:HEAD~1:2": true,
	} {
		check.Is(t, cite, want, g.Exists(cite, asOf(20)))
	}
}

func TestCitation_AnEntryOfAListCitesWhatItNamesAndNothingElse(t *testing.T) {
	const event, document, line = "=no such event then", "=no such document", "=no such line"
	g := given()
	for cite, want := range map[string]string{
		"e1, e2; e3\ne99":          "e1 e2 e3 e99" + event,
		"[e1], (docs/queue.md)":    "e1 docs/queue.md",
		"e1,, e2,":                 "e1 e2",
		"events e1 and e4-e5":      "e1 e4 e5",
		"see e1, as e1 proves":     "e1 as e1 proves" + document,
		"queue.md:2":               "queue.md:2" + document,
		"docs/queue.md:9, e2":      "docs/queue.md:9" + line + " e2",
		"lines docs/queue.md:9":    "docs/queue.md:9" + line,
		"lines docs/queue.md:2":    "docs/queue.md:2",
		"lines queue.md:2":         "queue.md:2" + document,
		"other.md, docs/queue.m":   "other.md" + document + " docs/queue.m" + document,
		"docs/queue.md:x":          "docs/queue.md:x" + line,
		"见 docs/queue.md:3":        "docs/queue.md:3",
		"事件e13、事件e99":              "e13 e99" + event,
		"【e13】，（docs/queue.md:2）":  "e13 docs/queue.md:2",
		"根据docs/queue.md:2，e12による": "docs/queue.md:2 e12",
		"см. e1, événement e2":     "e1 e2",
		"Ereignis e1; siehe e99":   "e1 e99" + event,
		"根据queue.md:2":             "queue.md:2" + document, // by the letter
		"见第12条 e1":                 "见第12条 e1" + document,
		" , ":                      "," + document,
		"":                         document,
	} {
		check.Is(t, cite, want, strings.Join(told(g.ParseEntry(cite, asOf(20))), " "))
	}
}

func TestCitation_WhatToolsShowedCanBeCitedByWhoeverCouldKnowIt(t *testing.T) {
	g := citation.NewGiven()
	show := func(seq council.Seq, lines ...council.FileLines) {
		g.Take(council.Event{Seq: seq, Payload: council.ContributionMade{
			Answered: council.Answered{Tools: []council.ToolUse{{Given: lines}}},
		}})
	}
	show(5, council.FileLines{File: "a.go", From: 1, To: 10}, council.FileLines{File: "a.go", From: 21, To: 30})
	show(7, council.FileLines{File: "a.go", From: 11, To: 20})
	for _, test := range []struct {
		cite string
		at   citation.Moment
		want citation.Fault
	}{
		{"a.go:3", citation.Moment{AsOf: 4}, citation.NoDocument},
		{"a.go:3", citation.Moment{AsOf: 4, Event: 6}, citation.NoDocument}, // asked together with its reader
		{"a.go:3", citation.Moment{AsOf: 4, Event: 5}, ""},                  // looked up for this very reply
		{"a.go:3", citation.Moment{AsOf: 5, Event: 6}, ""},
		{"a.go:12", citation.Moment{AsOf: 5, Event: 6}, citation.NoLine},
		{"a.go:5-25", citation.Moment{AsOf: 5, Event: 7}, ""},
		{"a.go:5-31", citation.Moment{AsOf: 9}, citation.NoLine},
	} {
		got := citation.Find(test.cite, g, test.at)
		check.That(t, len(got) == 1 && got[0].Fault == test.want && g.Exists(test.cite, test.at) == (test.want == ""),
			"%s at %v: %v, want %q", test.cite, test.at, got, test.want)
	}
}

func FuzzIn(f *testing.F) {
	for _, text := range innocent {
		f.Add(text)
	}
	f.Add("[e99, e12] `x.go:3` my notes.txt:9 src/app/[id].tsx:2–9 \xff e1\x00")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, c := range citation.Find(text, given(), asOf(5)) {
			if c.End < at || c.End > len(text) || c.Text == "" {
				t.Fatalf("%q: %+v after %d", text, c, at)
			}
			at = c.End
		}
		// Given names hold beside any letters of other scripts.
		beside := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Latin, r) || !unicode.IsLetter(r) || r < 0x80 {
				return -1
			}
			return r
		}, text)
		beside = string([]rune(beside)[:min(len([]rune(beside)), 30)])
		for _, cite := range []string{"docs/queue.md:2", "e3", "my notes.txt:1"} {
			text := beside + cite + beside
			got := citation.Find(text, given(), asOf(5))
			if len(got) != 1 || got[0].Fault != "" || got[0].Text != cite {
				t.Fatalf("%q cites %+v, not %s", text, got, cite)
			}
		}
	})
}

// Reading grows with the length of any text.
func BenchmarkIn(b *testing.B) {
	for name, piece := range map[string]string{
		"prose": "As e12 says in docs/queue.md:2, we do [e3, e99] that. ", "ticks": "`` ` ", "events": "e1-e2-e3-",
		"colons": "a.go:1:", "joined": "根据docs/queue.md:2和e12，", "letters": "见e1:1",
	} {
		text := strings.Repeat(piece, 200_000/len(piece))
		b.Run(name, func(b *testing.B) {
			g := given()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				citation.Find(text, g, asOf(20))
			}
		})
	}
}

func ExampleIn() {
	topic := council.Topic{Documents: []council.Document{council.NewDocument("notes.md", "one\ntwo\n")}}
	given := citation.NewGiven()
	given.Take(council.Event{Seq: 1, Payload: council.SessionStarted{Topic: topic}})
	for _, c := range citation.Find("notes.md:2 and e40 say so, notes.md:9 does not.", given, citation.Moment{AsOf: 12}) {
		fmt.Printf("%s: %q\n", c.Text, c.Fault)
	}
	// Output:
	// notes.md:2: ""
	// e40: "no such event then"
	// notes.md:9: "no such line"
}
