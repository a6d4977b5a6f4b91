// Package voters simulates voters of known accuracy and correlation, and counts how often the rules by which votes are
// put together find the right one of two answers.
//
// The model: the truth of each question is a fair coin. Each voter is right with a probability of its own, drawn anew for
// each question, evenly from Accuracy-Spread to Accuracy+Spread. In a share Correlation of the questions a common cause
// decides for all of them: one number is drawn, and whoever's probability lies above it is right. In the others voters
// are right or wrong independently. With equal accuracies the share is the correlation between any two votes.
package voters
