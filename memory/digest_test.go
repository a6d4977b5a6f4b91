package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
)

// start is when the first session of a test closed. Session n closed n days later, and its id says otherwise: ids
// follow when sessions opened, and members must be told by when they closed.
var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func sessionID(n int) council.SessionID {
	return council.SessionID(fmt.Sprintf("2025%04d-000000-aaaaaa", 9999-n))
}

func closedOn(n int) time.Time { return start.AddDate(0, 0, n) }

// bookAfter returns an empty book into which sessions 1 to n were folded.
func bookAfter(n int) Book {
	b := Book{Format: Format, Member: "ada", Name: "Ada", Sessions: n}
	for i := max(1, n-MaxRecent+1); i <= n; i++ {
		b.Recent = append(b.Recent, Closed{Session: sessionID(i), At: closedOn(i), UpTo: 9})
	}
	return b
}

// said is an active record with evidence in the given sessions. Session 0 is a person's word before the first.
func saidIn(id string, importance int, sessions ...int) Record {
	r := Record{ID: id, Kind: KindDecision, Status: StatusActive, Summary: "Summary of " + id + ".",
		Importance: importance, UpdatedAt: start}
	for _, n := range sessions {
		if n == 0 {
			r.Evidence = append(r.Evidence, Evidence{Note: "I say so."})
			continue
		}
		r.Evidence = append(r.Evidence, Evidence{SessionID: sessionID(n), EventID: "e7"})
	}
	return r
}

func ids(r council.Reminder) string {
	var all []string
	for _, told := range r.Records {
		all = append(all, told.ID)
	}
	return strings.Join(all, " ")
}

func TestARecordIsToldForTwentyFiveSessions(t *testing.T) {
	for _, tt := range []struct {
		name     string
		evidence []int
		last     int // the last number of closed sessions after which it is told
	}{
		{"said once", []int{1}, 25},
		{"said in a later session", []int{7}, 31},
		{"borne out", []int{1, 10}, 34},
		{"borne out, and listed in another order", []int{10, 1}, 34},
		{"a person's word before any session", []int{0}, 24},
		{"a person's word that was borne out", []int{0, 3}, 27},
	} {
		r := saidIn("r-1", 3, tt.evidence...)
		for n := slices.Max(tt.evidence); n < 70; n++ {
			b := bookAfter(n)
			b.Records = []Record{r}
			told := len(Digest(b, closedOn(n), DigestSize, false).Records) == 1
			if want := n <= tt.last; told != want || b.Faded(r) == want {
				t.Errorf("%s, after %d sessions: told %v, faded %v", tt.name, n, told, b.Faded(r))
			}
		}
	}
}

func TestAPersonsWordCountsAtTheSessionBeforeIt(t *testing.T) {
	r := saidIn("r-1", 3, 1)
	r.Evidence = append(r.Evidence, Evidence{SessionID: sessionID(20), Note: "Still so."})
	for n, want := range map[int]bool{44: true, 45: false} {
		b := bookAfter(n)
		b.Records = []Record{r}
		if told := !b.Faded(r); told != want {
			t.Errorf("after %d sessions: told %v", n, told)
		}
	}
}

func TestTheClockFadesNothing(t *testing.T) {
	b := bookAfter(24)
	b.Records = []Record{saidIn("r-1", 3, 1)}
	if got := Digest(b, start.AddDate(100, 0, 0), DigestSize, false); len(got.Records) != 1 {
		t.Error("a hundred years have passed and no session, and the record is not told")
	}
}

func TestTheMostImportantComesFirst(t *testing.T) {
	b := bookAfter(40)
	b.Records = []Record{
		saidIn("r-old", 3, 20), saidIn("r-new", 3, 40), saidIn("r-b", 3, 30), saidIn("r-a", 3, 30), saidIn("r-least", 1, 40),
		saidIn("r-most", 5, 16), saidIn("r-faded", 5, 15),
	}
	b.Records[2].Kind = KindLesson // r-b, which a constraint of the same session comes before
	b.Records = append(b.Records, saidIn("r-z", 3, 30))
	b.Records[len(b.Records)-1].Kind = KindConstraint
	for i, status := range []Status{StatusResolved, StatusSuperseded, StatusStale} {
		r := saidIn(fmt.Sprintf("r-no%d", i), 5, 40)
		r.Status = status
		b.Records = append(b.Records, r)
	}
	got := Digest(b, closedOn(41), DigestSize, false)
	if want := "r-most r-new r-a r-z r-b r-old r-least"; ids(got) != want || got.Left != 0 || got.Member != "ada" {
		t.Errorf("told %s, %d left, to %s; want %s", ids(got), got.Left, got.Member, want)
	}
}

func TestADigestEndsWhereTheRoomDoes(t *testing.T) {
	b := bookAfter(3)
	big, small := saidIn("r-big", 5, 3), saidIn("r-small", 4, 3)
	big.Detail = strings.Repeat("ü", 100)
	b.Records = []Record{big, small}
	costs := DigestEntry + utf8.RuneCountInString(big.Summary) + 100
	both := costs + DigestEntry + len(small.Summary)
	for _, tt := range []struct {
		size int
		told string
		left int
	}{
		{0, "", 2}, {-1, "", 2},
		{costs - 1, "", 2}, // the small one would fit, but nothing is told in the place of something more important
		{costs, "r-big", 1}, {both - 1, "r-big", 1}, {both, "r-big r-small", 0},
	} {
		got := Digest(b, closedOn(4), tt.size, false)
		if ids(got) != tt.told || got.Left != tt.left {
			t.Errorf("with room for %d characters: told %q, %d left", tt.size, ids(got), got.Left)
		}
	}
}

func TestWhatExpiresWhileNobodyMeetsIsNotTold(t *testing.T) {
	b := bookAfter(3)
	r := saidIn("r-1", 3, 3)
	end := closedOn(30)
	r.ExpiresAt = &end
	b.Records = []Record{r}
	if got := Digest(b, end.Add(-1), DigestSize, false); len(got.Records) != 1 {
		t.Error("it is not told while it holds")
	}
	if got := Digest(b, end, DigestSize, false); len(got.Records) != 0 || got.Left != 0 {
		t.Error("it is told when it no longer holds")
	}
}

func TestAReminderIsDatedByItsNewestEvidence(t *testing.T) {
	b := bookAfter(30)
	twice := saidIn("r-1", 3, 8, 29)
	corrected := saidIn("r-2", 2, 9)
	corrected.Evidence = append(corrected.Evidence, Evidence{SessionID: sessionID(9), Note: "Kim: no, in June."})
	corrected.UpdatedAt = time.Date(2026, 6, 1, 23, 30, 0, 0, time.FixedZone("", -3600))
	b.Records = []Record{twice, corrected}
	got := Digest(b, closedOn(31), DigestSize, false).Records
	if got[0].Date != "2026-01-30" || got[1].Date != "2026-06-02" {
		t.Errorf("dated %s and %s", got[0].Date, got[1].Date)
	}
}

func TestAnEmptyBookRemindsOfNothing(t *testing.T) {
	text, err := json.Marshal(Digest(Book{}, start, DigestSize, false))
	if err != nil || string(text) != `{"records":[]}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestEveryRecordIsExplained(t *testing.T) {
	b := bookAfter(40)
	end := closedOn(40)
	expired := saidIn("r-expired", 5, 40)
	expired.ExpiresAt = &end
	b.Records = []Record{saidIn("r-told", 4, 40), saidIn("r-no-room", 3, 40), saidIn("r-faded", 5, 15), expired}
	want := []Telling{TellingTold, TellingNoRoom, TellingFaded, TellingStale}
	for _, s := range Statuses()[1:] {
		r := saidIn("r-"+string(s), 5, 40)
		r.Status = s
		b.Records = append(b.Records, r)
		want = append(want, Telling(s))
	}
	if got := Tellings(b, closedOn(41), 90, false); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A book of any form is told as a plain sort tells it, and every record is explained by what happened to it.
func TestADigestIsThatOfItsNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := bookAfter(rapid.IntRange(0, 60).Draw(t, "sessions"))
		for i := range rapid.IntRange(0, 60).Draw(t, "records") {
			evidence := rapid.SliceOfN(rapid.IntRange(0, b.Sessions), 0, 4).Draw(t, "evidence")
			r := saidIn(fmt.Sprintf("r-%d", (i*37)%101), rapid.IntRange(1, 5).Draw(t, "importance"), evidence...)
			r.Status = rapid.SampledFrom([]Status{StatusActive, StatusActive, StatusActive, StatusResolved}).Draw(t, "status")
			r.Kind = rapid.SampledFrom(Kinds()).Draw(t, "kind")
			r.Detail = strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "detail"))
			b.Records = append(b.Records, r)
		}
		size := rapid.IntRange(0, 3000).Draw(t, "size")
		at := closedOn(b.Sessions)
		got, want := Digest(b, at, size, false), naive(b, size)
		if ids(got) != ids(want) || got.Left != want.Left {
			t.Fatalf("got %s and %d left, want %s and %d", ids(got), got.Left, ids(want), want.Left)
		}
		counts := map[Telling]int{}
		for _, telling := range Tellings(b, at, size, false) {
			counts[telling]++
		}
		if counts[TellingTold] != len(got.Records) || counts[TellingNoRoom] != got.Left {
			t.Fatalf("%d told and %d left are explained as %v", len(got.Records), got.Left, counts)
		}
	})
}

func naive(b Book, size int) council.Reminder {
	number := func(r Record) int { // of the session that bore the record out last; 0 stands before the first
		best := -1
		for _, e := range r.Evidence {
			if e.SessionID == "" {
				best = max(best, 0)
			}
			for i, c := range b.Recent {
				if c.Session == e.SessionID {
					best = max(best, b.Sessions-len(b.Recent)+i+1)
				}
			}
		}
		return best
	}
	var all []Record
	for _, r := range b.Records {
		if n := number(r); r.Status == StatusActive && n >= 0 && b.Sessions-n < Fade {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(x, y Record) int {
		return cmp.Or(y.Importance-x.Importance, number(y)-number(x),
			slices.Index(Kinds(), x.Kind)-slices.Index(Kinds(), y.Kind), cmp.Compare(x.ID, y.ID))
	})
	reminder := council.Reminder{Left: len(all)}
	for _, r := range all {
		if size -= DigestEntry + utf8.RuneCountInString(r.Summary+r.Detail); size < 0 {
			break
		}
		reminder.Records = append(reminder.Records, council.Remembered{ID: r.ID})
		reminder.Left--
	}
	return reminder
}

// What a digest holds must be allowed to stand in an opening, or no session could be convened.
func TestADigestFitsIntoAnOpening(t *testing.T) {
	if MaxSummary > council.MaxRememberedSummary || MaxDetail > council.MaxRememberedDetail {
		t.Error("a record may be longer than one that a session is told")
	}
	if DigestSize > council.MaxReminder || DigestSize/DigestEntry > council.MaxReminded {
		t.Error("a digest may be longer than a reminder")
	}
}
