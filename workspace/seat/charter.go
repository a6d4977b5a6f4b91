package seat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// Choice selects a council, by default that of the configuration in the working folder, else the usual one.
type Choice struct {
	Config  string   // path of a configuration
	Council string   // name of a council
	Models  []string // PROVIDER[/MODEL] for all members, in turn
	Root    string   // folder of the record
	Pace    string   // how much time the council takes; "" for that of the configuration
}

// Reading is a charter with its sources.
type Reading struct {
	Charter council.Charter
	From    string  // where it comes from, in words
	folder  string  // of its configuration; "" for a ready-made council
	ByFile  []Named // its items that somebody else may have written there
}

// ReadCharter reads the charter that a [Choice] selects.
func ReadCharter(w *site.World, o Choice) (r Reading, err error) {
	path, own := o.Config, false
	if o.Config != "" && o.Council != "" {
		return r, site.Refuse("--config and --council exclude each other", "Leave one of them out.")
	}
	if o.Config == "" && o.Council == "" && site.HasConfig() {
		path = site.Config()
	}
	var doc []byte
	if path != "" {
		r.From, r.folder = "council of "+filepath.ToSlash(path), filepath.Dir(path)
		if doc, err = os.ReadFile(path); err != nil {
			return r, site.ExplainUnreadable(path, err)
		}
	} else {
		found, err := PlacesOf(w, o.Root).Find(cmp.Or(o.Council, Usual()))
		if err != nil {
			return r, err
		}
		doc, r.From, path, own = found.Doc, found.From(), found.Of(), found.Own
		if found.Path != "" {
			r.folder = filepath.Dir(found.Path)
		}
	}
	if r.Charter, err = config.Parse(doc); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if len(o.Models) == 0 && MissesModel(&r.Charter) && path != site.Config() && site.HasConfigFor(o.Root) {
		own = false // its models may come from the configuration
		if err := SeatConfigured(&r.Charter); err != nil {
			return r, err
		}
	}
	if o.Root == "" && site.Place() != "." && (path == site.Config() || config.RootDir(doc) == "") {
		o.Root = site.Home()
	}
	if o.Root != "" {
		r.Charter.Storage.MemoryDir = curator.MemoryDir(r.Charter.Storage, o.Root)
		r.Charter.Storage.RootDir = o.Root
	}
	if !own {
		r.ByFile = NamedIn(&r.Charter)
	}
	return r, nil
}

// SeatConfigured gives members without a model those of this workspace's configuration, if it has any, in turn.
func SeatConfigured(c *council.Charter) error {
	doc, err := os.ReadFile(site.Config())
	if err != nil {
		return site.ExplainUnreadable(site.Config(), err)
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
	if len(models) > 0 {
		seatInTurn(c, models, false)
	}
	return nil
}

// ReadCouncilAtPace is [ReadCharter] with the personas from files and the requested pace.
func ReadCouncilAtPace(w *site.World, o Choice) (Reading, error) {
	r, err := ReadCharter(w, o)
	if err != nil {
		return r, err
	}
	if err := SetPace(&r.Charter, o.Pace); err != nil {
		return r, err
	}
	return r, readPersonas(&r.Charter, r.folder)
}

// SetPace sets the pace of a charter, "" for its own.
func SetPace(c *council.Charter, pace string) error {
	switch p := council.Pace(pace); p {
	case council.PaceAuto, council.PaceWritten, council.PaceQuick, council.PaceStandard, council.PaceThorough:
		c.Deliberation.Pace = p
	case "":
	default:
		return site.Refuse("there is no pace "+site.Quote(pace), "Use --pace auto, quick, standard, thorough or as-written.")
	}
	charter.SetPace(c)
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
				continue // its problems are found with the record
			}
			dir, name = c.Storage.MemoryDir, path.Join("members", string(m.ID), "SOUL.md")
		}
		text, err := ReadWithin(dir, filepath.FromSlash(name), config.MaxSize)
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

// ReadWithin reads a text of at most so many bytes in a folder. It refuses links out of it and files like secrets.
func ReadWithin(dir, name string, most int64) (string, error) {
	real, _ := filepath.EvalSymlinks(filepath.Join(dir, name)) // a missing file cannot be opened either
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
	text, err := documents.DecodeText(raw)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("it is empty")
	}
	return text, err
}

// OpenMemory returns the curator of a record with the memory in dir, else in the configured or the default folder.
func OpenMemory(w *site.World, root *recorder.Root, dir string) (*curator.Curator, error) {
	dir, err := MemoryDir(w, root.Path(), dir)
	if err != nil {
		return nil, err
	}
	return w.OpenMemory(root, &council.Charter{Storage: council.Storage{RootDir: root.Path(), MemoryDir: dir}})
}

// RecoverMemory is [OpenMemory] after completing interrupted changes.
func RecoverMemory(w *site.World, ctx context.Context, root *recorder.Root, dir string) (*curator.Curator, error) {
	of, err := OpenMemory(w, root, dir)
	if err == nil {
		err = w.FinishMemory(ctx, of)
	}
	return of, err
}

// MemoryDir returns the folder of memory for a record, chosen as in [OpenMemory].
func MemoryDir(w *site.World, root, dir string) (string, error) {
	if dir != "" || !site.HasConfig() {
		return cmp.Or(dir, filepath.Join(root, "memory")), nil
	}
	read, err := ReadCharter(w, Choice{Root: root})
	return read.Charter.Storage.MemoryDir, err
}
