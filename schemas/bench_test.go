package schemas

import (
	"sync"
	"testing"
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
		if err := Validate("reply.ballot", doc); err != nil {
			b.Fatal(err)
		}
	}
}
