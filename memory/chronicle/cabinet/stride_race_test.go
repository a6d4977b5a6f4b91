//go:build race

package cabinet_test

// stride under the race detector, which has nothing to see in these tests and makes them ten times as slow.
const stride = 11
