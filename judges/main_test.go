package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUsageNamesTheProgramAsItWasCalled(t *testing.T) {
	for _, name := range []string{"judges", "lab"} {
		command, _, err := newRoot(name).Find([]string{"conformance"})
		require.NoError(t, err)
		assert.Equal(t, name+" conformance [flags]", command.UseLine())
	}
}

func TestOutsideOfTheBookTheErrorSaysWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	_, err := here()
	assert.EqualError(t, err, folder+" is not inside the book: there is no judges/go.mod above it; change to the book's folder first")
}
