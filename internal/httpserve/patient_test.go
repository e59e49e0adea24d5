package httpserve_test

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/httpserve"
)

// exhausted is a listener that cannot open files for a while.
type exhausted struct {
	net.Listener
	until time.Time
	why   error
}

// Accept implements net.Listener.
func (l *exhausted) Accept() (net.Conn, error) {
	if time.Now().Before(l.until) {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", l.why)}
	}
	return nil, net.ErrClosed
}

func TestTooManyOpenFilesAreToldOnceWithTheRemedy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		inner := &exhausted{}
		listener := httpserve.Patient(inner, func(err error) { told = append(told, err) })
		for n, why := range []error{syscall.EMFILE, syscall.ENFILE} {
			began := time.Now()
			inner.until, inner.why = began.Add(20*time.Second), why
			_, err := listener.Accept()
			require.ErrorIs(t, err, net.ErrClosed, "it waited until it could")
			assert.Less(t, time.Since(began), 22*time.Second, "it tries once a second at least")
			require.Len(t, told, n+1)
			assert.ErrorContains(t, told[n], "`ulimit -n 4096`")

			inner.until = time.Now().Add(time.Second) // and again, a moment later
			_, err = listener.Accept()
			require.ErrorIs(t, err, net.ErrClosed)
			require.Len(t, told, n+1)
			time.Sleep(time.Hour)
		}
	})
}

func TestWhatElseAListenerLacksIsNotWaitedFor(t *testing.T) {
	inner := &exhausted{until: time.Now().Add(time.Hour), why: syscall.EINVAL}
	_, err := httpserve.Patient(inner, func(err error) { t.Error(err) }).Accept()
	var failed *net.OpError
	require.True(t, errors.As(err, &failed))
	assert.ErrorIs(t, err, syscall.EINVAL)
}
