package prompt_test

import (
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

func TestMain(m *testing.M) {
	counciltest.Properties(5)
	m.Run()
}
