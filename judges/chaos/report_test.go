package chaos

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheTableSaysWhatHappenedAndWhatWasViolated(t *testing.T) {
	r := NewReport()
	r.Fault(EtcdKilled, 4*time.Second)
	r.Fault(EtcdKilled, 3*time.Second)
	r.Change(Create, Acknowledged)
	r.Change(Create, Missing)
	r.Change(Roll, Unknown)
	assert.True(t, r.Violated(Violation{Panics, "first: panic"}))
	assert.False(t, r.Violated(Violation{Panics, "first: panic"}))
	r.Note("one thing")
	r.Note("%s thing", "another")
	r.Note("one thing")
	var out strings.Builder
	require.NoError(t, r.Write(&out))
	assert.Regexp(t, `(?m)^etcd-killed +2 +7$`, out.String())
	assert.Regexp(t, `(?m)^create +2 +1 +1 +0$`, out.String())
	assert.Regexp(t, `(?m)^all +3 +1 +1 +1$`, out.String())
	assert.Contains(t, out.String(), "VIOLATED  no copy panics\n          first: panic\n\nanother thing\none thing (2 times)\n")
	for n := range shown + 2 {
		r.Violated(Violation{Owned, fmt.Sprint("Pod ", n)})
	}
	out.Reset()
	require.NoError(t, r.Write(&out))
	assert.Contains(t, out.String(), "          Pod 7\n          and 2 more\n")
	assert.Len(t, r.Violations(), shown+3)
	r = NewReport()
	require.NoError(t, r.Write(&out))
	assert.Contains(t, out.String(), "held      no Pod is without a controller\n")
	assert.Empty(t, r.Violations())
}
