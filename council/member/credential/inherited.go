package credential

import (
	"encoding/json"

	"github.com/council-engine/council/internal/atomicfile"
)

// ReadInherited reads the API keys in a credentials file of roundtable, by their ids. They are bound to no server.
func ReadInherited(path string) (map[string]string, error) {
	text, err := atomicfile.ReadOrdinary(nil, path, maxFile)
	if err != nil {
		return nil, err
	}
	var file struct {
		Entries map[string]struct{ APIKey string }
	}
	err = json.Unmarshal(text, &file)
	keys := map[string]string{}
	for id, e := range file.Entries {
		keys[id] = e.APIKey
	}
	return keys, err
}
