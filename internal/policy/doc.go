// Package policy holds what this repository asks of itself as tests: which package may import which, how large a file
// may grow, that everything exported says what it is, and that every sentence of docs/protocol.md has a test.
//
// A rule is a function from a tree of files to findings. The tests run every rule on the repository, and on small
// trees that break it: a rule that cannot fail is not a rule.
package policy
