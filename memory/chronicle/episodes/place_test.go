package episodes

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory/chronicle"
)

func TestDayOf(t *testing.T) {
	for id, want := range map[council.SessionID]string{
		"20261121-081500-shall-we-7f3k2a": "episodes/2026/11/21",
		"20240229-x":                      "episodes/2024/02/29",
		"20230229-x":                      "episodes/0000/00/00", // there was no such day
		"20261121":                        "episodes/0000/00/00",
		"2026-11-21-x":                    "episodes/0000/00/00",
		"no-date":                         "episodes/0000/00/00",
	} {
		check.Is(t, id, want, check.Get(dayOf(episodes, id))(t))
	}
}

// No two ids share a file.
func TestSessionOf_InvertsPaths(t *testing.T) {
	ids := rapid.OneOf(
		rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,95}`),
		rapid.StringMatching(`20[0-9]{2}[01][0-9][0-3][0-9]-[0-9]{6}-[a-z0-9-]{1,20}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		session := council.SessionID(ids.Draw(t, "session"))
		turn := chronicle.TurnID(session, council.Seq(rapid.IntRange(1, 999_999_999).Draw(t, "event")))
		for file, of := range map[string]tree{string(session) + ".json": episodes, turn + ".json": turns,
			string(session) + ".zip": turns} {
			day := check.Get(dayOf(of, session))(t)
			check.Is(t, file, session, sessionOf(of, day, file))
			if sessionOf(of, string(of)+"/1999/01/01", file) != "" && day != string(of)+"/1999/01/01" {
				t.Fatalf("%s is taken for a file of another day", file)
			}
		}
	})
}

func TestSessionOf_RefusesForeignFiles(t *testing.T) {
	for _, name := range []string{
		"", "21", "../x.json", "/x.json", "../21/20261121-a.json", "20261121-a.json/x", "20261122-a.json", "20261121-a",
		"20261121-A.json", "20261121-a.e1.json", "20261121-a.zip", ".20261121-a.json", "20261121-a.json.tmp",
	} {
		check.Is(t, name, "", sessionOf(episodes, "episodes/2026/11/21", name))
	}
	for _, name := range []string{"20261121-a.json", "20261121-a.e1.zip", "20261121-a.e01.json", "20261122-a.e1.json",
		"20261122-a.zip", "20261121-a.e1", "../20261121-a.zip"} {
		check.Is(t, name, "", sessionOf(turns, "turns/2026/11/21", name))
	}
}
