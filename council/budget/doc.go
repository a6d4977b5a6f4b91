// Package budget keeps a session within its budget. It holds the prices of models, estimates beforehand what a question and
// a whole session will take, and holds back what a question is estimated to take before it is put; what it really took is
// settled by what the provider reports. So a session stops between calls, never within one, and overspends by no more than
// its estimates of the calls in flight were wrong. Estimates are pure: the same charter, log and prompts give the same.
package budget
