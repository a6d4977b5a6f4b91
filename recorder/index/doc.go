// Package index finds texts of the turns, episodes and records of all sessions, however old.
//
// The index is council.db in the root, an SQLite database that is derived: it can be deleted at any time and is built
// again from the session files. It holds a copy of every text, to show passages of it.
//
// # How words are found
//
// The table words is FTS5 with the tokenizer unicode61, which drops case and accents, and porter, which drops English
// endings. It has each text in an encoded form: in scripts without spaces between words (Chinese, Japanese, Korean,
// Thai and their neighbours) every two characters side by side are a word, and a few letters that the tokenizer
// keeps apart (ß and ss, ı and i) are spelled alike. The encoding can be undone, so that FTS5 also picks the passages
// that are shown. A text that is not its own encoding is in the table docs as well.
//
// Documents are ranked by bm25 in one query of the words that few documents have, because bm25 reads every match of
// every word. The rows of the documents are numbered in the order in which they came, so that a query of common words
// reads the newest alone.
//
// # Processes
//
// The database is in WAL mode: any number of processes read while one writes; writers wait for one another.
package index
