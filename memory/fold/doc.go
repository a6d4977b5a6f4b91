// Package fold makes the next book of a book: [Close] folds in a session that closed, [Apply] a person's change.
//
// Both are pure: what they are given they do not change, they know no clock, and the same input gives the same bytes.
package fold
