//go:build race

package main

// The distance between the strikes under the race detector, which makes them ten times as slow.
const (
	killStride  = 401
	faultStride = 997
)
