package mysqlcluster_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
)

// inPlace writes each file over the one of before. A program may read after any
// of these writes.
func inPlace(folder *os.Root, files map[string]string, read func()) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := folder.WriteFile(name, []byte(files[name]), 0o644)
		if err != nil {
			return err
		}
		read()
	}
	return nil
}

// A certificate and its key are written, one after the other, and read after
// each write.
func TestRunOfFilesThatAreWrittenInPlace(t *testing.T) {
	folder, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer folder.Close()
	var log bytes.Buffer
	read := func() {
		var both []any
		for _, name := range []string{"tls.crt", "tls.key"} {
			data, err := folder.ReadFile(name)
			require.NoError(t, err)
			both = append(both, data)
		}
		fmt.Fprintf(&log, "tls.crt of %-9s tls.key of %s\n", both...)
	}
	of := func(day string) map[string]string {
		return map[string]string{"tls.crt": day, "tls.key": day}
	}
	require.NoError(t, inPlace(folder, of("Monday"), func() {}))
	read()
	require.NoError(t, inPlace(folder, of("Tuesday"), read))
	kubetest.Recorded(t, "inplace.txt", log.Bytes())
}
