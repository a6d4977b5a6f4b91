// Package evaluation measures whether deliberating was worth it. From the records of sessions on questions with known
// answers it says how often each member alone, the plurality of their sealed positions, and the whole council were
// right, and what each cost. It reads questions from bytes, writes a report as JSON and as a page, and knows no files:
// the same records give the same figures.
//
// It also simulates voters, and counts how often each rule for counting votes finds the right one of two answers. The
// truth of each question is a fair coin. Each voter is right with a probability of its own, drawn anew for each
// question, evenly from Accuracy-Spread to Accuracy+Spread. In a share Correlation of the questions a common cause
// decides for all of them: one number is drawn, and a voter is right if its probability lies above it. In the others
// voters are right or wrong independently. With equal accuracies the share is the correlation between any two votes.
//
// It is its own package because it is pure: the command asks the questions and writes the files.
package evaluation
