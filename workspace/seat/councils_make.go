package seat

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// ErrNoConfigFolder: the environment names no folder for the user's own files.
var ErrNoConfigFolder = errors.New("there is no folder for it: neither XDG_CONFIG_HOME nor HOME names one")

// Make copies the council from to a file for another name, in the workspace or, if own is true, in the user's folder of
// configurations. It returns the path of the file, and the original.
func (p Places) Make(world *site.World, name, from string, own bool) (path string, origin Found, err error) {
	if !PlainName.MatchString(name) {
		return "", origin, site.Refuse("a council cannot be called "+site.Quote(name),
			"Use 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit.")
	}
	if origin, err = p.Find(from); err != nil {
		return "", origin, err
	}
	doc := Retitled(origin.Doc, name)
	if _, err := config.Parse(doc); err != nil {
		return "", origin, fmt.Errorf("%s is not a council to start from: %w", origin.Of(), err)
	}
	folder := p[0]
	if own {
		config := world.User().ConfigFolder()
		if config == "" {
			return "", origin, ErrNoConfigFolder
		}
		folder = filepath.Join(config, CouncilsFolder)
		err = os.MkdirAll(folder, 0o700)
	} else {
		err = world.InNewRecord(filepath.Dir(folder), func(root *recorder.Root) error { // else it would not be a workspace
			return atomicfile.EnsureFolder(root.Files(), CouncilsFolder)
		})
	}
	if err != nil {
		return "", origin, err
	}
	path = filepath.Join(folder, name+".json")
	return path, origin, atomicfile.CreateFile(path, doc)
}

// councilName matches the field of the name with its value.
var councilName = regexp.MustCompile(`("councilName"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// Retitled sets the title in a configuration to the words of the council's new name.
func Retitled(doc []byte, name string) []byte {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	title, _ := json.Marshal(strings.Join(words, " "))
	at := councilName.FindSubmatchIndex(doc)
	if at == nil || len(words) == 0 {
		return doc
	}
	return append(append(append([]byte{}, doc[:at[3]]...), title...), doc[at[1]:]...)
}

// Commented returns the configuration of a ready-made council with notes for its editors.
func Commented(doc []byte) []byte {
	notes := []string{
		`  "phases": [`, `  // The phases of the debate, and how each is decided: council help protocol`,
		`  "members": [`, `  // Who sits on the council, in the order of their turns: council help members`,
		`      "model": `, `      // The model of this member; default is the first that is at hand. One by name, for example:
      // "model": { "provider": "anthropic", "model": "claude-sonnet-5-5" }  or "openai", "gemini", "ollama" and others.
      // Members with different models find more of each other's mistakes. Keys: council login`,
	}
	text := "// A council as council convene finds it in this folder. Lines that begin with // are notes.\n" +
		"// What each field means: council help councils.md, council schema config. Check it: council doctor --offline\n" +
		string(doc)
	for i := 0; i < len(notes); i += 2 {
		text = strings.Replace(text, "\n"+notes[i], "\n"+notes[i+1]+"\n"+notes[i], 1)
	}
	return []byte(text)
}
