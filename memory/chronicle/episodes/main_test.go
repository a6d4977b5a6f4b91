package episodes_test

import (
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	m.Run()
}

// stride is the distance between the operations that the crash tests strike.
var stride = counciltest.Often(5, 1)
