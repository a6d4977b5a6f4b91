package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/templates"
)

// markdown is text that goes into a report as it is. The templates pass every other value through [hostile.Inlined], so
// members' words are only in it where a function here has made them harmless.
type markdown = hostile.Markdown

var wording = templates.Once(templates.Tellings(), functions, "inline", "transcript.tmpl", "reports.tmpl",
	"price.tmpl", "exports.tmpl", "agreement.tmpl")

var functions = template.FuncMap{
	"inline":     hostile.Inlined,
	"items":      items,
	"join":       func(texts []string, by string) markdown { return join(items(texts), by) },
	"quote":      quote,
	"quotes":     quotes,
	"quoted":     func(s string, n int) markdown { return markdown(quoted(s, n)) },
	"quotations": quotations,
	"cell":       cell,
	"short":      func(s string, n int) markdown { return hostile.Inlined(hostile.Shorten(hostile.Line(s), n)) },
	"clip":       hostile.Shorten,
	"headline":   headline,
	"sections":   sections,
	"opening":    opening,
	"sentence":   sentence,
	"parts":      parts,
	"digest":     digest,
	"day":        day,
	"lasted":     func(from, to time.Time) string { return lasted(to.Sub(from)) },
	"size":       func(bytes any) string { return size(int(number(bytes))) },
	"thousands":  func(n any) string { return plural.Thousands(number(n)) },
	"things":     func(n any, one string, many ...string) string { return plural.Things(number(n), one, many...) },
	"nth":        func(i int) int { return i + 1 },
	"minus":      func(a, b int) int { return a - b },
	"names": func(of []council.AmendmentID) markdown {
		return hostile.Inlined(strings.ReplaceAll(strings.Trim(fmt.Sprint(of), "[]"), " ", ", "))
	},
	"percent":    func(share float64) string { return fmt.Sprintf("%.0f", share*100) },
	"share":      percent,
	"usd":        func(amount float64) string { return council.Dollars(amount).String() },
	"spell":      council.FormatMinutes,
	"upper":      upper,
	"lower":      func(s any) string { return strings.ToLower(fmt.Sprint(s)) },
	"spaced":     func(s string) string { return strings.ReplaceAll(s, "_", " ") },
	"asked":      AskWords,
	"fault":      func(f council.Fault) markdown { return markdown(faultWords(f)) },
	"verdict":    verdict,
	"why":        whyChosen,
	"counted":    countOf,
	"difference": difference,
	"refusedAs":  refusedName,
	"found":      cutWords,
	"yaml":       func(s any) markdown { return yaml(fmt.Sprint(s)) },
	"forgotten":  func() string { return council.ForgottenMark },
}

func number(n any) int64 { return reflect.ValueOf(n).Int() }

// write executes definitions and returns their blocks, with one empty line between two.
func (t *telling) write(definitions ...string) string {
	var text strings.Builder
	for _, name := range definitions {
		text.WriteString("\n" + wording.Tell(name, t))
	}
	return blocks(text.String())
}

// blocks drops the empty lines around blocks of Markdown and leaves one between two.
func blocks(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = ""
		}
	}
	lines = slices.CompactFunc(lines, func(a, b string) bool { return a == "" && b == "" })
	if text = strings.Trim(strings.Join(lines, "\n"), "\n"); text != "" {
		text += "\n"
	}
	return text
}

// items returns the texts that have something to show, each on one line.
func items(texts []string) []markdown {
	return slices.DeleteFunc(council.Map(texts, func(t string) markdown { return hostile.Inlined(t) }),
		func(item markdown) bool { return item == "" })
}

func join(texts []markdown, by string) markdown {
	return markdown(strings.Join(council.Strings(texts), by))
}

func quote(s string) markdown {
	return blockQuote(cmp.Or(hostile.Prose(s), "*(nothing that can be shown)*"))
}

// quotes returns a member's words as a list within a quotation, or "" if there are none to show.
func quotes(texts []string) markdown {
	list := items(texts)
	if len(list) == 0 {
		return ""
	}
	return blockQuote("- " + string(join(list, "\n- ")))
}

// blockQuote makes a quotation of Markdown. No line of it is empty.
func blockQuote(text string) markdown {
	return markdown(strings.ReplaceAll("> "+strings.ReplaceAll(text, "\n", "\n> "), "> \n", ">\n"))
}

// quotations puts each text between quotation marks and joins them with commas. Blank texts are left out.
func quotations(texts []string) markdown {
	shown := slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return hostile.Line(t) == "" })
	return join(council.Map(shown, func(t string) markdown { return markdown(quoted(t, maxCell)) }), ", ")
}

// maxCell is the number of runes of a text that a cell shows.
const maxCell = 1000

// cell returns a member's words for a cell of a table. Where they are cut, the cell names the event.
func cell(s, event string) markdown {
	line := hostile.Line(s)
	short := hostile.Shorten(line, maxCell)
	text := hostile.Inlined(short)
	if short != line {
		text += markdown(" (the rest is in " + event + ")")
	}
	return text
}

// headline returns the first line of a topic that is not blank, without the marks of a heading.
func headline(topic string) markdown { return hostile.Inlined(firstLine(topic)) }

// firstLine returns the first line of a topic that is not blank, as plain text without the marks of a heading.
func firstLine(topic string) string {
	for line := range strings.Lines(topic) {
		if line = strings.TrimLeft(hostile.Line(line), "# "); line != "" {
			return hostile.Shorten(line, 100)
		}
	}
	return ""
}

// sentence joins texts with semicolons and leaves out their full stops.
func sentence(texts []string) markdown {
	all := strings.ReplaceAll(string(join(items(texts), "; ")), ".;", ";")
	return markdown(strings.TrimSuffix(all, "."))
}

// parts joins names with texts: "Severity", "high" becomes "Severity: high". Blank texts are left out.
func parts(pairs ...string) []string {
	var named []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if hostile.Line(pairs[i+1]) != "" {
			named = append(named, pairs[i]+": "+pairs[i+1])
		}
	}
	return named
}

// yaml returns a quoted YAML string, which is inert in a reader of Markdown that does not know YAML.
func yaml(s string) markdown {
	text, _ := json.Marshal(hostile.Line(s)) // of a string, which cannot fail
	return markdown(strings.NewReplacer("[", `\u005b`, "]", `\u005d`, "`", `\u0060`).Replace(string(hostile.JSON(text))))
}

// digest returns a SHA-256 for a code span, or "unreadable" if it holds anything but hexadecimal digits.
func digest(sha string) markdown {
	if strings.Trim(sha, "0123456789abcdef") != "" {
		return "unreadable"
	}
	return markdown(sha)
}

// sections lists the first 30 headings of a document: the lines that begin with # outside code.
func sections(document string) markdown {
	var out []markdown
	code := false
	for line := range strings.Lines(document) {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
		}
		words, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if words = hostile.Line(words); ok && !code && line[0] == '#' && words != "" {
			out = append(out, markdown(quoted(words, 80)))
		}
		if len(out) == 30 {
			return join(append(out, "…"), ", ")
		}
	}
	return join(out, ", ")
}

// opening returns a document from the first line that is not a heading, or all of it if there is none.
func opening(document string) string {
	rest := strings.TrimLeft(document, "\r\n\t ")
	for strings.HasPrefix(rest, "#") {
		_, after, _ := strings.Cut(rest, "\n")
		rest = strings.TrimLeft(after, "\r\n\t ")
	}
	return cmp.Or(rest, document)
}
