package council

import (
	"crypto/sha256"
	"encoding/hex"
)

// Topic is the question to the council, with the documents it is given.
type Topic struct {
	Text      string     `json:"text" text:"said"`
	Documents []Document `json:"documents,omitempty"`
	Skipped   []Skipped  `json:"skipped,omitempty"` // what was named as context and not given
	Cut       []Cut      `json:"cut,omitempty"`     // secrets that were taken out of the text and the documents

	// Characters that readers do not see; those of kind `private-use` were left in, the others not.
	Hidden []Cut `json:"hidden,omitempty"`

	Reopens *Reopened `json:"reopens,omitempty"` // the closed session that is taken up again; nil: none
}

// Reopened is a closed session that another takes up again, why, and what it came to.
type Reopened struct {
	Session SessionID `json:"session"`
	Closed  string    `json:"closed" text:"id"`    // the day, such as 2026-11-21, in UTC
	Because string    `json:"because" text:"said"` // 1 to [MaxNote] characters, of the person who convenes
	Record  string    `json:"record" text:"id"`    // the name of the document that holds its record

	// What it decided, which is to be reconsidered.
	Resolutions []Resolution `json:"resolutions,omitempty"`

	// The name of the document that is sent back for another revision, and the critical blockers that it leaves
	// unanswered. Empty: none is sent back.
	Draft    string    `json:"draft,omitempty" text:"id"`
	Blockers []Blocker `json:"blockers,omitempty"`
}

// Skipped counts the files that were named as context and not given, for one reason.
type Skipped struct {
	Reason string   `json:"reason" text:"id"`            // a clause: "it is binary, not UTF-8 text"
	Count  int      `json:"count"`                       // of files, and of folders of which nothing was looked at
	Bytes  int64    `json:"bytes,omitempty"`             // of those files of which the size is known
	Names  []string `json:"names,omitempty" text:"name"` // the first of them
}

// Document is one context document, whole: members quote it by name and line.
type Document struct {
	Name   string `json:"name" text:"id"` // as the user named it, with forward slashes
	SHA256 string `json:"sha256" text:"id"`
	Text   string `json:"text" text:"document"`

	Shows []FileLines `json:"shows,omitempty"` // lines of files that it holds, as a diff does: they can be cited too
	Note  *OwnNote    `json:"note,omitempty"`  // the person who convened keeps it for all sessions; nil: given for this one
}

// OwnNote marks a document as one of the notes that a person keeps beside memory.
type OwnNote struct {
	Left int `json:"left,omitempty"` // characters at the end of its file for which there was no room
}

// NewDocument returns a document with its digest.
func NewDocument(name, text string) Document {
	return Document{Name: name, SHA256: Digest(text), Text: text}
}

// Digest returns the SHA-256 of s in lower-case hexadecimal: how drafts, briefs and documents are named in votes and
// approvals.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
