package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconcile/judges/chaos"
)

func TestOnlyWhatWasNeverDoneCountsAsRefused(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for want, errs := range map[chaos.Answer][]error{
		chaos.Acknowledged: {nil},
		chaos.Missing:      {apierrors.NewNotFound(pods, "web")},
		chaos.Refused: {apierrors.NewAlreadyExists(pods, "web"), apierrors.NewConflict(pods, "web", errors.New("old")),
			fmt.Errorf("dial: %w", syscall.ECONNREFUSED)},
		chaos.Unknown: {context.DeadlineExceeded, io.EOF, syscall.ECONNRESET, apierrors.NewInternalError(errors.New("etcdserver: request timed out")),
			apierrors.NewTimeoutError("late", 1), apierrors.NewServiceUnavailable("down")},
	} {
		for _, err := range errs {
			assert.Equal(t, want, answerOf(err), "%v", err)
		}
	}
}

func TestACopyIsKnownByTheAddressFromWhichItWrites(t *testing.T) {
	read := func(line string) (chaos.Write, bool) {
		var a audited
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		return a.write("lab-controllers")
	}
	w, ok := read(`{"verb":"update","sourceIPs":["127.0.0.11"],"objectRef":{"resource":"leases","namespace":"kube-system","name":"lab-controllers"},
"responseStatus":{"code":200},"requestReceivedTimestamp":"2026-01-01T00:00:01.5Z","stageTimestamp":"2026-01-01T00:00:02.5Z"}`)
	require.True(t, ok)
	assert.Equal(t, chaos.Write{From: "127.0.0.11", What: "update leases", Lease: true, Done: true,
		Received: time.Date(2026, 1, 1, 0, 0, 1, 5e8, time.UTC), Answered: time.Date(2026, 1, 1, 0, 0, 2, 5e8, time.UTC)}, w)
	w, ok = read(`{"verb":"create","sourceIPs":["127.0.0.12"],"objectRef":{"resource":"pods"},"responseStatus":{"code":409}}`)
	require.True(t, ok)
	assert.False(t, w.Done || w.Lease)
	_, ok = read(`{"verb":"create","sourceIPs":["127.0.0.12"],"objectRef":{"resource":"selfsubjectaccessreviews"}}`)
	assert.False(t, ok, "that is a question")
	_, ok = read(`{"verb":"delete","sourceIPs":["127.0.0.12"],"objectRef":{"resource":"deployments","namespace":"kube-system","name":"lab-asks-x"}}`)
	assert.False(t, ok, "and that the end of one")
}

func TestAStormSaysHowItIsPlayedAgain(t *testing.T) {
	s := &storm{proof: &proof{seed: 7, nodes: 13}, length: 3 * time.Minute, theirs: true, without: []string{"disk-full", "clock-off"}}
	assert.Equal(t, "go run . prove --chaos 3m0s --seed 7 --nodes 13 --theirs --without disk-full,clock-off", s.again())
}

func TestAFaultThatNobodyKnowsIsNotLeftOut(t *testing.T) {
	s := &storm{proof: &proof{words: io.Discard}, without: []string{"rain"}}
	assert.ErrorContains(t, s.draw(), `there is no fault "rain"; there are: [server-killed `)
}

func TestLogsOfPanicsAreFound(t *testing.T) {
	for _, words := range []string{"panic: runtime error", "E1 wait.go:1] \"Observed a panic\" panic=\"x\"", "fatal error: concurrent map writes"} {
		assert.True(t, panics.MatchString("a line\n"+words+"\ngoroutine 1"), words)
	}
	assert.False(t, panics.MatchString("time=1 level=INFO msg=\"don't panic: all is well\""))
}
