package member_test

import (
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/internal/check"
)

// process is a new process: it knows only the written quirks.
func process(t *testing.T, s *server, d dialect, doc *[]byte, now time.Time) {
	t.Helper()
	quirks := &endpoint.Quirks{Now: func() time.Time { return now }, Keep: func(all []byte) { *doc = all }}
	quirks.Recall(*doc)
	m := check.Get(d.open(d.at(s.URL), endpoint.Options{Getenv: environment, Quirks: quirks}))(t)
	check.Is(t, "the reply", "x", check.Get(ask(m, structured()))(t).Text)
}

func TestKept_IsReadByAnotherProcess(t *testing.T) {
	refusal := script{status: 400, kind: "invalid_request_error", words: "json_schema is not supported"}
	day := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for _, d := range protocols {
		t.Run(d.name, func(t *testing.T) {
			s := serve(t, d, refusal, script{text: "x"})
			var doc []byte
			process(t, s, d, &doc, day)
			if s.count() != 2 {
				t.Fatalf("%d calls, want a refused one and another", s.count())
			}
			process(t, s, d, &doc, day.AddDate(0, 0, 20))
			if s.count() != 3 || s.asked(2).Schema != "" {
				t.Errorf("%d calls: the second process asked what was known", s.count())
			}
			if !strings.Contains(string(doc), s.URL) || strings.Contains(string(doc), secret) {
				t.Errorf("%s", doc)
			}
			process(t, s, d, &doc, day.AddDate(0, 2, 0)) // by now the server may take it
			if s.asked(3).Schema == "" {
				t.Error("what was found two months ago is still believed")
			}
		})
	}
}

func TestKept_IsChecked(t *testing.T) {
	day := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for name, doc := range map[string]string{
		"nothing":          "",
		"damage":           `{"version": 1, "places`,
		"another version":  `{"version": 2, "places": {"URL m-1": {"schema": "2026-11-20"}}}`,
		"no date":          `{"version": 1, "places": {"URL m-1": {"schema": "always"}}}`,
		"the future":       `{"version": 1, "places": {"URL m-1": {"schema": "2027-11-20"}}}`,
		"unknown feature":  `{"version": 1, "places": {"URL m-1": {"messages": "2026-11-20"}}}`,
		"another model":    `{"version": 1, "places": {"URL m-2": {"schema": "2026-11-20"}}}`,
		"another protocol": `{"version": 1, "places": {"URL m-1 responses": {"schema": "2026-11-20"}}}`,
	} {
		s := serve(t, chat, script{text: "x"})
		kept := []byte(strings.ReplaceAll(doc, "URL", s.URL+"/"))
		process(t, s, chat, &kept, day)
		check.Is(t, name+" is believed", false, s.asked(0).Schema == "")
	}
}
