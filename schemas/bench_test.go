package schemas

import (
	"sync"
	"testing"

	"github.com/council-engine/council/internal/check"
)

// BenchmarkCompileAll is what the first use of every schema costs.
func BenchmarkCompileAll(b *testing.B) {
	for b.Loop() {
		compiler = sync.OnceValue(newCompiler)
		for _, name := range Names() {
			compile(name)
		}
	}
}

// BenchmarkValidate is what one reply costs once its schema is compiled.
func BenchmarkValidate(b *testing.B) {
	doc := []byte(accepted["reply.ballot"])
	for b.Loop() {
		check.OK(b, Validate("reply.ballot", doc))
	}
}
