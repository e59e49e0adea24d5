package openexercises_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/openexercises"
)

func TestARecordIsFoundByTheNameOfItsFile(t *testing.T) {
	for _, test := range []string{"TestSync", "TestSync/two_Pods", "TestRoll/25%/1.5:\"x\""} {
		r := openexercises.Record{Test: test, Cluster: 12}
		assert.NotRegexp(t, `[/\\:"]`, r.File(), "it is one on every system")
		found, ok := openexercises.RecordOf(r.File())
		assert.True(t, ok)
		assert.Equal(t, r, found)
	}
}

func TestOtherFilesHaveNoRecord(t *testing.T) {
	for _, name := range []string{"overlay.json", "TestSync.1.txt", "TestSync.one.json", "%zz.1.json"} {
		_, ok := openexercises.RecordOf(name)
		assert.False(t, ok, name)
	}
}
