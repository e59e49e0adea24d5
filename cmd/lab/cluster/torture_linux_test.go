package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTortureFindsNothingAndLeavesNothing(t *testing.T) {
	realNeeds(t, newHome(t), "mysql", "xtrabackup")
	for name, options := range map[string][]string{
		"mysqld": {"--kill", "mysqld", "--seed", "2"}, "pod": {"--kill", "pod"},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			lab := exec.Command(os.Args[0], append([]string{
				"torture", "--rounds", "2"}, options...)...)
			lab.Env = append(os.Environ(), asLab+"=1", "TMPDIR="+temp)
			out, err := lab.CombinedOutput()
			require.NoError(t, err, string(out))
			assert.Contains(t, string(out), "\n2 rounds, ")
			assert.Contains(t, string(out), "; violations: 0\n")
			left, err := filepath.Glob(filepath.Join(temp, "reconcile-*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}
