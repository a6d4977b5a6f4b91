// Package rules is the protocol of a deliberation, as a pure fold over events.
//
// A [Session] is rebuilt from its log by [Replay] and moved by [Session.Apply], its only mutator. [Session.Ready]
// returns what it wants next: a due consequence to record, questions to put to members, or nothing more because it is
// closed. [Session.Answer] and [Session.Rule] turn a member's reply or a person's ruling into the event to record;
// they decide and change nothing.
//
// Every event is a fact from outside (a reply, a ruling) or a consequence, which is a function of the log before
// it. Apply recomputes both and refuses what the rules do not yield, so a log that replays is a log whose every
// vote has been counted again.
//
// The rules are stated, sentence by sentence, in docs/protocol.md.
//
// The package is stable as docs/library.md says.
package rules
