package memory_test

import (
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

func TestMain(m *testing.M) {
	counciltest.Properties(15)
	m.Run()
}
