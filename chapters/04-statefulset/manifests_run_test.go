package statefulset_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
)

// One program as a Deployment and as a StatefulSet, side by side.
func TestRunOfTwoManifests(t *testing.T) {
	alike, numbered := manifest(t, "alike.yaml"), manifest(t, "web.yaml")
	var out bytes.Buffer
	for _, right := range numbered {
		left, mark := "", ">"
		if len(alike) > 0 && field(alike[0]) == field(right) {
			left, mark, alike = alike[0], " ", alike[1:]
			if left != right {
				mark = "|"
			}
		}
		line := fmt.Sprintf("%-30s %s  %s", left, mark, right)
		fmt.Fprintln(&out, strings.TrimRight(line, " "))
	}
	require.Empty(t, alike, "lines that only the Deployment has")
	kubetest.Recorded(t, "manifests.txt", out.Bytes())
}

// manifest returns the lines of a manifest, without comments.
func manifest(t *testing.T, name string) (lines []string) {
	text, err := os.ReadFile("manifests/" + name)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, " #")
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// field returns a line of YAML up to its value.
func field(line string) string {
	key, _, _ := strings.Cut(line, ":")
	return key
}
