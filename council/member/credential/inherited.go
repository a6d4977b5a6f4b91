package credential

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// inherited is a file in which roundtable keeps credentials, by their ids, or tokens, by what they are of.
type inherited struct {
	Entries map[string]struct {
		APIKey      string `json:"apiKey"`
		Credentials struct {
			Access  string  `json:"access"`
			Expires float64 `json:"expires"` // in milliseconds since 1970
		} `json:"credentials"`
	} `json:"entries"`
}

type inheritedToken struct {
	AccessToken  string    `json:"accessToken"`
	RefreshToken string    `json:"refreshToken"`
	ExpiresAt    time.Time `json:"expiresAt"`
}

// Inherited returns what a file holds in which roundtable keeps credentials or tokens, by their names there. They are
// bound to no server. [ErrForeign]: it is not such a file, which is not quoted. [fs.ErrNotExist].
func Inherited(path string) (map[string]Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%w: %s", ErrForeign, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found := map[string]Entry{}
	var store inherited
	if json.Unmarshal(text, &store) == nil && store.Entries != nil {
		for id, e := range store.Entries {
			found[id] = Entry{Secret: e.APIKey}
			if e.APIKey == "" {
				found[id] = Entry{Secret: e.Credentials.Access, Expires: ending(time.UnixMilli(int64(e.Credentials.Expires)))}
			}
		}
		return found, nil
	}
	var tokens map[string]inheritedToken
	if json.Unmarshal(text, &tokens) != nil {
		return nil, fmt.Errorf("%w: %s", ErrForeign, path)
	}
	for name, t := range tokens {
		found[name] = Entry{Secret: t.AccessToken, Refresh: t.RefreshToken, Expires: ending(t.ExpiresAt)}
	}
	return found, nil
}

// ending returns a time as entries have it.
func ending(at time.Time) time.Time {
	if at.Unix() <= 0 {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Second)
}
