// Command picture draws what a terminal shows, read from standard input with its colours, as an SVG on standard output.
// .ci/picture/draw makes the README's picture with it from what the command prints.
package main

import (
	"bufio"
	"fmt"
	"html"
	"log"
	"os"
	"regexp"
	"strings"
)

const (
	wide = 8.4 // of a character
	high = 18  // of a line
	edge = 16
)

// colours are those of a terminal, on a dark ground: 30 to 37, and 90 to 97.
var colours = map[string]string{
	"30": "#6e7681", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341",
	"34": "#79c0ff", "35": "#d2a8ff", "36": "#56d4dd", "37": "#c9d1d9",
	"90": "#8b949e", "91": "#ffa198", "92": "#aff5b4", "93": "#f2cc60",
	"94": "#a5d6ff", "95": "#e2c5ff", "96": "#b3f0ff", "97": "#f0f6fc",
}

var style = regexp.MustCompile("\x1b\\[([0-9;]*)m")

func main() {
	var lines []string
	columns := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		lines = append(lines, in.Text())
		columns = max(columns, len([]rune(style.ReplaceAllString(in.Text(), ""))))
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
	width, height := float64(columns)*wide+2*edge, len(lines)*high+2*edge
	fmt.Printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d">`+"\n", width, height,
		width, height)
	fmt.Printf(`<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>` + "\n")
	fmt.Printf(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" ` +
		`fill="#c9d1d9">` + "\n")
	looks := "" // goes on over the end of a line
	for i, line := range lines {
		column := 0
		fmt.Printf(`<text x="%d" y="%d">`, edge, edge+(i+1)*high-5)
		for line != "" {
			at := style.FindStringSubmatchIndex(line)
			text := line
			if at != nil {
				text = line[:at[0]]
			}
			if text != "" {
				fmt.Printf(`<tspan x="%.1f"%s>%s</tspan>`, edge+float64(column)*wide, looks,
					strings.ReplaceAll(html.EscapeString(text), " ", "\u00a0")) // spaces in a row would be one
				column += len([]rune(text))
			}
			if at == nil {
				break
			}
			looks, line = looked(looks, line[at[2]:at[3]]), line[at[1]:]
		}
		fmt.Println("</text>")
	}
	fmt.Println("</g>\n</svg>")
}

// looked returns the attributes of text behind the codes of a style.
func looked(before, codes string) string {
	looks := before
	for code := range strings.SplitSeq(codes, ";") {
		switch code {
		case "", "0":
			looks = ""
		case "1":
			looks += ` font-weight="bold"`
		case "2":
			looks += ` opacity="0.65"`
		case "3":
			looks += ` font-style="italic"`
		case "4":
			looks += ` text-decoration="underline"`
		default:
			if c := colours[code]; c != "" {
				looks += ` fill="` + c + `"`
			}
		}
	}
	return looks
}
