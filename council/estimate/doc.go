// Package estimate says beforehand what a question and what a whole session will take. All of it is pure: the same
// charter, log and prompts give the same numbers.
package estimate
