package index

import (
	"database/sql"
	"time"

	"github.com/council-engine/council/recorder/index/dbfile"
)

// Exec runs statements on the database at path.
func Exec(path string, statements ...string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

func init() { dbfile.Patience = 50 * time.Millisecond }
