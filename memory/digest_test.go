package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
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

// saidIn is an active record with evidence in the given sessions. Session 0 is a person's word before the first, and
// -20 one after session 20.
func saidIn(id string, importance int, sessions ...int) Record {
	r := Record{ID: id, Kind: KindDecision, Status: StatusActive, Summary: "Summary of " + id + ".",
		Importance: importance, UpdatedAt: start}
	for _, n := range sessions {
		switch {
		case n == 0:
			r.Evidence = append(r.Evidence, Evidence{Note: "I say so."})
		case n < 0:
			r.Evidence = append(r.Evidence, Evidence{SessionID: sessionID(-n), Note: "Still so."})
		default:
			r.Evidence = append(r.Evidence, Evidence{SessionID: sessionID(n), EventID: "e7"})
		}
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

// Only sessions count: a hundred years pass as well.
func TestDigest_HasARecordFor25Sessions(t *testing.T) {
	for _, tt := range []struct {
		name     string
		evidence []int
		last     int // the last number of closed sessions after which a digest has it
	}{
		{"said once", []int{1}, 25},
		{"said in a later session", []int{7}, 31},
		{"borne out", []int{1, 10}, 34},
		{"borne out, and listed in another order", []int{10, 1}, 34},
		{"a person's word before any session", []int{0}, 24},
		{"a person's word that was borne out", []int{0, 3}, 27},
		{"a person's word after a session", []int{1, -20}, 44},
	} {
		r := saidIn("r-1", 3, tt.evidence...)
		for n := max(slices.Max(tt.evidence), -slices.Min(tt.evidence)); n < 70; n++ {
			b := bookAfter(n)
			b.Records = []Record{r}
			told := len(Digest(b, closedOn(n).AddDate(100, 0, 0), Subject{}, council.ReminderSize, false).Records) == 1
			if want := n <= tt.last; told != want || b.Faded(r) == want {
				t.Errorf("%s, after %d sessions: told %v, faded %v", tt.name, n, told, b.Faded(r))
			}
		}
	}
}

// ofKind returns a record that says something.
func ofKind(k Kind, id, summary string, importance int, sessions ...int) Record {
	r := saidIn(id, importance, sessions...)
	r.Kind, r.Summary = k, summary
	return r
}

func TestDigest_Order(t *testing.T) {
	b := bookAfter(40)
	b.Records = []Record{
		ofKind(KindAssumption, "r-assume", "Disks are honest.", 5, 40),
		ofKind(KindRiskPattern, "r-risk", "It may rain.", 5, 40),
		ofKind(KindLesson, "r-lesson", "A draft failed.", 5, 39, 40),
		ofKind(KindConstraint, "r-rule", "Stay in the EU.", 3, 40),
		ofKind(KindConstraint, "r-ruled", "Keep the budget.", 4, 39), ofKind(KindPreference, "r-wish", "Prefer Go.", 3, 40),
		ofKind(KindOpenLoop, "r-open", "Who runs it?", 3, 40), saidIn("r-old", 5, 16), saidIn("r-new", 1, 40),
		saidIn("r-also", 1, 40), saidIn("r-faded", 5, 15),
	}
	b.Records[8].Importance = 2
	for i, status := range Statuses()[1:] {
		r := saidIn(fmt.Sprintf("r-no%d", i), 5, 40)
		r.Status = status
		b.Records = append(b.Records, r)
	}
	got := Digest(b, closedOn(41), Subject{}, council.ReminderSize, false)
	want := "r-new r-old r-also r-open r-ruled r-rule r-wish r-lesson r-risk r-assume"
	if ids(got) != want || got.Left != 0 || got.Member != "ada" {
		t.Errorf("told %s, %d left, to %s; want %s", ids(got), got.Left, got.Member, want)
	}
}

func TestDigest_KindsEndWithTheirRoom(t *testing.T) {
	b := bookAfter(3)
	big, small := ofKind(KindConstraint, "r-big", "Keep it.", 5, 3), ofKind(KindConstraint, "r-small", "Stay.", 4, 3)
	big.Detail = strings.Repeat("ü", 100)
	b.Records = []Record{big, small}
	costs := digestEntry + len(big.Summary) + 100
	both := costs + digestEntry + len(small.Summary)
	for _, tt := range []struct {
		size int
		told string
		left int
	}{
		{0, "", 2}, {-1, "", 2},
		{costs - 1, "", 2}, // the small one would fit, but would take the place of a more important one
		{costs, "r-big", 1}, {both * 20, "r-big r-small", 0},
	} {
		got := Digest(b, closedOn(4), Subject{}, tt.size, false)
		check.Is(t, "chosen", tt.told, ids(got))
		check.Is(t, "left", tt.left, got.Left)
	}
}

func TestDigest_MergesSimilarRecords(t *testing.T) {
	b := bookAfter(3)
	for i, text := range []string{
		"The migration may take longer than planned.", "Migration may take much longer than was planned.",
		"The migration may not take longer than planned.", "The migration may take 3 weeks longer than planned.",
		"The operators may leave.",
	} {
		b.Records = append(b.Records, ofKind(KindRiskPattern, fmt.Sprintf("r-%d", i), text, 5-i, 3))
	}
	got := Digest(b, closedOn(4), Subject{}, council.ReminderSize, false)
	check.That(t, ids(got) == "r-0 r-2 r-3 r-4" && got.Records[0].Alike == 2 && got.Records[1].Alike == 0 && got.Left == 0,
		"%+v", got)
	c := Choose(b, closedOn(4), Subject{}, council.ReminderSize, false)[1]
	check.That(t, c.Inclusion == SimilarIncluded, "the second is %s", c.Inclusion)
}

func TestDigest_DatesByNewestEvidence(t *testing.T) {
	b := bookAfter(30)
	twice := saidIn("r-1", 3, 8, 29)
	corrected := saidIn("r-2", 2, 9)
	corrected.Evidence = append(corrected.Evidence, Evidence{SessionID: sessionID(9), Note: "Kim: no, in June."})
	corrected.UpdatedAt = time.Date(2026, 6, 1, 23, 30, 0, 0, time.FixedZone("", -3600))
	twice.Kind, corrected.Kind = KindConstraint, KindConstraint
	b.Records = []Record{twice, corrected}
	got := Digest(b, closedOn(31), Subject{}, council.ReminderSize, false).Records
	check.Is(t, "the first date", "2026-01-30", got[0].Date)
	check.Is(t, "the second date", "2026-06-02", got[1].Date)
}

func TestDigest_OfAnEmptyBook(t *testing.T) {
	text := check.Get(json.Marshal(Digest(Book{}, start, Subject{}, council.ReminderSize, false)))(t)
	check.Is(t, "digest", `{"records":[]}`, string(text))
}

// A word of the topic counts although all records have it.
func TestDigest_HasTheUsualSubject(t *testing.T) {
	b := bookAfter(30)
	for i := range 6 {
		text := fmt.Sprintf("Event bus %d may stop.", i)
		b.Records = append(b.Records, ofKind(KindRiskPattern, fmt.Sprintf("r-%d", i), text, 3, 10))
	}
	b.Records = append(b.Records, ofKind(KindRiskPattern, "r-off", "It may rain.", 5, 30))
	got := Digest(b, closedOn(31), About(council.Topic{Text: "Which event bus do we buy?"}), council.ReminderSize, false)
	check.Is(t, "told", "r-0 r-1 r-2 r-3 r-4 r-5", ids(got))
}

func TestChoose_ExplainsEveryRecord(t *testing.T) {
	b := bookAfter(40)
	end := closedOn(40)
	expired := saidIn("r-expired", 5, 40)
	expired.ExpiresAt = &end
	person := ofKind(KindConstraint, "r-person", "All data stays in the EU.", 5, 20)
	person.Evidence = append(person.Evidence, Evidence{SessionID: sessionID(20), Note: "added by kim"})
	b.Records = []Record{
		saidIn("r-told", 4, 40), saidIn("r-faded", 3, 15), expired, person,
		ofKind(KindConstraint, "r-old", "Cranes stand still in a storm.", 5, 30),
		ofKind(KindConstraint, "r-new", "Visitors wear a badge.", 1, 38),
		ofKind(KindRiskPattern, "r-on", "The harbour freezes.", 1, 30),
		ofKind(KindRiskPattern, "r-off", "It may rain.", 5, 40),
		ofKind(KindLesson, "r-once", "A draft failed.", 5, 40), ofKind(KindLesson, "r-twice", "A vote failed.", 5, 39, 40),
	}
	want := []string{"told: decided within the last 25 sessions", "faded: ", "stale: ",
		"told: a person gave it the greatest importance", "off topic: ", "told: named in the last 3 sessions",
		"told: shares “harbour” with the topic", "off topic: ", "said once: ", "told: recurred: it stands on 2 sessions"}
	for _, s := range Statuses()[1:] {
		r := saidIn("r-"+string(s), 5, 40)
		r.Status = s
		b.Records = append(b.Records, r)
		want = append(want, string(s)+": ")
	}
	var got []string
	for _, c := range Choose(b, closedOn(41), About(council.Topic{Text: "Shall we close the harbour?"}), 4000, false) {
		got = append(got, string(c.Inclusion)+": "+c.Why)
	}
	check.Equal(t, "inclusion", want, got)
}

// Of any book a digest has active, unfaded records within its bounds, and counts those that found no room.
func TestDigest_KeepsItsBounds(t *testing.T) {
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
		size := rapid.IntRange(0, council.MaxReminder).Draw(t, "size")
		about := About(council.Topic{Text: rapid.SampledFrom([]string{"", "Record 7?", "Tea"}).Draw(t, "topic")})
		got := Digest(b, closedOn(b.Sessions), about, size, false)
		chars, counts := 0, map[Inclusion]int{}
		for i, c := range Choose(b, closedOn(b.Sessions), about, size, false) {
			counts[c.Inclusion]++
			if r := b.Records[i]; c.Inclusion == Included && (r.Status != StatusActive || b.Faded(r)) {
				t.Fatalf("%+v is told", r)
			}
		}
		for _, r := range got.Records {
			chars += digestEntry + utf8.RuneCountInString(r.Summary+r.Detail)
		}
		if counts[Included] != len(got.Records) || counts[NoRoom] != got.Left || chars > size ||
			len(got.Records) > council.MaxReminded {
			t.Fatalf("%d records, %d characters of %d, %d left; they are explained as %v",
				len(got.Records), chars, size, got.Left, counts)
		}
	})
}

// A new kind takes one row of the table.
func TestKinds_NewKindReachesDigestAndPages(t *testing.T) {
	before := kinds
	defer func() { kinds = before }()
	kinds = append(slices.Clone(kinds), kindRow{kind: "promise", title: "Promises"})
	b := bookAfter(3)
	b.Records = []Record{ofKind("promise", "r-promise", "We pay on time.", 3, 3)}
	check.Is(t, "a digest has , r-promise", "r-promise", ids(Digest(b, closedOn(4), Subject{}, council.ReminderSize,
		false)))
	for name, page := range map[string][]byte{"book": BookPage(b), "kind": CategoryPage("promise", []Book{b})} {
		if text := string(page); !strings.Contains(text, "# Promises") || !strings.Contains(text, "We pay on time.") {
			t.Errorf("the page of a %s lacks the promise under its heading:\n%s", name, page)
		}
	}
}
