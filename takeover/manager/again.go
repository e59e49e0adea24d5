package manager

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// again asks until there is an answer: a question that fails by itself is asked
// up to six times within six seconds. A refusal is an answer.
func again[T any](ctx context.Context, ask func() (T, error)) (answer T, err error) {
	backoff := wait.Backoff{Steps: 6, Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.1}
	err = retry.OnError(backoff,
		func(err error) bool { return ctx.Err() == nil && passing(err) },
		func() error { answer, err = ask(); return err })
	return answer, err
}

// passing reports whether an error says nothing of the request, which may succeed
// the next time: the server has failed or is busy, or the connection was lost.
func passing(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err != nil
	}
	code := status.Status().Code
	return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
}
