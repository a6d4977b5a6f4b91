package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// each calls do for all wanted models at once, as a session asks them. open seats the model.
func (x *exam) each(wanted func(council.Model) bool,
	do func(p *probe.Prober, m *model, open func(*http.Client) (member.Model, error))) {
	p := &probe.Prober{Transport: x.Transport, Now: x.Now}
	var wait sync.WaitGroup
	for _, m := range x.models {
		if !wanted(m.Model) {
			continue
		}
		wait.Go(func() {
			leave := func() {}
			do(p, m, func(client *http.Client) (model member.Model, err error) {
				model, leave, err = x.seat(m.Model, client)
				return model, err
			})
			leave()
		})
	}
	wait.Wait()
}

// learn asks servers for the context sizes of their models and their parallel calls, and sets them in the charter
// where its configuration has none. A server that does not answer is skipped: the session will meet it.
func (x *exam) learn(ctx context.Context, quietly bool) {
	ctx, cancel := context.WithTimeout(ctx, probe.LoadLimit)
	defer cancel()
	load := func(server, model string) {
		if !quietly {
			x.Warn("%s loads %s, to tell how much it holds (%s at most).", server, model, probe.LoadLimit)
		}
	}
	x.each(reportsContext, func(p *probe.Prober, m *model, open func(*http.Client) (member.Model, error)) {
		look := sync.OnceValue(func() probe.Window {
			w, _ := p.Look(ctx, open, load)
			return w
		})
		if x.Windows != nil {
			known, _ := x.Windows.LoadOrStore(council.CompactJSON(m.Model), look)
			look = known.(func() probe.Window)
		}
		m.Window = look()
	})
	for _, m := range x.models {
		for _, place := range m.places {
			place.ContextWindow = cmp.Or(place.ContextWindow, int(m.Tokens))
			place.Parallel = cmp.Or(place.Parallel, m.AtOnce)
		}
	}
}

// queues returns a line on the parallel calls to each local server that several members share.
func (x *exam) queues() (lines []string) {
	seats := map[string]int{}
	for _, m := range x.c.Members {
		seats[seat.Server(m.Model)]++
	}
	for _, m := range x.models {
		server := seat.Server(m.Model)
		if seats[server] < 2 || !member.Loopback(server) {
			continue
		}
		seats[server] = 0
		if most := m.places[0].Parallel; most > 0 {
			lines = append(lines, fmt.Sprintf("%s is sent %s at once.", server, plural.Things(most, "call")))
		} else {
			lines = append(lines, server+" is sent one call at a time, because it does not say how many it takes: set parallel.")
		}
	}
	return lines
}

// reportsContext reports whether the server of a model is asked for its context size. Those of the great providers
// exceed any conversation. Programs for keys and logins are left out, since they may prompt a person.
func reportsContext(m council.Model) bool {
	if m.Auth != nil && (m.Auth.Method == "command" || m.Auth.Method == "oauth-device-code") {
		return false
	}
	k := member.ServerKind(m)
	return k.Server() && !k.Roomy
}

// ask asks every model once, and judges the results. Those that cannot be seated were found before.
func (x *exam) ask(ctx context.Context) {
	paid := func(m council.Model) bool { k := m.Kind(); return k.Server() || k.Program }
	x.each(paid, func(p *probe.Prober, m *model, open func(*http.Client) (member.Model, error)) {
		r, err := p.Ask(ctx, open)
		m.Report, m.asked = r, err == nil
	})
	for _, m := range x.models {
		if m.asked {
			x.judge(m)
		}
	}
}

func (x *exam) judge(m *model) {
	name := m.Name()
	switch {
	case m.Trouble != "":
		f := x.findOf(m, string(m.Trouble), "baseUrl", hostile.Line(m.Fault.Message))
		if m.BaseURL == "" {
			f.Where = m.Address
		}
		return
	case m.Fault != nil:
		x.judgeFault(m)
	case m.Usage.PromptLost():
		x.findOf(m, "prompt-lost", "model", name, m.Usage.PromptTokens(), m.Usage.PromptBytes)
	case m.Problem != "":
		do := "Seat another model."
		if strings.Contains(m.Problem, "token limit") {
			do = "Raise maxTokens: a model that reasons needs room before it writes."
		} else if strings.Contains(m.Problem, "not in the form") {
			do = "Seat another model; small ones often cannot keep to a form."
		}
		x.findOf(m, "reply-unusable", "", name, strings.TrimRight(m.Problem, "."), do)
	default:
		if m.FirstByte > 30*time.Second {
			x.findOf(m, "slow", "model", name, seconds(m.FirstByte))
		}
		if m.Usage.Tokens() == 0 && x.c.Budget.Tokens > 0 {
			x.findOf(m, "tokens-untold", "model", name)
		}
	}
	if m.Skew.Abs() >= 2*time.Minute {
		way := "ahead of"
		if m.Skew < 0 {
			way = "behind"
		}
		x.find("clock", "clock", m.Skew.Abs().Round(time.Second), way, m.Address)
	}
}

var rowOfFault = map[council.FaultKind]string{
	council.FaultAuth: "key-refused", council.FaultModelMissing: "model-missing", council.FaultRate: "rate",
	council.FaultTimeout: "timeout", council.FaultContextTooLong: "context-too-long",
	council.FaultCancelled: "unfinished", council.FaultRefusal: "reply-unusable:fault",
	council.FaultEmpty: "reply-unusable:fault", council.FaultTruncated: "reply-unusable:fault",
	council.FaultUnparsable: "reply-unusable:fault",
}

func (x *exam) judgeFault(m *model) {
	kind, who, words := m.Fault.Kind, m.Name(), hostile.Line(m.Fault.Message)
	if m.Address != "" {
		who = "The server at " + m.Address
	}
	row, field, do := cmp.Or(rowOfFault[kind], "fault"), "", render.Remedy(kind)
	if kind == council.FaultModelMissing {
		field, do = "model", m.suggestion()
	}
	if named := variables(m.Model); kind == council.FaultAuth && len(named) > 0 {
		row, field, do = "key-refused:variable", named[0].field, named[0].name
	}
	if f := x.findOf(m, row, field, who, words, do, m.Model.Model); row == "fault" {
		f.Code = string(kind)
	}
}

// suggestion returns a replacement for a model that the server does not have.
func (m *model) suggestion() string {
	served := council.Map(m.Listed, func(l probe.ListedModel) string { return hostile.Line(l.Name) })
	near, ok := names.Nearest(m.Model.Model, slices.Values(served))
	switch fetch := m.Kind().Fetch; {
	case ok:
		return fmt.Sprintf("Set model to %q, which it has.", near)
	case fetch != "":
		return "Fetch it with: " + fetch + " " + m.Model.Model
	case len(served) == 0:
		return "Set model to one that the server has; it does not tell which."
	}
	return "Set model to one that it has: " + plural.List(served, 5) + "."
}

// Name names the model with its provider.
func (m *model) Name() string { return hostile.Line(m.Model.Name()) }

// checkRecord looks at the folder of the record, which need not be there yet.
func (x *exam) checkRecord() {
	path := x.c.Storage.RootDir
	root, err := recorder.FindRoot(path, x.Layer)
	if err != nil && !errors.Is(err, recorder.ErrNoRoot) {
		x.find("record", path, err)
		return
	}
	if err == nil {
		defer root.Close()
		x.checkPrivacy("record-open", path)
		x.checkPrivacy("credentials-open", filepath.Join(path, credential.VaultFile))
		x.checkSessions(root)
		x.checkMemory(root)
	}
	x.checkDisk(path)
}

// checkPrivacy finds a file or folder that other users of the machine may look into.
func (x *findings) checkPrivacy(row, path string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // where a mode means nothing
		x.find(row, path, info.Mode().Perm(), path)
	}
}

func (x *exam) checkSessions(root *recorder.Root) {
	sessions, err := root.List()
	if err != nil {
		x.find("record:list", root.Path(), err)
		return
	}
	for _, s := range sessions {
		at := filepath.ToSlash(root.Location(s.ID))
		switch s.State {
		case minutes.StateUnreadable:
			x.find("session-unreadable", at, fmt.Errorf("session %s cannot be read: %w", s.ID, s.Err))
		case minutes.StateInterrupted, minutes.StateSuspended:
			x.find("session-unfinished", at, s.ID, site.CommandLine(root, "council resume "+root.Short(s.ID)))
		}
	}
}

func (x *exam) checkMemory(root *recorder.Root) {
	dir := curator.MemoryDir(x.c.Storage, root.Path())
	unreadable := func(err error) { x.find("memory-unreadable", dir, err) }
	w, err := curator.Open(root, dir, store.Options{})
	if err != nil {
		unreadable(err)
		return
	}
	w.Remind(x.c, council.Topic{}, x.Now(), unreadable)
}

// checkDisk writes, syncs and locks a file of its own in the folder, or in the nearest one that exists.
func (x *exam) checkDisk(path string) {
	there, _ := filepath.Abs(path) // without a working folder every command says so
	for {
		if info, err := os.Stat(there); err == nil && info.IsDir() || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	row := "disk-write"
	files, err := atomicfile.OpenDir(there)
	if err == nil {
		defer files.Close()
		row, err = tryFiles(x.Through(files))
	}
	if told := new(fs.PathError); errors.As(err, &told) {
		err = told.Err // without a file name that people do not know
	}
	if err != nil {
		x.find(row, there, err)
		return
	}
	switch left, known := x.Free(there); {
	case known && left < 5<<20: // hardly any session fits
		x.find("disk-space:full", there, plural.Thousands(int64(left>>20)))
	case known && left < 200<<20: // a long session would not fit
		x.find("disk-space", there, plural.Thousands(int64(left>>20)))
	}
}

// tryFiles does the file operations of a session on a file of its own. row is the finding for its error.
func tryFiles(files atomicfile.Files) (row string, err error) {
	name := fmt.Sprintf(".doctor.%d.tmp", os.Getpid()) // as temporary files are called, so that fsck would sweep it
	f, err := files.Create(name)
	if errors.Is(err, fs.ErrExist) {
		f, err = files.Edit(name)
	}
	if err != nil {
		return "disk-write", err
	}
	defer files.Remove(name)
	if _, err = f.WriteAt([]byte("council doctor\n"), 0); err != nil {
		return "disk-write", errors.Join(err, f.Close())
	}
	if err = cmp.Or(errors.Join(f.Sync(), f.Close()), files.Sync()); err != nil {
		return "disk-sync", err
	}
	lock, err := atomicfile.TakeLock(files, name)
	if err != nil {
		return "disk-lock", err
	}
	defer lock.Release()
	second, err := atomicfile.TakeLock(files, name)
	if err == nil {
		return "disk-lock", errors.Join(errors.New("two could hold one lock at the same time"), second.Release())
	}
	if !errors.Is(err, atomicfile.ErrLocked) {
		return "disk-lock", err
	}
	return "", nil
}

// checkKey looks at the place of this machine's key, which vouches for sessions.
func (x *exam) checkKey() {
	switch place, err := x.Anchors().Place(); {
	case err != nil && place != "":
		x.find("anchors:broken", place, err)
	case err != nil:
		x.find("anchors", "XDG_STATE_HOME", err)
	}
}
