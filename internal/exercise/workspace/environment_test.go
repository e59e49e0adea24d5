package workspace

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFailureOfTheEnvironmentIsNoAttempt(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	before := r.line("1b").Record
	t.Setenv("GOEXPERIMENT", "nonsense")
	_, err := r.Test(t.Context(), "1b", false, Telling{Begins: func(Tested) {}})
	require.ErrorContains(t, err, "unset GOEXPERIMENT")
	assert.Equal(t, before, r.line("1b").Record)
}
