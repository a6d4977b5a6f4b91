package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

// invocation is one run of the command.
type invocation struct {
	args      []string
	env       map[string]string
	in        io.Reader
	out, errs io.Writer
	signals   chan os.Signal
	at        time.Time
	columns   int // of the terminal at which it runs; 0: at none
}

// invoke runs the command in this process, as main does, and returns its exit code. It is the only place of the corpus
// that knows how the command is built.
func (i invocation) invoke(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a test that hangs says where
	defer cancel()
	wait := func(ctx context.Context, d time.Duration) error { // nothing is waited for
		if until, ok := ctx.Deadline(); ok && time.Until(until) <= d { // the daemon has nothing left to do
			i.signals <- os.Interrupt
			<-ctx.Done()
		}
		return ctx.Err()
	}
	a := cli.Env{In: i.in, Out: i.out, Errs: i.errs, Terminal: i.columns > 0, Keyboard: i.columns > 0,
		Width: func() int { return i.columns }, Height: func() int { return 40 },
		World: &site.World{IsSet: isSet, Signals: catching(i.signals),
			Getenv: func(name string) string { return i.env[name] }, Now: func() time.Time { return i.at },
			Random: fixed(i.at.Minute()*7 + i.at.Hour()), Layer: (&filetest.Plan{NoSync: true}).Watch, Wait: wait},
		Raw: func() func() { return func() {} }}
	return runLine(&a, ctx, i.args)
}

// command runs the command, and returns what it printed, answered and changed. What it changed stays if it is kept.
func (r *recording) command(args []string, keep bool) (lines []string) {
	r.Helper()
	i := invocation{env: map[string]string{"USER": "tester", "HOME": r.outside + "/home", "NO_COLOR": "1",
		"XDG_STATE_HOME": r.outside + "/state", "OLLAMA_HOST": "127.0.0.1:1", "COUNCIL_KEYRING": "off",
		"PATH": os.Getenv("PATH"), "EDITOR": "false"}, signals: make(chan os.Signal, 2), at: r.at.Add(30 * time.Second)}
	if keep {
		r.at = r.at.Add(time.Minute)
		i.at = r.at
	}
	for {
		name, value, ok := strings.Cut(args[0], "=")
		if !ok {
			break
		}
		i.env[name] = value
		args = args[1:]
	}
	i.columns, _ = strconv.Atoi(i.env["COLUMNS"])
	i.args = args[1:]
	if i.env["INTERRUPT"] != "" {
		i.signals <- os.Interrupt
	}
	r.note(i.args)
	r.commands++
	var out, errs bytes.Buffer
	i.out, i.errs = &out, &errs
	in := r.in
	r.in = nil
	var code int
	var talk []exchange
	switch {
	case len(in) > 0 && i.args[0] == "mcp":
		code, talk = r.agent(i, in)
	case len(in) > 0 && i.args[0] == "serve":
		code, talk = r.browser(i, in)
	default:
		i.in = strings.NewReader(strings.Join(append(in, ""), "\n"))
		code = i.invoke(r.Context())
	}
	before := r.now
	now := check.Get(r.scan())(r)
	r.now, r.out = now, out.String()
	lines = []string{fmt.Sprint("exit ", code)}
	lines = append(lines, r.printed("out|", out.String())...)
	lines = append(lines, r.printed("err|", errs.String())...)
	for _, t := range talk {
		lines = append(lines, r.printed(t.prefix, t.text)...)
	}
	lines = append(lines, r.changes(before, now, keep)...)
	if !keep {
		if r.now = before; before.write(r.outside, now) != nil {
			r.Fatal("the files cannot be restored")
		}
	}
	return lines
}

// What is printed at once is recorded up to so many bytes, and an answer to an agent up to more; of longer ones only
// the beginning is.
const (
	mostPrinted  = 6 << 10
	mostAnswered = 16 << 10
)

// printed returns a stream as it is recorded.
func (r *recording) printed(prefix, text string) (lines []string) {
	text = r.masked(text)
	most := mostPrinted
	if prefix == "answer|" {
		most = mostAnswered
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16]
	switch {
	case len(text) > 200 && r.shown[sum]:
		return []string{fmt.Sprintf("%s (%d bytes, %s, as above)", strings.TrimSuffix(prefix, "|"), len(text), sum)}
	case len(text) > most:
		lines = append(lines, fmt.Sprintf("%s (the first of %d bytes, %s)", strings.TrimSuffix(prefix, "|"), len(text), sum))
		text = strings.ToValidUTF8(text[:mostPrinted/4], "?")
	}
	r.shown[sum] = true
	for _, line := range splitLines(text) {
		lines = append(lines, spelledOut(prefix, line)...)
	}
	return lines
}

// exchange is what was sent to a server or came from it, with how its lines begin.
type exchange struct{ prefix, text string }

// agent speaks with council mcp: each line is a request, and its answer is waited for.
func (r *recording) agent(i invocation, requests []string) (code int, talk []exchange) {
	in, asks := io.Pipe()
	answers, out := io.Pipe()
	i.in, i.out = in, out
	ended := make(chan int, 1)
	go func() {
		code := i.invoke(r.Context())
		out.Close()
		ended <- code
	}()
	said := bufio.NewReader(answers)
	requests = slices.Concat([]string{`initialize {"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"corpus","version":"1"}}`}, requests)
	for id, request := range requests {
		method, params, _ := strings.Cut(request, " ")
		if params == "" {
			params = "{}"
		}
		fmt.Fprintf(asks, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id+1, method, params)
		talk = append(talk, exchange{"asked|", request + "\n"})
		for {
			line, err := said.ReadBytes('\n')
			if err != nil {
				r.Fatalf("%s: no answer: %v", request, err)
			}
			var answer struct{ ID int }
			_ = json.Unmarshal(line, &answer)
			if r.answers++; answer.ID == id+1 {
				talk = append(talk, exchange{"answer|", string(line)})
				break
			}
			talk = append(talk, exchange{"notice|", string(line)})
		}
		if id == 0 {
			fmt.Fprintln(asks, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
	}
	asks.Close()
	go io.Copy(io.Discard, answers)
	return <-ended, talk
}

// browser opens pages of council serve: each line is a method, a path and the fields of a form.
func (r *recording) browser(i invocation, requests []string) (code int, talk []exchange) {
	printed, out := io.Pipe()
	print := i.out
	i.in, i.out = strings.NewReader(""), io.MultiWriter(print, out)
	ended := make(chan int, 1)
	go func() {
		code := i.invoke(r.Context())
		out.Close()
		ended <- code
	}()
	said := bufio.NewReader(printed)
	address := regexp.MustCompile(`^(http://\S+)/\?token=(\S+)\n`)
	var at []string
	for at == nil {
		line, err := said.ReadString('\n')
		if err != nil {
			return <-ended, nil
		}
		at = address.FindStringSubmatch(line)
	}
	go io.Copy(io.Discard, said)
	for _, line := range requests {
		r.pages++
		talk = append(talk, exchange{"asked|", line + "\n"})
		talk = append(talk, r.page(at[1], at[2], line)...)
	}
	i.signals <- os.Interrupt
	return <-ended, talk
}

// notice matches what a page says that a form came to.
var notice = regexp.MustCompile(`(?s)<div id="notice".*?</div>`)

// page returns what a server answers to one request, and what the page then says of a form.
func (r *recording) page(address, token, line string) (talk []exchange) {
	method, rest, _ := strings.Cut(line, " ")
	path, form, _ := strings.Cut(rest, " ")
	answer, text := r.request(address, token, method, path, form)
	talk = append(talk, exchange{"answer|", answer.Status + "\n"})
	for _, name := range []string{"Location", "Content-Type", "Content-Disposition", "Set-Cookie"} {
		if value := answer.Header.Get(name); value != "" {
			talk = append(talk, exchange{"answer|", name + ": " + value + "\n"})
		}
	}
	if to := answer.Header.Get("Location"); strings.Contains(to, "?said=") {
		_, said := r.request(address, token, http.MethodGet, to, "")
		text = notice.FindString(said) + "\n"
	}
	return append(talk, exchange{"page|", text})
}

// request sends a request as a browser that was let in does.
func (r *recording) request(address, token, method, path, form string) (*http.Response, string) {
	body, media := []byte(form), "application/x-www-form-urlencoded"
	if path == "/convene" && method == http.MethodPost {
		body, media = r.multipart(form)
	}
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	ask := check.Get(http.NewRequestWithContext(ctx, method, address+path, bytes.NewReader(body)))(r)
	ask.Header.Set("Cookie", "council"+address[strings.LastIndex(address, ":")+1:]+"="+token)
	if method == http.MethodPost {
		ask.Header.Set("Origin", address)
		ask.Header.Set("Content-Type", media)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(ask)
	check.OK(r, err)
	defer answer.Body.Close()
	var text []byte
	if answer.Header.Get("Content-Type") == "text/event-stream" { // it does not end: the first event is read
		for body := bufio.NewReader(answer.Body); err == nil && !bytes.HasSuffix(text, []byte("\n\n")); {
			var line []byte
			line, err = body.ReadBytes('\n')
			text = append(text, line...)
		}
	} else {
		text, err = io.ReadAll(answer.Body)
	}
	check.OK(r, err)
	return answer, string(text)
}

// multipart returns the fields of a form as a browser sends them together with files.
func (r *recording) multipart(form string) (body []byte, media string) {
	fields, err := url.ParseQuery(form)
	check.OK(r, err)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name := range fields {
		err = errors.Join(err, w.WriteField(name, fields.Get(name)))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		r.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

// coverage fails for verbs that no file has, and compares the list of flags that none has.
func (c *corpus) coverage(t *testing.T) {
	var unused strings.Builder
	all := leaves()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if c.used[path] == nil && !all[path].HasSubCommands() {
			t.Errorf("council %s is in no file of %s: add what it prints", path, c.folder)
			continue
		}
		var flags []string
		all[path].Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !c.used[path][f.Name] && f.Name != "help" {
				flags = append(flags, "--"+f.Name)
			}
		})
		if len(flags) > 0 {
			fmt.Fprintf(&unused, "%s: %s\n", path, strings.Join(flags, " "))
		}
	}
	file := filepath.Join(c.folder, "files", "unused-flags.txt")
	recorded, _ := os.ReadFile(file)
	switch {
	case *rewrite:
		check.OK(t, os.WriteFile(file, []byte(unused.String()), 0o644))
	case string(recorded) != unused.String():
		t.Errorf("the flags that no file of the corpus has:\n%s", lineDiff(strings.Split(string(recorded), "\n"),
			strings.Split(unused.String(), "\n")))
	}
}

// note remembers the verb of a command line, and its flags.
func (c *corpus) note(args []string) {
	cmd, rest, err := c.root.Find(args)
	if err != nil {
		return
	}
	path := strings.TrimPrefix(cmd.CommandPath(), "council ")
	if slices.Contains(rest, "--help") {
		return
	}
	if c.used[path] == nil {
		c.used[path] = map[string]bool{}
	}
	for _, arg := range rest {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			c.used[path][name] = true
		}
	}
}
