package journal_test

import (
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	m.Run()
}
