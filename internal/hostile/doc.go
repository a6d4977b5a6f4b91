// Package hostile makes text that a model or a stranger wrote safe to put into a record that people read.
//
// The functions never fail and never drop words: what could be mistaken for structure is escaped, what cannot be seen
// is removed, and the rest stays as it was. All are pure and stable: applied to their own result they do no harm.
package hostile
