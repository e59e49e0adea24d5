package chaos

import (
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
	var out strings.Builder
	require.NoError(t, r.Write(&out))
	assert.Regexp(t, `(?m)^etcd-killed +2 +7$`, out.String())
	assert.Regexp(t, `(?m)^create +2 +1 +1 +0$`, out.String())
	assert.Regexp(t, `(?m)^all +3 +1 +1 +1$`, out.String())
	assert.Contains(t, out.String(), "VIOLATED  no copy panics\n          first: panic\n\none thing\n")
	assert.Contains(t, out.String(), "held      no Pod is without a controller\n")
	assert.Len(t, r.Violations(), 1)
}
