// Package tool has the words of looking things up: which tools a member may call, what a call says, and what came of it.
//
// A member calls a tool by the reply that it gives instead of its answer; the result is put to it with the same question.
// Each use is recorded with the reply that it led to, so that what the member was sent follows from the log. The package
// is pure: package member/tools calls.
package tool
