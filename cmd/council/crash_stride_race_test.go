//go:build race

package main

// The distance between the strikes under the race detector, which makes them ten times as slow.
const (
	killStride  = 997
	faultStride = 2003
)

// How often processes are killed, rivals meet, and replies come in another order.
const (
	killedRuns  = 4
	rivalTrials = 8
	orderSeeds  = 3
)
