package trial_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestATestThatDoesNotEndFailsAndSaysWhy(t *testing.T) {
	tests := read(t, `a line before all tests
^=== RUN   TestFirst
^--- PASS: TestFirst (0.00s)
^=== RUN   TestExits
what log.Fatal says
`)
	assert.True(t, tests["TestFirst"].Passed)
	assert.False(t, tests["TestExits"].Passed)
	assert.Equal(t, []string{
		"what log.Fatal says", "the program ended before this test did: by os.Exit, log.Fatal or the like",
	}, tests["TestExits"].Printed)
}
