package render

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// page collects blocks of Markdown, each after a blank line. Its methods take Markdown; what members wrote comes in
// through [page.quote] and [page.quoteList], through [cell], or through quoted: never as a line of the recorder's.
type page struct {
	b     strings.Builder
	begun bool // there is text before this page's
}

func (p *page) block(text string) {
	if text == "" {
		return
	}
	if p.begun {
		p.b.WriteByte('\n')
	}
	p.begun = true
	p.b.WriteString(text)
	p.b.WriteByte('\n')
}

func (p *page) say(format string, args ...any) { p.block(fmt.Sprintf(format, args...)) }

// heading writes a heading, with the event that can be cited for what stands under it, if there is one.
func (p *page) heading(level int, text string, seq council.Seq) {
	if seq > 0 {
		text += " · " + seq.ID()
	}
	p.block(strings.Repeat("#", level) + " " + text)
}

// nothing stands where a member's words have nothing in them that can be shown.
const nothing = "*(nothing that can be shown)*"

// quote writes what a member wrote, as a quotation.
func (p *page) quote(s string) {
	prose := hostile.Prose(s)
	if prose == "" {
		prose = nothing
	}
	p.setApart(prose)
}

// quoteList writes what a member wrote as a list, as a quotation. Nothing is written of a list that holds nothing.
func (p *page) quoteList(texts []string) {
	if items := inlines(texts); len(items) > 0 {
		p.setApart("- " + strings.Join(items, "\n- "))
	}
}

// setApart writes Markdown with a member's words in it as a quotation.
func (p *page) setApart(markdown string) {
	p.block(strings.ReplaceAll("> "+strings.ReplaceAll(markdown, "\n", "\n> "), "> \n", ">\n"))
}

// list writes items that are Markdown on one line each.
func (p *page) list(items []string) {
	if len(items) > 0 {
		p.block("- " + strings.Join(items, "\n- "))
	}
}

// table writes rows of cells that are Markdown on one line each. A heading that begins with > is of a column of
// numbers.
func (p *page) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	lines := make([]string, 0, len(rows)+2)
	rule := make([]string, len(head))
	shown := make([]string, len(head))
	for i, h := range head {
		name, number := strings.CutPrefix(h, ">")
		shown[i], rule[i] = name, "---"
		if number {
			rule[i] = "---:"
		}
	}
	lines = append(lines, "| "+strings.Join(shown, " | ")+" |", "|"+strings.Join(rule, "|")+"|")
	for _, cells := range rows {
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
	}
	p.block(strings.Join(lines, "\n"))
}

// maxCell is the length in runes beyond which a cell names the event that holds the rest.
const maxCell = 1000

// cell is what a member wrote, for a cell of a table.
func cell(s string, seq council.Seq) string {
	line := hostile.Line(s)
	short := clip(line, maxCell)
	text := hostile.Inline(short)
	if short != line && seq > 0 {
		text += " (the rest is in " + seq.ID() + ")"
	}
	return text
}

// inlines makes list items of what a member wrote.
func inlines(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		if t = hostile.Inline(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// quotations puts each text that a member wrote between quotation marks, on one line. It is empty when they hold nothing.
func quotations(texts []string) string {
	var out []string
	for _, t := range texts {
		if hostile.Line(t) != "" {
			out = append(out, quoted(t, maxCell))
		}
	}
	return strings.Join(out, ", ")
}
