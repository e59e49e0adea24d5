package wake_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/wake"
)

func TestASignalThatIsSentTwiceIsReceivedOnce(t *testing.T) {
	s := wake.New()
	assert.Empty(t, s)
	s.Send()
	s.Send()
	<-s
	assert.Empty(t, s)
}
