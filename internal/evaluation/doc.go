// Package evaluation says whether deliberating was worth it: from the records of sessions on questions with known
// answers, how often each member alone, the plurality of their sealed positions, and the whole council were right, and
// what each took. It knows no files: the same records give the same figures.
package evaluation
