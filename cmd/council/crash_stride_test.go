//go:build !race

package main

// The distance between the strikes of the plain tests. It is prime, so that all kinds of operations are struck.
const (
	killStride  = 23
	faultStride = 131
)

// How often processes are killed, rivals meet, and replies come in another order.
const (
	killedRuns  = 50
	rivalTrials = 100
	orderSeeds  = 50
)
