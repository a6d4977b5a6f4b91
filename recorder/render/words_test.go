package render

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

func TestVerdict_Words(t *testing.T) {
	const members, heads = "of all 3 members; whoever did not say YES counted against", "Quorum: 2 of 3 members, and "
	cases := []struct {
		name                              string
		yes, no, abstain, invalid, absent int
		threshold                         quorum.Share
		of                                quorum.CountOf
		want                              string
	}{
		{"carried", 2, 1, 0, 0, 0, "0.5", quorum.Members, "**The motion is carried.** 2 YES, 1 NO. " +
			"Needed: 2 YES (more than half " + members + "). " + heads + "3 valid ballots were cast."},
		{"a tie", 1, 1, 1, 0, 0, "0.5", quorum.Cast, "**The motion is lost.** 1 YES, 1 NO, 1 ABSTAIN. " +
			"Needed: 2 YES (more than half of the 2 YES and NO ballots cast). A tie fails. " + heads + "3 valid ballots " +
			"were cast."},
		{"three quarters", 2, 1, 0, 0, 0, "0.75", quorum.Cast, "**The motion is lost.** 2 YES, 1 NO. " +
			"Needed: 3 YES (at least 75 % of the 3 YES and NO ballots cast). " + heads + "3 valid ballots were cast."},
		{
			"two thirds of those present",
			2,
			0,
			1,
			1,
			1,
			"2/3",
			quorum.Present,
			"**The motion is carried.** 2 YES, 0 NO, 1 ABSTAIN, 1 INVALID, 1 ABSENT. " +
				"Needed: 2 YES (at least 2/3 of the 3 valid ballots; whoever abstained counted against). Quorum: 3 of 5 " +
				"members, and 3 valid ballots were cast.",
		},
		{"unanimity", 3, 0, 0, 0, 0, "1", quorum.Members, "**The motion is carried.** 3 YES, 0 NO. " +
			"Needed: 3 YES (all " + members + "). " + heads + "3 valid ballots were cast."},
		{"no quorum", 1, 0, 0, 1, 1, "0.5", quorum.Members, "**There was no quorum.** 1 YES, 0 NO, 1 INVALID, 1 ABSENT: " +
			"1 valid ballot was cast and 2 needed, so the motion is neither carried nor lost."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := decided(c.yes, c.no, c.abstain, c.invalid, c.absent, c.threshold, c.of)
			got := verdict(d, "carried", "lost", "the motion")
			check.That(t, string(got) == c.want, "got  %s\nwant %s", got, c.want)
		})
	}
}

func TestWording_Units(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plural.Thousands(0), "0"},
		{plural.Thousands(999), "999"},
		{plural.Thousands(1000), "1,000"},
		{plural.Thousands(1234567), "1,234,567"},
		{plural.Thousands(-1234), "-1,234"},
		{size(1), "1 byte"},
		{size(999), "999 bytes"},
		{size(4250), "4.2 kB"},
		{size(2_500_000), "2.5 MB"},
		{lasted(time.Second), "1 second"},
		{lasted(59 * time.Second), "59 seconds"},
		{lasted(90 * time.Minute), "90 minutes"},
		{lasted(3 * time.Hour), "3 hours"},
		{lasted(73 * time.Hour), "3 days"},
		{hostile.Shorten("four", 4), "four"},
		{hostile.Shorten("fïve5", 4), "fïv…"},
		{string(digest("0af9")), "0af9"},
		{string(digest("`x`")), "unreadable"},
		{string(headline("\n \n## Why\n\nmore")), "Why"},
	} {
		check.Is(t, "it", c.want, c.got)
	}
}

func TestDraft_SectionsAndOpening(t *testing.T) {
	const draft = "# Title\n\n## One | two\n\nText.\n\n```\n# no heading\n```\n\n#hashtag\n## Three\n"
	got, want := sections(draft), markdown(`“Title”, “One \| two”, “Three”`)
	check.That(t, got == want, "sections = %q, want %q", got, want)
	check.Is(t, "the draft opens with", "Text.", opening(draft)[:5])
	check.Is(t, "a draft of one heading opens with", "# Only a title\n", opening("# Only a title\n"))
}

func TestFaults_HaveWordsAndAdvice(t *testing.T) {
	for _, kind := range council.FaultKinds() {
		r := Remedy(kind)
		check.That(t, strings.HasSuffix(r, ".") && strings.ToUpper(r[:1]) == r[:1], "%s: %q is not a sentence", kind, r)
		words := faultWords(council.Fault{Kind: kind})
		check.That(t, words != string(kind), "%s is told by its name alone", kind)
	}
	check.Is(t, "advice for an unknown kind", "", Remedy("plague"))
	check.Is(t, "words for an unknown kind", "plague", faultWords(council.Fault{Kind: "plague"}))
}

// Missing values are named in words, not by a bare zero.
func TestWording_NamesWhatIsMissing(t *testing.T) {
	rule := quorum.Rule{Members: 3, Quorum: 1, Threshold: "0.5", CountOf: quorum.Cast}
	for _, c := range []struct{ got, want string }{
		{string(verdict(council.Decision{Result: quorum.NoQuorum, Rule: rule, Count: quorum.Count{Absent: 3}},
			"carried", "lost", "it")), "no valid ballot was cast"},
		{string(verdict(council.Decision{Result: quorum.Lost, Rule: rule, Count: quorum.Count{Abstain: 3}, Needed: 1},
			"carried", "lost", "it")), "of the YES and NO ballots, of which none was cast"},
		{ReceiptLine(&minutes.Receipt{Positions: make([]minutes.StanceHeld, 3), Unknown: 3}), "it is unknown who moved"},
	} {
		check.Says(t, c.got, c.want)
	}
}

// The handbook and the command say the same of faults.
func TestFaults_MatchTheHandbook(t *testing.T) {
	text := check.Get(os.ReadFile("../../docs/members.md"))(t)
	_, list, _ := strings.Cut(string(text), "These suspend the session: ")
	suspend, counted, _ := strings.Cut(list, "the answer counts as absent or invalid: ")
	counted, _, _ = strings.Cut(counted, ".\n")
	for _, kind := range council.FaultKinds() {
		list := counted
		if kind.Curable() {
			list = suspend
		}
		check.Says(t, list, "`"+string(kind)+"`")
	}
}

// Kept and gone words are the text before, kept and come ones the text after.
func TestChanges_LeadFromOneTextToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "\n"}), 0, 12)
		before, after := words.Draw(t, "before"), words.Draw(t, "after")
		var was, is []string
		for i, c := range Changes(before, after) {
			if i > 0 && len(c.Gone)+len(c.Come) == 0 {
				t.Fatalf("change %d changes nothing", i)
			}
			was, is = append(append(was, c.Gone...), c.Kept...), append(append(is, c.Come...), c.Kept...)
		}
		if !slices.Equal(was, before) || !slices.Equal(is, after) {
			t.Fatalf("from %q to %q", was, is)
		}
	})
	long := strings.Fields(strings.Repeat("x y ", 3000))
	got := Changes(long, slices.Repeat([]string{"z"}, 3000))
	check.That(t, len(got) == 2 && len(got[1].Gone) == 6000, "%d changes", len(got))
}

// Of options the winner stands behind the question; a motion that was ranked among others is its own answer.
func TestTitles_NameTheOptionThatWasChosen(t *testing.T) {
	s := &session{}
	s.Motions = []*minutes.Motion{
		{Moved: minutes.Moved{ID: "a", Title: "Which queue?", Decision: "NATS"}, Choice: &quorum.Choice{}},
		{Moved: minutes.Moved{ID: "b", Title: "Adopt it", Decision: "We adopt it."}, Choice: &quorum.Choice{},
			Of: []council.MotionID{"c", "d"}},
		{Moved: minutes.Moved{ID: "c", Title: "Measure it", Decision: "We measure."}},
	}
	check.Is(t, "titles", "“Which queue?”: “NATS”, “Adopt it”, “Measure it”",
		string(s.Titles([]council.MotionID{"a", "b", "c"})))
}
