package fold

import "errors"

// ErrBadRecord: a record, or a change to a book, is not what the book can hold. It is wrapped with what is wrong.
var ErrBadRecord = errors.New("unusable record")
