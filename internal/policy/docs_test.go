package policy

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	protocol = "docs/protocol.md"
	security = "docs/security.md"
)

var (
	sentence  = regexp.MustCompile(`(?m)^(\d+)\. `)
	cites     = regexp.MustCompile(`\bcites\(t, ([\d, ]+)\)`)
	testName  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	namedTest = regexp.MustCompile("`(Test\\w*)`")
	mdLink    = regexp.MustCompile(`\]\(([^)#\s:]+)(?:#[^)\s]*)?\)`)
	printed   = regexp.MustCompile("(?s)```.*?```")
	tableRow  = regexp.MustCompile(`(?m)^\| .*\|$`)
)

// everySentenceHasATest holds that tests of council/rules cite each numbered sentence of the protocol by
// cites(t, number), and nothing else.
func everySentenceHasATest(tr *tree) []string {
	cited := map[string]string{} // the file by the number
	for _, f := range tr.files {
		if f.test && f.dir == "council/rules" {
			for _, m := range cites.FindAllStringSubmatch(f.text, -1) {
				for _, n := range strings.Split(m[1], ", ") {
					cited[n] = f.path
				}
			}
		}
	}
	var findings []string
	for _, m := range sentence.FindAllStringSubmatch(tr.pages[protocol], -1) {
		if cited[m[1]] == "" {
			findings = append(findings, protocol+": no test cites sentence "+m[1])
		}
		delete(cited, m[1])
	}
	for _, n := range slices.Sorted(maps.Keys(cited)) {
		findings = append(findings, cited[n]+" cites sentence "+n+", which does not exist")
	}
	return findings
}

// everyPromiseNamesItsTest holds each row of the promises of docs/security.md to a test, and every test that the page
// names to one that exists.
func everyPromiseNamesItsTest(tr *tree) []string {
	tests := map[string]bool{}
	for _, f := range tr.files {
		for _, m := range testName.FindAllStringSubmatch(f.text, -1) {
			tests[m[1]] = true
		}
	}
	var findings []string
	for _, m := range namedTest.FindAllStringSubmatch(tr.pages[security], -1) {
		if !tests[m[1]] {
			findings = append(findings, security+": there is no test "+m[1])
		}
	}
	_, promises, _ := strings.Cut(tr.pages[security], "\n## Promises\n")
	promises, _, _ = strings.Cut(promises, "\n## ")
	rows := tableRow.FindAllString(promises, -1)
	for _, row := range rows[min(1, len(rows)):] {
		if !namedTest.MatchString(row) {
			findings = append(findings, security+": this promise names no test: "+row)
		}
	}
	if len(rows) < 2 {
		findings = append(findings, security+" promises nothing")
	}
	return findings
}

// linksLeadToPages holds the links between pages to pages that exist.
func linksLeadToPages(tr *tree) []string {
	var findings []string
	for _, page := range slices.Sorted(maps.Keys(tr.pages)) {
		for _, m := range mdLink.FindAllStringSubmatch(printed.ReplaceAllString(tr.pages[page], ""), -1) {
			to := path.Join(path.Dir(page), m[1])
			if _, ok := tr.pages[to]; !ok && path.Ext(to) == ".md" {
				findings = append(findings, page+" links to "+to+", which does not exist")
			}
		}
	}
	return findings
}
