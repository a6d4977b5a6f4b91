// Package price says what tokens cost: the prices of models, from where they were read, and sums of money. It knows
// nothing of councils.
package price
