package episodes

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
)

func TestPlaces(t *testing.T) {
	for id, want := range map[council.SessionID]string{
		"20261121-081500-shall-we-7f3k2a": "episodes/2026/11/21/20261121-081500-shall-we-7f3k2a.json",
		"20240229-x":                      "episodes/2024/02/29/20240229-x.json",
		"20230229-x":                      "episodes/0000/00/00/20230229-x.json", // there was no such day
		"20261121":                        "episodes/0000/00/00/20261121.json",
		"2026-11-21-x":                    "episodes/0000/00/00/2026-11-21-x.json",
		"no-date":                         "episodes/0000/00/00/no-date.json",
	} {
		p, err := placeOf(episodes, id, string(id))
		if err != nil || p.file() != want {
			t.Errorf("%s belongs to %s, want %s (%v)", id, p.file(), want, err)
		}
	}
}

// The path says the id and the id says the path, so that no two ids can meet in one file.
func TestPathsAndIDs(t *testing.T) {
	ids := rapid.OneOf(
		rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,95}`),
		rapid.StringMatching(`20[0-9]{2}[01][0-9][0-3][0-9]-[0-9]{6}-[a-z0-9-]{1,20}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		session := council.SessionID(ids.Draw(t, "session"))
		seq := council.Seq(rapid.IntRange(1, 999_999_999).Draw(t, "event"))
		for of, id := range map[tree]string{episodes: string(session), turns: chronicle.TurnID(session, seq)} {
			p, err := placeOf(of, session, id)
			if err != nil {
				t.Fatal(err)
			}
			back, ours := idOf(of, p.month, p.packed())
			if !ours || back != id {
				t.Fatalf("%s of %s is read as %q", p.file(), id, back)
			}
			if _, ours := idOf(of, "1999/01", p.packed()); ours && p.month != "1999/01" {
				t.Fatalf("%s is taken for a file of another month", p.packed())
			}
		}
		back, n, err := chronicle.ParseTurnID(chronicle.TurnID(session, seq))
		if err != nil || back != session || n != seq {
			t.Fatalf("%s event %d is read as %s event %d: %v", session, seq, back, n, err)
		}
	})
}

func TestStrangersAreNotOurs(t *testing.T) {
	for _, name := range []string{
		"", "21", "21/", "../21/x.json", "/21/x.json", "21/../x.json", "21/20261121-a.json/x", "22/20261121-a.json",
		"21/20261121-a", "21/20261121-A.json", "21/20261121-a.e1.json", "21//20261121-a.json",
	} {
		if id, ours := idOf(episodes, "2026/11", name); ours {
			t.Errorf("%q is taken for %q", name, id)
		}
	}
}
