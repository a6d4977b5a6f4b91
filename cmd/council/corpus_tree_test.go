package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// tree is the files below a folder, by their paths. A folder without files is not in it.
type tree map[string]leaf

// leaf is a file: its bytes, or where a link leads.
type leaf struct {
	data   []byte
	link   string
	mode   fs.FileMode
	at     time.Time
	folder bool // an empty one
}

func (l leaf) same(as leaf) bool {
	return l.link == as.link && l.folder == as.folder && bytes.Equal(l.data, as.data)
}

// scan reads all files that have changed since it was called last.
func (r *recording) scan() (tree, error) {
	now := tree{}
	err := filepath.WalkDir(r.outside, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == r.outside {
			return err
		}
		name := path[len(r.outside)+1:]
		if name == "queue" { // it stays when it is empty
			return nil
		}
		delete(now, filepath.Dir(name)) // it is not empty
		info, err := d.Info()
		if err != nil {
			return err
		}
		one := leaf{mode: info.Mode().Perm(), at: info.ModTime()}
		known, ok := r.now[name]
		switch {
		case d.IsDir():
			one.folder = true
		case info.Mode()&fs.ModeSymlink != 0:
			if one.link, err = os.Readlink(path); err != nil {
				return err
			}
		case !info.Mode().IsRegular():
			one.link = info.Mode().Type().String()
		case ok && known.at.Equal(one.at) && int64(len(known.data)) == info.Size():
			one = known
		default:
			if one.data, err = os.ReadFile(path); err != nil {
				return err
			}
			if d.Name() == "ID" { // of a workspace: it is made of the path
				r.ids[strings.TrimSpace(string(one.data))] = true
			}
		}
		now[name] = one
		return nil
	})
	return now, err
}

// write makes a folder hold these files and no others, where before is all that it holds now.
func (tr tree) write(folder string, before tree) error {
	var failed error
	for name := range before {
		if _, ok := tr[name]; !ok {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(folder, name)))
			for up := filepath.Dir(name); up != "." && up != "queue"; up = filepath.Dir(up) { // as far as they are empty
				if os.Remove(filepath.Join(folder, up)) != nil {
					break
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tr)) {
		path, l := filepath.Join(folder, name), tr[name]
		if known, ok := before[name]; ok && known.same(l) && known.at.Equal(l.at) &&
			!(strings.Contains(name, "council.db") && derived.MatchString(name)) {
			continue
		}
		failed = errors.Join(failed, os.MkdirAll(filepath.Dir(path), 0o700))
		switch {
		case l.folder:
			failed = errors.Join(failed, os.MkdirAll(path, 0o700))
			continue
		case l.link != "":
			failed = errors.Join(failed, os.Symlink(l.link, path))
			continue
		}
		_ = os.Remove(path) // a database may still be open in this process, which is then that of another file
		failed = errors.Join(failed, os.WriteFile(path, l.data, l.mode), os.Chtimes(path, l.at, l.at))
	}
	return failed
}

const (
	mostRecorded = 3072 // bytes of a text that are recorded; of a longer one only its sum is
	mostBriefly  = 768  // the same where the changes are put back
	mostOfFolder = 4    // files that change at once in a folder and are recorded with their texts
)

// changes lists the files that were added, changed and removed, with the lines that differ.
func (r *recording) changes(before, now tree, kept bool) (lines []string) {
	names := map[string]bool{}
	for name, l := range now {
		if was, ok := before[name]; !ok || !was.same(l) {
			names[name] = true
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok {
			names[name] = true
		}
	}
	listed := map[string]int{}
	for _, name := range slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return strings.Compare(r.masked(a), r.masked(b))
	}) {
		folder := filepath.Dir(name)
		listed[folder]++
		most := mostBriefly
		switch {
		case listed[folder] > mostOfFolder:
			most = 0
		case kept:
			most = mostRecorded
		}
		lines = append(lines, r.change(name, before, now, most)...)
	}
	return lines
}

// derived matches files of a database, whose bytes follow from the others and are not the same each time.
var derived = regexp.MustCompile(`council\.db(\.damaged)?(-\w+)?$`)

// change describes a file that was added, changed or removed, with at most so many bytes of its text.
func (r *recording) change(name string, before, now tree, most int) (lines []string) {
	l, there := now[name]
	was, known := before[name]
	shown, text := r.masked(strings.TrimPrefix("../"+name, "../queue/")), []byte(r.masked(string(l.data)))
	sign := "+"
	if known {
		sign = "~"
	}
	switch {
	case !there && derived.MatchString(name):
		return nil
	case !there:
		return []string{"- " + shown}
	case derived.MatchString(name):
		if known {
			return nil // a reader brings it up to date
		}
		return []string{"+ " + shown}
	case l.folder:
		return []string{sign + " " + shown + "/"}
	case l.link != "":
		return []string{sign + " " + shown + " -> " + r.masked(l.link)}
	}
	if r.namesOnly {
		return []string{sign + " " + shown}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	lines = []string{fmt.Sprintf("%s %s %d bytes, %s", sign, shown, len(text), sum)}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 || r.shown[sum] || most == 0 {
		return lines
	}
	added := splitLines(string(text))
	if known && utf8.Valid(was.data) {
		removed := splitLines(r.masked(string(was.data)))
		from, to := 0, 0
		for from < min(len(added), len(removed)) && added[from] == removed[from] {
			from++
		}
		for to < min(len(added), len(removed))-from && added[len(added)-1-to] == removed[len(removed)-1-to] {
			to++
		}
		lines = append(lines, indented("  -", removed[from:len(removed)-to], most/4)...)
		added = added[from : len(added)-to]
	}
	body := indented("  |", added, most)
	r.shown[sum] = body != nil
	return append(lines, body...)
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	whole, ended := strings.CutSuffix(text, "\n")
	lines := strings.Split(whole, "\n")
	if !ended {
		lines[len(lines)-1] += "⌁" // no line ends here
	}
	return lines
}

// indented returns lines with a prefix each, or nothing where they are longer than most.
func indented(prefix string, lines []string, most int) (all []string) {
	size := 0
	for _, line := range lines {
		if size += len(line) + 1; size > most {
			return nil
		}
		all = append(all, prefix+" "+visible(line))
	}
	return all
}

// spelledOut returns a line without control characters. A long line of compact JSON is indented, and > marks it.
func spelledOut(prefix, line string) []string {
	var wide, tight bytes.Buffer
	if len(line) > 100 && json.Compact(&tight, []byte(line)) == nil && tight.String() == line {
		_ = json.Indent(&wide, []byte(line), "", " ")
		lines := strings.Split(wide.String(), "\n")
		for i := range lines {
			lines[i] = prefix[:len(prefix)-1] + "> " + lines[i]
		}
		return lines
	}
	return []string{prefix + " " + visible(line)}
}

// visible returns a line with pictures of control characters.
func visible(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' {
			return '␀' + r // its picture
		}
		return r
	}, line)
}

// masks are the parts of texts that differ from run to run, or from machine to machine. Each has words that it is near
// to, so that most texts need not be searched.
var masks = []struct {
	near    string
	pattern *regexp.Regexp
	with    string
}{
	{"127.0.0.1:", regexp.MustCompile(`127\.0\.0\.1:\d{4,5}\b`), "127.0.0.1:PORT"},
	{"token=", regexp.MustCompile(`\btoken=[A-Z2-7]{26}\b`), "token=TOKEN"},
	{"said=", regexp.MustCompile(`\bsaid=[A-Z2-7]{26}\b`), "said=TOKEN"},
	{`name="kept"`, regexp.MustCompile(`(name="kept" value=")[A-Z2-7]{8}"`), `${1}KEPT"`},
	{"/answer-", regexp.MustCompile(`[^\s"]*/answer-\d+\.json`), "answer.json"},
	{"council.db", regexp.MustCompile(`(council\.db\S* +1 file +)[\d,]+ bytes`), "${1}SIZE"},
	{"PRIVATE+KEY", regexp.MustCompile(`\bPRIVATE\+KEY\+\S+`), "PRIVATE+KEY"},
	{"(rules ", regexp.MustCompile(`council (\S+|built from \S+|development build) \(rules (\d+), go\S+ \w+/\w+\)`),
		"council VERSION (rules $2, GO)"},
	{`Z "$OUTSIDE`, regexp.MustCompile(`\b[0-9a-f]{64}( \S+Z "\$OUTSIDE)`), "SUM$1"}, // of programs and their folder
	{"nats-server", regexp.MustCompile(`nats-server [\d.]+\b`), "nats-server VERSION"},
	{pid, regexp.MustCompile(`\b` + host + pid), "HOST/PID/"},
}

var pid = fmt.Sprintf("/%d/", os.Getpid())

var host = func() string { name, _ := os.Hostname(); return regexp.QuoteMeta(name) }()

// systemTime matches a time of the clock of a cluster. Those of the command have no fractions.
var systemTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9}Z`)

// masked returns a text without what differs from run to run.
func (r *recording) masked(text string) string {
	text = strings.ReplaceAll(text, r.outside, "$OUTSIDE")
	for id := range r.ids {
		text = strings.ReplaceAll(text, id, "WORKSPACE-ID")
	}
	for _, m := range masks {
		if strings.Contains(text, m.near) {
			text = m.pattern.ReplaceAllString(text, m.with)
		}
	}
	if r.nats != nil {
		text = systemTime.ReplaceAllString(text, "TIME")
	}
	return text
}
