package mind

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadTopic(t *testing.T) {
	for topic, want := range map[string]Question{
		"Shall we move the job queue to NATS?":                    {Form: Proposal, Action: "move the job queue to NATS"},
		"Should I rewrite the parser in Rust?":                    {Form: Proposal, Action: "rewrite the parser in Rust"},
		"Decide whether we should replace polling.":               {Form: Proposal, Action: "replace polling"},
		"Shall we move or not?":                                   {Form: Proposal, Action: "move"},
		"Do we ship the release now?":                             {Form: Proposal, Action: "ship the release"},
		"Should we stop, right now?":                              {Form: Proposal, Action: "stop"},
		"Decide whether we should begin now or not.":              {Form: Proposal, Action: "begin"},
		"Shall we tell what we know?":                             {Form: Proposal, Action: "tell what we know"},
		"Should we use Postgres or SQLite?":                       {Form: Choice, options: []string{"Postgres", "SQLite"}},
		"Should we keep PostgreSQL or move to NATS?":              {Form: Choice, options: []string{"keep PostgreSQL", "move to NATS"}},
		"Is the login safe to ship?":                              {Form: Verdict},
		"Does the README say enough?":                             {Form: Verdict},
		"How do we get invoices out on time?":                     {Form: Open},
		"Review the README":                                       {Form: Open},
		"Sollen wir umziehen?":                                    {Form: Open},
		"是否迁移队列？":                                                 {Form: Open},
		"We have a queue. It is slow. Shall we move it? By June.": {Form: Proposal, Action: "move it"},
		"# Heading\n\n- Shall we?":                                {Form: Verdict},
		"...":                                                     {Form: Open},
		"":                                                        {Form: Open},
		"Should we " + strings.Repeat("really ", 80) + "do this?": {Form: Verdict},
	} {
		got := readTopic(topic)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Question{}), cmpopts.IgnoreFields(Question{}, "Text", "Short")); diff != "" && utf8.RuneCountInString(topic) < maxQuestion {
			t.Errorf("%q (-want +got):\n%s", topic, diff)
		}
		if got.Text == "" || got.Short == "" || utf8.RuneCountInString(got.Text) > maxQuestion || utf8.RuneCountInString(got.Short) > 64 {
			t.Errorf("%.60q is repeated as %q, in short %q", topic, got.Text, got.Short)
		}
	}
}

func TestNumberedList(t *testing.T) {
	for want, items := range map[string][]string{
		"a runbook":                                 {"a runbook"},
		"(1) a runbook; and (2) a date":             {"a runbook", "a date"},
		"(1) a runbook; (2) a date; and (3) a name": {"a runbook", "a date", "a name"},
	} {
		if got := NumberedList(items); got != want {
			t.Errorf("%v is written as %q", items, got)
		}
	}
}

func TestPlainUndoesEscapes(t *testing.T) {
	text := "a *star*, a [bracket], a_b and `code` at C:\\temp"
	if got := Plain(Words(text)); got != text {
		t.Errorf("%q came back as %q", text, got)
	}
}
