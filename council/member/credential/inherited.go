package credential

import (
	"fmt"
	"os"
	"time"

	"github.com/tidwall/gjson"
)

// ReadInherited reads a credentials file of roundtable: keys by their ids, or tokens. They are bound to no server. Its
// error is an [ErrForeign] for another file, or an [fs.ErrNotExist].
func ReadInherited(path string) (map[string]Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	var text []byte
	if info.Mode().IsRegular() && info.Size() <= maxFile {
		if text, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	doc := gjson.ParseBytes(text)
	valid := gjson.ValidBytes(text) && doc.IsObject()
	all := doc
	if entries := doc.Get("entries"); entries.IsObject() {
		all = entries
	}
	found := map[string]Entry{}
	all.ForEach(func(name, e gjson.Result) bool {
		valid = valid && e.IsObject()
		found[name.String()] = entryFrom(e)
		return valid
	})
	if !valid {
		return nil, fmt.Errorf("%w: %s", ErrForeign, path)
	}
	return found, nil
}

// entryFrom reads a key, a login's credentials or a token.
func entryFrom(e gjson.Result) Entry {
	if key := e.Get("apiKey").String(); key != "" {
		return Entry{Secret: key}
	}
	if login := e.Get("credentials"); login.Exists() { // its time is in milliseconds since 1970
		return Entry{Secret: login.Get("access").String(), Expires: expiry(time.UnixMilli(login.Get("expires").Int()))}
	}
	return Entry{Secret: e.Get("accessToken").String(), Refresh: e.Get("refreshToken").String(),
		Expires: expiry(e.Get("expiresAt").Time())}
}

// expiry normalizes a time of expiry.
func expiry(at time.Time) time.Time {
	if at.Unix() <= 0 {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Second)
}
