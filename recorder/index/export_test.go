package index

import (
	"context"
	"database/sql"
	"time"
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

// Docs counts the documents.
func (ix *Index) Docs(ctx context.Context) (n int, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT count(*) FROM docs`).Scan(&n)
	return n, err
}

func init() { patience = 50 * time.Millisecond }
