// Package command seats programs: the agents that people have on their command line (claude, codex and gemini in their
// headless modes), and any other that reads a prompt and writes a reply.
//
// A program is started for each question. It has an empty home and an empty working folder, which are removed when the
// seat is closed, the few environment variables that it needs and those that the charter names, and no tools unless the
// charter allows them. Whatever it starts is killed with it.
//
// An agent that names its conversation is asked to continue it, and then sent only what is new. Its memory is in its
// home, and goes with it: what a later process asks begins with the whole prompt again. The record of the session stays
// the only place where a conversation is kept.
package command
