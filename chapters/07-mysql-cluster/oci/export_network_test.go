//go:build linux

package oci

import (
	"os"
	"testing"

	"github.com/google/nftables"
	"github.com/stretchr/testify/require"
)

// TablesIn returns the names of the tables in a network namespace, and empties
// it of them: what is there later has been written since.
func TablesIn(t *testing.T, path string) (names []string) {
	t.Helper()
	inside, err := os.Open(path)
	require.NoError(t, err)
	defer inside.Close()
	rules, err := nftables.New(nftables.WithNetNSFd(int(inside.Fd())))
	require.NoError(t, err)
	tables, err := rules.ListTables()
	require.NoError(t, err)
	for _, table := range tables {
		names = append(names, table.Name)
		rules.DelTable(table)
	}
	require.NoError(t, rules.Flush())
	return names
}

// Cgroups is with what the names of a runtime's control groups begin.
func Cgroups(r Runtime) string { return r.(*runtime).cgroups[1:] }

// SweepGroups has a runtime sweep the control groups of a folder.
func SweepGroups(r Runtime, root string) { r.(*runtime).sweepGroups(root) }
