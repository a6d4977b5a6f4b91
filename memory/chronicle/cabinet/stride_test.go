//go:build !race

package cabinet_test

// stride is the distance between the operations that the crash tests strike: all of them.
const stride = 1
