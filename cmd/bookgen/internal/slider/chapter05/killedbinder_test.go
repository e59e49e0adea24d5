package chapter05

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestTheDefaultsDrawTheRecordedRun(t *testing.T) {
	data, err := os.ReadFile("../../../../../chapters/05-storage/testdata/rival.json")
	require.NoError(t, err)
	got, err := killedBinder.Draw(t, killedBinder.Defaults())
	require.NoError(t, err)
	want, err := figure.Render("binding", data, "killed-binder",
		"killed after write 2: volume nfs is Bound and names data; claim data is Pending. "+
			"somebody else makes a claim: volume nfs is Bound and names data; claim data is Pending; claim logs is Pending. "+
			"the next binder: 2 writes: volume nfs is Bound and names data; claim data is Bound and names nfs; claim logs is Pending.")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestABindingIsDrawnWheneverItIsKilledAndTwiceAlike(t *testing.T) {
	after, meanwhile := killedBinder.Inputs[0], killedBinder.Inputs[1]
	for n := after.Min; n <= after.Max; n++ {
		for _, what := range meanwhile.Options {
			values := map[string]string{"after": strconv.Itoa(n), "meanwhile": what}
			require.NoError(t, killedBinder.Check(values))
			once, err := killedBinder.Draw(t, values)
			require.NoError(t, err, "%v", values)
			again, err := killedBinder.Draw(t, values)
			require.NoError(t, err, "%v", values)
			require.Equal(t, once, again, "%v", values)
			require.Contains(t, once, "the next binder: ", "%v", values)
		}
	}
}
