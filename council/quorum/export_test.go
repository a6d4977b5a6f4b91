package quorum

// Strongest and Unbeaten are for the comparison with the counts of others.
var (
	Strongest = strongestPaths
	Unbeaten  = isUnbeaten
)
