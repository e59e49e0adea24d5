package mysqlcluster_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/slider/mysqlcluster"
)

func TestTheDefaultsDrawTheRecordedLog(t *testing.T) {
	data, err := os.ReadFile("../../../../../chapters/07-mysql-cluster/testdata/cut.json")
	require.NoError(t, err)
	got, err := mysqlcluster.TornLog.Draw(t, mysqlcluster.TornLog.Defaults())
	require.NoError(t, err)
	want, err := figure.Render("log", data, "slider-torn-log",
		"Of 313 bytes 297 are left, and 231 are kept. the orders: 1 12 123. it goes on from: mysql-0-bin.000001 164. "+
			"and executes: 1 of 4 statements. the orders then: 1 12.")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestALogIsDrawnWhereverItIsCutAndTwiceAlike(t *testing.T) {
	cut := mysqlcluster.TornLog.Inputs[0]
	for n := cut.Min; n <= cut.Max; n++ {
		values := map[string]string{"cut": strconv.Itoa(n)}
		once, err := mysqlcluster.TornLog.Draw(t, values)
		require.NoError(t, err, "cut after byte %d", n)
		again, err := mysqlcluster.TornLog.Draw(t, values)
		require.NoError(t, err, "cut after byte %d", n)
		require.Equal(t, once, again, "cut after byte %d", n)
		require.Contains(t, once, "cut after byte "+strconv.Itoa(n)+"<", "cut after byte %d", n)
	}
}

func TestAByteThatTheLogDoesNotHaveIsAnError(t *testing.T) {
	for _, value := range []string{"-1", "314", "", "half"} {
		_, err := mysqlcluster.TornLog.Draw(t, map[string]string{"cut": value})
		assert.ErrorContains(t, err, "no number from 0 to 313", value)
	}
}
