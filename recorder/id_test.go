package recorder_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

var morning = time.Date(2026, 11, 21, 9, 15, 0, 0, time.FixedZone("CET", 3600))

func TestNewSessionID_ContainsTheTopic(t *testing.T) {
	tests := []struct{ name, topic, slug string }{
		{"plain words", "Shall we adopt NATS?", "shall-we-adopt-nats"},
		{"punctuation and spaces", "  REST -- or / gRPC...\nnext year? ", "rest-or-grpc-next-year"},
		{"an apostrophe", "What's our users' need", "whats-our-users-need"},
		{"cut between words", "Should the platform team migrate all of its services to Kubernetes",
			"should-the-platform-team-migrate-all-of"},
		{"one long word", strings.Repeat("x", 100), strings.Repeat("x", 40)},
		{"marks over letters", "Ärger über Qualität à la carte", "arger-uber-qualitat-a-la-carte"},
		{"letters that do not come apart", "Straße, Øre og Łódź", "strasse-ore-og-lodz"},
		{"another script", "我们应该采用 NATS 吗", "nats"},
		{"another script alone", "Стоит ли нам", "session"},
		{"no words at all", "?!…", "session"},
		{"nothing", "", "session"},
		{"a way out", "../../etc/passwd", "etc-passwd"},
		{"what a terminal would obey", "a\x1b[2Jb\u202ec", "a-2jb-c"},
		{"no text", "\xff\xfe", "session"},
		{"a megabyte", strings.Repeat("ab ", 400_000), strings.TrimSuffix(strings.Repeat("ab-", 13), "-")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, err := recorder.NewSessionID(morning, test.topic, bytes.NewReader([]byte{7, 15, 3, 19, 2, 10}))
			if want := "20261121-081500-" + test.slug + "-7f3k2a"; err != nil || string(id) != want {
				t.Fatalf("%q, %v; want %q", id, err, want)
			}
		})
	}
}

func TestNewSessionID_IsAlwaysSafe(t *testing.T) {
	form := regexp.MustCompile(`^\d{8}-\d{6}-[a-z0-9]+(-[a-z0-9]+)*-[0-9a-z]{6}$`)
	rapid.Check(t, func(t *rapid.T) {
		random := bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(t, "random"))
		id, err := recorder.NewSessionID(morning, rapid.String().Draw(t, "topic"), random)
		if err != nil || !form.MatchString(string(id)) || len(id) > 64 {
			t.Fatalf("%q, %v", id, err)
		}
	})
}

// One session in a thousand was drawn six digits, which look like the beginning of an id, and had no short name.
func TestNewSessionID_HasAShortName(t *testing.T) {
	for first := range byte(10) {
		id, err := recorder.NewSessionID(morning, "Queue", bytes.NewReader([]byte{first, 2, 5, 5, 1, 3}))
		name := recorder.Short([]council.SessionID{id})(id)
		if err != nil || len(name) != 6 || !strings.HasSuffix(name, "25513") {
			t.Errorf("%s is called %s: %v", id, name, err)
		}
	}
}

func TestNewSessionID_SortsByTime(t *testing.T) {
	zeros := bytes.NewReader(make([]byte, 12))
	early, err := recorder.NewSessionID(morning, "zebra", zeros)
	late, err2 := recorder.NewSessionID(morning.Add(time.Second), "ant", zeros)
	if err != nil || err2 != nil || early >= late {
		t.Fatalf("%s, %s: %v", early, late, errors.Join(err, err2))
	}
}

func TestNewSessionID_NeedsRandomness(t *testing.T) {
	if _, err := recorder.NewSessionID(morning, "x", iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err,
		io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
}
