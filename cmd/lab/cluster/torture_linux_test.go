package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTortureFindsNothingAndLeavesNothing(t *testing.T) {
	t.Parallel()
	realNeeds(t, "mysql", "xtrabackup")
	temp := t.TempDir()
	h := newHome(t, "TMPDIR="+temp)
	// A master may be gone without a word to its slave.
	out := h.lab(0, "torture", "--rounds", "3", "--kill", "mysqld,pod", "--seed", "2", "--option", "slave_net_timeout=5")
	for _, killed := range []string{"master  pod", "slave   mysqld", "master  mysqld"} {
		assert.Regexp(t, `(?m)^ +\d  `+killed+` `, out)
	}
	assert.Contains(t, out, "\n3 rounds, ")
	assert.Contains(t, out, "; violations: 0\n")
	left, err := filepath.Glob(filepath.Join(temp, "reconcile-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
