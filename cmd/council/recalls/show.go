package recalls

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/index"
)

// print shows what was found to a person.
func (d Desk) print(found index.Found, o options) error {
	var b strings.Builder
	if len(found.Hits) == 0 {
		b.WriteString(nothing(found, o))
	} else if found.Hits[0].Match == index.MatchSome {
		fmt.Fprintf(&b, "Nothing has all the words%s. These have some of them.\n\n", nowhere(found))
	}
	for i, h := range found.Hits {
		if i > 0 {
			b.WriteString("\n")
			if h.Match == index.MatchSome && found.Hits[i-1].Match != index.MatchSome {
				b.WriteString("Nothing else has all the words. These have some of them.\n\n")
			}
		}
		d.hit(&b, h)
	}
	_, err := fmt.Fprint(d.Out, b.String())
	return err
}

// hit shows one hit. Lines with words of others are set in.
func (d Desk) hit(b *strings.Builder, h index.Hit) {
	says := func(format string, args ...any) { fmt.Fprintln(b, terminal.Sprintf(format, args...)) }
	head := []string{h.At.UTC().Format("2 January 2006"), age(d.Now().Sub(h.At)), who(h), string(h.Kind)}
	if mark := standing(h.Doc); mark != "" {
		head = append(head, mark)
	}
	says("%s", strings.Join(slices.DeleteFunc(head, func(s string) bool { return s == "" }), " · "))
	fmt.Fprintf(b, "      %s\n", d.marked(h.Snippet))
	if h.Instead != nil {
		says("      In its place, %s: %s", h.Instead.ID, short(h.Instead.Text))
	}
	if len(h.Lacks) > 0 {
		says("      Not in it: %s", clean(strings.Join(h.Lacks, ", ")))
	}
	if h.Session != "" && h.Topic != "" {
		says("  Session: %s", short(h.Topic))
	}
	says("  Open it: %s", opens(h))
	if h.More > 0 {
		says("  More hits in this session: %d or more.", h.More)
	}
}

// who said or remembers it.
func who(h index.Hit) string {
	switch {
	case h.Member != "" && h.Name != "" && h.Name != string(h.Member):
		return fmt.Sprintf("%s (%s)", clean(h.Name), h.Member)
	case h.Member != "":
		return string(h.Member)
	case h.Name != "":
		return clean(h.Name)
	}
	return "the council"
}

// standing says that a record does not hold any more, or that a rehearsal left what was found.
func standing(d index.Doc) string {
	switch {
	case d.SupersededBy != "":
		return "superseded by " + d.SupersededBy
	case d.Status != "" && d.Status != "active":
		return d.Status
	case d.Rehearsed:
		return "rehearsed"
	}
	return ""
}

// opens is the command that shows all of it.
func opens(h index.Hit) string {
	verb := map[index.Kind]string{index.KindTurn: "turns", index.KindEpisode: "episodes", index.KindRecord: "memory"}[h.Kind]
	return "council " + verb + " show " + h.ID
}

// marked is a snippet, which is harmless already, with what was looked for in bold on a terminal.
func (d Desk) marked(s index.Snippet) string {
	if !d.Terminal {
		return s.Text
	}
	var b strings.Builder
	at := 0
	for _, m := range s.Marks {
		b.WriteString(s.Text[at:m[0]] + "\x1b[1m" + s.Text[m[0]:m[1]] + "\x1b[0m")
		at = m[1]
	}
	return b.String() + s.Text[at:]
}

// clean is what somebody wrote, on one line. Escape sequences go as a whole before their first character does.
func clean(s string) string { return hostile.Line(hostile.Terminal(s)) }

// short is the beginning of a text on one line.
func short(text string) string {
	runes := []rune(clean(text))
	if len(runes) <= 100 {
		return string(runes)
	}
	return string(runes[:99]) + "…"
}

// nothing says that nothing was found, and what to try.
func nothing(found index.Found, o options) string {
	if len(found.Asked) == 0 {
		return "There is no word in " + desk.Quote(o.query) + " to look for.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Nothing was found for %s%s.\n", desk.Quote(o.query), nowhere(found))
	switch {
	case o.member != "" && o.kind != "":
		b.WriteString("Try it without --member and --kind.\n")
	case o.member != "":
		b.WriteString("Try it without --member; council members are named by their ids.\n")
	case o.kind != "":
		b.WriteString("Try it without --kind.\n")
	case strings.ContainsRune(o.query, '"'):
		b.WriteString("Try it without quotation marks.\n")
	default:
		b.WriteString("Try fewer words, or part of one. Sessions can be recalled once they are closed.\n")
	}
	return b.String()
}

// nowhere names the words that nothing has.
func nowhere(found index.Found) string {
	if len(found.Nowhere) == 0 {
		return ""
	}
	return "; nowhere is there " + short(strings.Join(found.Nowhere, ", "))
}

// age says in words how long ago something was.
func age(d time.Duration) string {
	days := int(d.Hours() / 24)
	switch {
	case days < 0 || d < 0: // a clock was wrong
		return ""
	case days == 0:
		return "within a day"
	case days < 14:
		return ago(days, "day")
	case days < 60:
		return ago(days/7, "week")
	case days < 730:
		return ago(int(float64(days)/30.44+0.5), "month")
	}
	return ago(int(float64(days)/365.25+0.5), "year")
}

func ago(n int, unit string) string { return plural.Things(n, unit) + " ago" }
