package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// charterFlags say which council is meant. Without config and council it is the configuration in the working folder,
// else the usual council.
type charterFlags struct {
	config  string // path of a configuration
	council string // name of a council
	model   string // PROVIDER[/MODEL] for all members
	root    string // folder of the record
	pace    string // how much time the council takes; "" for what the configuration says
}

// flags adds those of the flags that are named.
func (o *charterFlags) flags(f *pflag.FlagSet, names ...string) {
	all := vars{"config": &o.config, "council": &o.council, "model": &o.model, "pace": &o.pace, "root": &o.root}
	for _, name := range names {
		flags(f, vars{name: all[name]})
	}
}

// reading is a charter as it was read.
type reading struct {
	charter council.Charter
	from    string       // where it comes from, in words
	folder  string       // of its configuration; "" for a ready-made council
	byFile  []seat.Named // what it names that somebody else may have written there
}

func readCharter(a *cli.Env, o charterFlags) (r reading, err error) {
	path, own := o.config, false
	if o.config != "" && o.council != "" {
		return r, site.Refuse("--config and --council exclude each other", "Leave one of them out.")
	}
	if o.config == "" && o.council == "" && configured() {
		path = site.Config()
	}
	var doc []byte
	if path != "" {
		r.from, r.folder = "council of "+filepath.ToSlash(path), filepath.Dir(path)
		if doc, err = os.ReadFile(path); err != nil {
			return r, unreadable(path, err)
		}
	} else {
		found, err := placesOfCouncils(a, o.root).find(cmp.Or(o.council, usualCouncil()))
		if err != nil {
			return r, err
		}
		doc, r.from, path, own = found.doc, found.from(), found.of(), found.own
		if found.path != "" {
			r.folder = filepath.Dir(found.path)
		}
	}
	if r.charter, err = config.Parse(doc); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if o.model == "" && seat.Misses(&r.charter) && path != site.Config() && configuredFor(o.root) {
		own = false // its models may come from the configuration
		if err := seatConfigured(&r.charter); err != nil {
			return r, err
		}
	}
	if o.root == "" && site.Place() != "." && (path == site.Config() || config.RootDir(doc) == "") {
		o.root = site.Home()
	}
	if o.root != "" {
		r.charter.Storage.MemoryDir = curator.MemoryDir(r.charter.Storage, o.root)
		r.charter.Storage.RootDir = o.root
	}
	if !own {
		r.byFile = seat.NamedIn(&r.charter)
	}
	return r, nil
}

// seatConfigured gives the members of a council that have no model those of the configuration in this workspace, in
// turn. People are none, and a configuration without models changes nothing.
func seatConfigured(c *council.Charter) error {
	doc, err := os.ReadFile(site.Config())
	if err != nil {
		return unreadable(site.Config(), err)
	}
	from, err := config.Parse(doc)
	if err != nil {
		return fmt.Errorf("%s: %w", site.Config(), err)
	}
	var models []council.Model
	for _, m := range from.Members {
		known := slices.ContainsFunc(models, func(one council.Model) bool { return reflect.DeepEqual(one, m.Model) })
		if k := m.Model.Kind(); !known && !k.Person && !k.Unchosen {
			models = append(models, m.Model)
		}
	}
	next := 0
	for i := range c.Members {
		if m := &c.Members[i].Model; len(models) > 0 && m.Kind().Unchosen {
			*m = models[next%len(models)]
			next++
		}
	}
	return nil
}

// configuredFor reports whether the workspace whose record is in a folder has a configuration. A record that is kept
// elsewhere, such as that of the action, has none.
func configuredFor(root string) bool {
	return (root == "" || filepath.Clean(root) == filepath.Clean(site.Home())) && configured()
}

// configured reports whether there is a configuration that commands take where no flag names one.
func configured() bool {
	_, err := os.Stat(site.Config())
	return err == nil
}

// unreadable explains why a configuration that the user named cannot be read.
func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s; council init writes one to start from", path)
	}
	return fmt.Errorf("%s cannot be read: %w", path, atomicfile.Explain(err))
}

// priced caps the budget of a charter by flags and settles its prices.
func setPrices(a *cli.Env, c *council.Charter, caps budgetFlags) (err error) {
	if c.Budget, err = caps.over(c.Budget); err != nil {
		return err
	}
	return seat.Price(a.World, c)
}

// pick gives every member the model that is named, or those without one the first that is available. It returns a line
// that explains the choice. Where there is none, the rehearsal may speak only if rehearse says so.
func pickModels(a *cli.Env, ctx context.Context, c *council.Charter, model string, rehearse bool) (string, error) {
	if _, err := a.Policy(c.Storage.RootDir); err != nil { // before a server is asked which models it has
		return "", err
	}
	p := seat.Picker{Getenv: a.Getenv, Rehearse: rehearse, Client: gate.Client(a.Gate(c.Storage.RootDir).Nearby()),
		Keeps: func(m council.Model) bool {
			server, err := url.Parse(m.Kind().Address)
			if err == nil {
				_, err = newWallet(a, c.Storage.RootDir).For(m, server)
			}
			return err == nil
		}}
	if g, ok := a.Settings["model"]; ok {
		p.Because = g.From
	}
	return p.Pick(ctx, c, model)
}

// readCouncil is readCharter with the personas that stand in files of their own, at the pace that is asked for.
func readCouncilAtPace(a *cli.Env, o charterFlags) (reading, error) {
	r, err := readCharter(a, o)
	if err != nil {
		return r, err
	}
	if err := setPace(&r.charter, o.pace); err != nil {
		return r, err
	}
	return r, readPersonas(&r.charter, r.folder)
}

// setPace brings a charter to the pace that is asked for, else to its own.
func setPace(c *council.Charter, pace string) error {
	switch p := council.Pace(pace); p {
	case council.PaceQuick, council.PaceStandard, council.PaceThorough:
		c.Deliberation.Pace = p
	case "":
	default:
		return site.Refuse("there is no pace "+site.Quote(pace), "Use --pace quick, --pace standard or --pace thorough.")
	}
	charter.Pace(c)
	return nil
}

// readPersonas gives each member the persona that is kept apart from the configuration: the file that its
// systemPromptFile names, in the folder of the configuration, else members/ID/SOUL.md in the folder of memory, if it is
// there. Where it came from stays in the charter. The error is a [*council.CharterError] with the path.
func readPersonas(c *council.Charter, folder string) error {
	for i := range c.Members {
		m := &c.Members[i]
		dir, name := folder, m.SystemPromptFile
		if name == "" {
			if info, err := os.Stat(c.Storage.MemoryDir); err != nil || !info.IsDir() {
				continue // the record says what is wrong with it, if anything is
			}
			dir, name = c.Storage.MemoryDir, path.Join("members", string(m.ID), "SOUL.md")
		}
		text, err := readWithin(dir, filepath.FromSlash(name), config.MaxSize)
		if m.SystemPromptFile == "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		full := filepath.ToSlash(filepath.Join(dir, name))
		if err != nil {
			return &council.CharterError{Pointer: fmt.Sprintf("/members/%d/systemPromptFile", i),
				Problem: fmt.Sprintf("the persona of %s cannot be taken from %s: %v", m.ID, full, atomicfile.Explain(err))}
		}
		if m.SystemPrompt = strings.TrimSpace(text); m.SystemPromptFile == "" {
			m.SystemPromptFile = full
		}
	}
	return nil
}

// readWithin reads a text in a folder, of at most so many bytes. It follows no link that leads out of the folder, and
// reads no file that looks like a secret, whatever leads to it.
func readWithin(dir, name string, most int64) (string, error) {
	real, _ := filepath.EvalSymlinks(filepath.Join(dir, name)) // what is not there cannot be opened either
	if documents.Secret(name) || documents.Secret(real) {
		return "", errors.New("it is named like a file of keys or passwords, and is sent to model providers")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	raw, err := atomicfile.ReadOrdinary(root, name, most)
	if err != nil {
		return "", err
	}
	if int64(len(raw)) > most {
		return "", fmt.Errorf("it is larger than %d KiB", most>>10)
	}
	text, err := documents.Plain(raw)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("it is empty")
	}
	return text, err
}

type contextFlags struct {
	contexts []string
	diffs    []string
}

func (o *contextFlags) flags(f *pflag.FlagSet) {
	flags(f, vars{"context": &o.contexts, "diff": &o.diffs})
}

// load reads what was named into a topic. Its error is a [*documents.Error], or that of the context.
func (o *contextFlags) load(ctx context.Context, stdin io.Reader, topic *council.Topic) error {
	var err error
	topic.Documents, topic.Skipped, err = documents.Load(ctx,
		documents.Request{Paths: o.contexts, Diffs: o.diffs, Stdin: stdin})
	return err
}

// The bounds of what is told; the record has more. maxDocuments is how many documents are told one by one, maxLeft how
// many files that are left out for one reason.
const (
	maxDocuments = 12
	maxLeft      = 12
)

// givenPage is a topic as the templates "given" and "left" tell what members are given and what was left out.
type givenPage struct {
	Listed   []council.Document // told one by one
	More     int                // of which only the number is told
	Bytes    int64              // of those
	Left     []leftOut
	Crowding bool
}

// leftOut is what was left out for one reason, with the first of the names and how many have none here.
type leftOut struct {
	council.Skipped
	More int
}

// Secret reports whether a document is named like a file of keys.
func (givenPage) Secret(name string) bool { return documents.Secret(name) }

// contextWords lists what members are given, and which of a person's notes were left out, one sentence each.
func contextWords(t council.Topic) []string {
	p := leftPage(t, true)
	for i, d := range t.Documents {
		if i >= maxDocuments && len(t.Documents) > maxDocuments+1 && !documents.Secret(d.Name) {
			p.More, p.Bytes = p.More+1, p.Bytes+int64(len(d.Text))
		} else {
			p.Listed = append(p.Listed, d)
		}
	}
	return strings.Split(strings.TrimSpace(terminal.Tell("given", p)), "\n")
}

// leftWords lists the files that were named, or changed, and that members are not shown, one sentence for each reason.
func leftWords(t council.Topic) []string {
	p := leftPage(t, false)
	if len(p.Left) == 0 {
		return nil
	}
	p.Crowding = slices.ContainsFunc(t.Skipped, documents.Crowded)
	return strings.Split(strings.TrimSpace(terminal.Tell("left", p)), "\n")
}

func leftPage(t council.Topic, notes bool) (p givenPage) {
	for _, s := range t.Skipped {
		if s.Notes == notes {
			s.Files = s.Files[:min(len(s.Files), maxLeft)]
			p.Left = append(p.Left, leftOut{s, s.Count - len(s.Files)})
		}
	}
	return p
}

// budgetFlags are the flags that cap what a session may spend over its whole life.
type budgetFlags struct {
	set    *pflag.FlagSet
	tokens int64
	usd    float64
	time   time.Duration
}

// The names of the flags.
const (
	tokensFlag = "budget-tokens"
	usdFlag    = "budget-usd"
	timeFlag   = "budget-time"
)

func (c *budgetFlags) flags(f *pflag.FlagSet) {
	c.set = f
	flags(f, vars{tokensFlag: &c.tokens, usdFlag: &c.usd, timeFlag: &c.time})
}

func (c *budgetFlags) given() bool {
	return c.changed(tokensFlag) || c.changed(usdFlag) || c.changed(timeFlag)
}

func (c *budgetFlags) changed(name string) bool { return c.set != nil && c.set.Changed(name) }

// over returns the budget b with what was given in the place of what it said. An invalid cap is a usage error.
func (c *budgetFlags) over(b council.Budget) (council.Budget, error) {
	for _, given := range []struct {
		name  string
		value float64
		take  func()
	}{
		{tokensFlag, float64(c.tokens), func() { b.Tokens = c.tokens }},
		{usdFlag, c.usd, func() { b.USD = c.usd }},
		{timeFlag, float64(c.time), func() { b.Minutes = c.time.Minutes() }},
	} {
		switch {
		case !c.changed(given.name):
		case !(given.value >= 0 && given.value <= math.MaxFloat64):
			return b, site.Refuse("--"+given.name+" is 0, for no limit, or more, not "+c.set.Lookup(given.name).Value.String(),
				"Nothing was done.")
		default:
			given.take()
		}
	}
	return b, nil
}
