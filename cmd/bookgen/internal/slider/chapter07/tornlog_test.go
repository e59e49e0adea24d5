package chapter07

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestTheDefaultsDrawTheRecordedLog(t *testing.T) {
	data, err := os.ReadFile("../../../../../chapters/07-mysql-cluster/testdata/cut.json")
	require.NoError(t, err)
	got, err := tornLog.Draw(t, tornLog.Defaults())
	require.NoError(t, err)
	want, err := figure.Render("log", data, "torn-log",
		"Of 313 bytes 297 are left, and 231 are kept. the orders: 1 12 123. it goes on from: mysql-0-bin.000001 164. "+
			"and executes: 1 of 4 statements. the orders then: 1 12.")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestALogIsDrawnWhereverItIsCutAndTwiceAlike(t *testing.T) {
	cut := tornLog.Inputs[0]
	for n := cut.Min; n <= cut.Max; n++ {
		values := map[string]string{"cut": strconv.Itoa(n)}
		require.NoError(t, tornLog.Check(values))
		once, err := tornLog.Draw(t, values)
		require.NoError(t, err, "cut after byte %d", n)
		again, err := tornLog.Draw(t, values)
		require.NoError(t, err, "cut after byte %d", n)
		require.Equal(t, once, again, "cut after byte %d", n)
		require.Contains(t, once, "cut after byte "+strconv.Itoa(n)+"<", "cut after byte %d", n)
	}
}
