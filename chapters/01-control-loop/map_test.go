package controlloop_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The map of the chapter is drawn by hand; it names the files that
// exist.
func TestTheMapNamesTheFilesOfItsStations(t *testing.T) {
	data, err := os.ReadFile("testdata/map.json")
	require.NoError(t, err)
	var plan struct {
		Stations []struct{ ID, File string }
	}
	require.NoError(t, json.Unmarshal(data, &plan))
	require.Len(t, plan.Stations, 5)
	for _, station := range plan.Stations {
		assert.FileExists(t, station.File, station.ID)
	}
}
