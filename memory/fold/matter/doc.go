// Package matter tells whether two texts are about the same matter, and whether they say the same.
//
// It compares words and knows no meaning. It is meant to be strict: to take two matters for one would make a decision
// vanish behind another, while to take one for two only leaves a record more.
package matter
