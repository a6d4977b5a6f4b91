package render

import (
	"testing"
	"time"

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
			if got := verdict(d, "carried", "lost", "the motion"); string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
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
		{string(andList([]markdown{"Ada"})), "Ada"},
		{string(andList([]markdown{"Ada", "Boole", "Curie"})), "Ada, Boole and Curie"},
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
	if got, want := sections(draft), markdown(`“Title”, “One \| two”, “Three”`); got != want {
		t.Errorf("sections = %q, want %q", got, want)
	}
	check.Is(t, "the draft opens with", "Text.", opening(draft)[:5])
	check.Is(t, "a draft of one heading opens with", "# Only a title\n", opening("# Only a title\n"))
}
