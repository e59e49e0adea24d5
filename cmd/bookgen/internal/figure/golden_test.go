package figure_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

var update = flag.Bool("update", false, "write the golden drawings anew")

// samples names the recorded runs in testdata, and the kinds that draw them.
var samples = map[string]string{
	"cost":    "plot",
	"latency": "plot",
	"map-0":   "map 0",
	"map-3":   "map 3",
	"disks":   "spans",
	"update":  "lanes",
	"writers": "writers 3",
}

// drawn returns the figure of a sample.
func drawn(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	svg, err := figure.Render(samples[name], data, "fig-"+name, "What "+name+" shows, in words.")
	require.NoError(t, err)
	return string(svg)
}

// variants returns the wide and the narrow drawing of a sample.
func variants(t *testing.T, name string) []string {
	t.Helper()
	return strings.SplitAfter(drawn(t, name), "</svg>")[:2]
}

func TestDrawingsAreTheGoldenOnes(t *testing.T) {
	for name := range samples {
		t.Run(name, func(t *testing.T) { golden(t, name+".svg", drawn(t, name)) })
	}
	t.Run("opengraph", func(t *testing.T) { golden(t, "opengraph.svg", string(figure.OpenGraph())) })
}

// golden compares got with a file, an element a line so that a diff can be
// read.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update to write it, then look at it")
	assert.Equal(t, string(want), got, "the drawing has changed: look at it, then run go test -update")
}
