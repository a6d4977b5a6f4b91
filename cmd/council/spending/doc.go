// Package spending is what the command knows of money: flags for budgets, tables of prices, what a council may cost and
// what it did.
package spending
