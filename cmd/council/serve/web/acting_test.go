package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
)

// payloads are texts that act where they are taken for HTML, one a line of testdata/payloads.txt, also as they may be
// smuggled in: in Markdown, behind what ends an attribute or an element, in a link.
func payloads(t testing.TB) (all []string) {
	doc := check.Get(os.ReadFile("testdata/payloads.txt"))(t)
	for line := range strings.Lines(string(doc)) {
		line = strings.TrimSpace(line)
		all = append(all, line, `"'></title></textarea></svg>`+line, "# "+line+"\n\n> "+line+"\n\n| a |\n|---|\n| "+line+" |")
	}
	return all
}

// elements are those that pages have, with the attributes that each may have; "" stands for all of them.
var elements = map[string]string{"": "class id lang role tabindex aria-label aria-labelledby aria-current title",
	"html": "", "head": "", "meta": "charset name content", "title": "", "link": "rel href", "script": "src defer",
	"body": "", "a": "href download rel", "header": "", "nav": "", "main": "", "section": "", "article": "", "footer": "",
	"figure": "", "figcaption": "", "div": "data-live", "span": "data-state", "p": "", "h1": "", "h2": "", "h3": "",
	"h4": "", "h5": "", "h6": "", "b": "", "strong": "", "em": "", "del": "", "code": "", "pre": "", "blockquote": "",
	"br": "", "hr": "", "ul": "", "ol": "start", "li": "", "dl": "", "dt": "", "dd": "", "table": "", "thead": "",
	"tbody": "", "tr": "", "th": "scope align", "td": "align colspan", "time": "datetime", "details": "open",
	"summary": "", "form": "method action enctype", "label": "", "fieldset": "", "legend": "", "button": "name value",
	"input":    "type name value placeholder required checked min max inputmode multiple",
	"textarea": "name rows required maxlength", "select": "name", "option": "value selected",
	"svg": "width height viewbox", "g": "", "rect": "x y width height rx transform", "text": "x y transform",
	"line": "x1 y1 x2 y2"}

// inert reports what on a page may act that is not the pages' own.
func inert(t *testing.T, where, page string) {
	t.Helper()
	doc := check.Get(html.Parse(strings.NewReader(page)))(t)
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		allowed, known := elements[n.Data]
		if !known {
			t.Fatalf("%s: there is an element %s: %.300s", where, n.Data, page)
		}
		for _, a := range n.Attr {
			if !slices.Contains(strings.Fields(allowed+" "+elements[""]), strings.ToLower(a.Key)) {
				t.Fatalf("%s: %s has the attribute %s=%q", where, n.Data, a.Key, a.Val)
			}
			switch a.Key {
			case "href", "src", "action", "data-live":
				u, err := url.Parse(a.Val)
				outward := n.Data == "a" && err == nil && slices.Contains([]string{"http", "https", "mailto"}, u.Scheme)
				if err != nil || !outward && (u.Scheme != "" || u.Host != "" || !strings.HasPrefix(a.Val, "/") &&
					!strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "?")) {
					t.Fatalf("%s: %s leads to %q", where, n.Data, a.Val)
				}
			}
		}
		if n.Data == "script" && (n.FirstChild != nil || n.Attr[0].Val != "/static/page.js") {
			t.Fatalf("%s: a script of others", where)
		}
	}
}

// poisoned returns the whole session in which everybody wrote payloads everywhere, from the nth on.
func poisoned(all []string, n int) *sitting {
	next := func() string { n++; return all[n%len(all)] }
	said := counciltest.WholeSession()
	for i := range said {
		said[i].Payload = council.EditTexts(said[i].Payload, func(kind council.TextKind, text string) string {
			switch kind {
			case council.TextID, council.TextMember, council.TextBlocker:
				return text
			}
			return next()
		})
	}
	log := counciltest.LogOf(id, said)
	t := &sitting{Session: workspace.Session{ID: id, Short: "7f3k2a", Entries: log, Minutes: render.MinutesOf(log),
		Running: true}, Later: []string{next()}}
	t.Now.Asks = []live.Ask{{Member: "ada", Kind: "turn", Words: next(), Wait: next()}}
	for _, kind := range []council.AskKind{"position", "turn", "ballot", "second", "nominate", "rank", "draft", "review"} {
		t.Questions = append(t.Questions, Question{Ask: council.Ask{ID: council.AskID(next()), Kind: kind}, Who: next(),
			Text: next(), Stance: true})
	}
	return t
}

func TestActing_NothingOfOthersActsOnAPage(t *testing.T) {
	all := payloads(t)
	if len(all) < 150 {
		t.Fatalf("%d payloads", len(all))
	}
	s := newServer(Door{})
	for n := 0; n < len(all); n += counciltest.Often(13, 1) {
		where := fmt.Sprintf("payload %d", n)
		at := poisoned(all, n)
		for _, page := range []view{{Title: all[n], Page: "session", Body: at}, {Page: "error", Body: all[n]},
			{Page: "drafts", Body: map[string]any{"T": at, "Shown": at.Minutes.Drafts}},
			{Page: "sessions", Notice: &notice{Text: all[n]}, Body: map[string]any{"Q": all[n], "Since": all[n],
				"Status": all[n], "Failed": all[n], "All": lied[workspace.Listed](t, all[n])}},
			{Page: "memory", Body: map[string]any{"Q": url.Values{"told": {all[n]}, "member": {all[n]}}, "Told": all[n],
				"Failed": "", "Kinds": []string{all[n]}, "Statuses": []string{}, "All": lied[memories.Shown](t, all[n])}},
			{Page: "costs", Body: map[string]any{"Days": bars(lied[index.Used](t, all[n])), "Sums": lied[index.Used](t, all[n]),
				"By": all[n], "Ways": []string{all[n]}, "Since": all[n], "Failed": ""}},
			{Page: "runs", Body: []table{{Title: "Runs", Columns: []string{"session", "why"}, Acts: []string{"retry"},
				Rows: [][]any{{all[n], all[n]}}, Failed: all[n]}}},
			{Page: "convene", Body: map[string]any{"Asked": asked{Documents: []string{all[n]}, Forecast: all[n],
				Values: url.Values{"topic": {all[n]}, "options": {all[n]}, "model": {all[n]}, "me": {all[n]},
					"budget-usd": {all[n]}}}, "Failed": "", "Councils": lied[seat.Line](t, all[n])}},
		} {
			var b bytes.Buffer
			check.OK(t, s.pages.ExecuteTemplate(&b, "page", page))
			inert(t, where+" on "+page.Page, b.String())
		}
		_, text := render.NewTranscript(at.Entries)
		inert(t, where+" in the minutes", s.fragment("minutes", view{Body: map[string]any{"T": at, "Text": string(text),
			"Part": 1, "Of": 1}}))
	}
}

// lied returns a list of one thing whose texts are all the payload.
func lied[T any](t *testing.T, payload string) []T {
	text, _ := json.Marshal(payload)
	var one T
	doc := fmt.Sprintf(
		`{"id":%[1]s,"short":%[1]s,"topic":%[1]s,"council":%[1]s,"state":%[1]s,"approval":%[1]s,"reason":%[1]s,
		"started":%[1]s,"kind":%[1]s,"status":%[1]s,"summary":%[1]s,"detail":%[1]s,"member":%[1]s,"key":%[1]s,"name":%[1]s,
		"title":%[1]s,"evidence":[{"sessionId":%[1]s,"eventId":%[1]s}]}`, text)
	check.OK(t, json.Unmarshal([]byte(doc), &one))
	return []T{one}
}
