// Package index finds what was said, however long ago: the turns, episodes and records of all sessions in full text.
//
// The index is council.db in the root, an SQLite database that is derived: it can be deleted at any time and is built
// again from what stands in files. It holds a copy of every text, so that it can show what it found.
//
// # How words are found
//
// A text is cut into terms in Go (see package terms): words without case and accents, and for writing without spaces
// between words (Chinese, Japanese, Korean, Thai and their neighbours) every two characters that stand side by side.
// The table words is FTS5 with the tokenizer unicode61 over these terms. It has no copy of the text and no sizes, and
// its rows are numbered in the order in which they came, so that the newest matches of the most common words are read
// first and the rest not at all. What has the rarer words is ranked by bm25; of a common word it would have to read
// every match.
//
// A word within a longer one (Migration in Datenbankmigration) or with another ending (migrated) is found by way of the
// vocabulary: the table terms lists every longer word once, the FTS5 table parts has its trigrams, and the words that
// hold what is left of the word without its ending are looked up like any other. That takes a hundredth of the room
// that the trigrams of all texts would.
//
// # Processes
//
// The database is in WAL mode: any number of processes read while one writes; writers wait for one another.
package index
