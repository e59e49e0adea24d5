package deployment_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// calls counts the calls that succeeded and those that were refused.
type calls struct{ made, refused int }

func (c calls) String() string {
	say := func(n int) string {
		if n == 0 {
			return "."
		}
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%6s %8s", say(c.made), say(c.refused))
}

// quota lets so many Pods be made, by calls that take a second each.
type quota struct {
	mu    sync.Mutex
	left  int
	start time.Time
	by    map[int]*calls // second, from 1
	all   calls
}

func (q *quota) call() error {
	q.mu.Lock()
	defer time.Sleep(time.Second)
	defer q.mu.Unlock()
	second := 1 + int(time.Since(q.start)/time.Second)
	if q.by[second] == nil {
		q.by[second] = &calls{}
	}
	if q.left == 0 {
		q.by[second].refused++
		q.all.refused++
		return errors.New("exceeded quota")
	}
	q.left--
	q.by[second].made++
	q.all.made++
	return nil
}

// look makes n Pods, and returns the calls of each second, and their sum.
func (q *quota) look(n int, all func(int, func() error) (int, error)) (map[int]*calls, calls) {
	q.start, q.by, q.all = time.Now(), map[int]*calls{}, calls{}
	_, _ = all(n, q.call)
	return q.by, q.all
}

// atOnce makes all calls at the same time, unlike SlowStart.
func atOnce(n int, f func() error) (int, error) {
	var running sync.WaitGroup
	for range n {
		running.Go(func() { _ = f() })
	}
	running.Wait()
	return 0, nil
}

// Five hundred are wanted, and ten may be.
func TestRunOfAQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		eager, slow := &quota{left: 10}, &quota{left: 10}
		fmt.Fprintf(&out, "%10s  %15s  %15s\n", "", "all at once", "SlowStart")
		fmt.Fprintf(&out, "%10s  %6s %8s  %6s %8s\n", "second", "made", "refused", "made", "refused")
		a, eagerSum := eager.look(500, atOnce)
		b, slowSum := slow.look(500, deployment.SlowStart)
		for second := 1; a[second] != nil || b[second] != nil; second++ {
			row := func(by map[int]*calls) calls {
				if by[second] == nil {
					return calls{}
				}
				return *by[second]
			}
			fmt.Fprintf(&out, "%10d  %s  %s\n", second, row(a), row(b))
		}
		fmt.Fprintf(&out, "%10s  %s  %s\n", "all", eagerSum, slowSum)
		_, eagerSum = eager.look(490, atOnce)
		_, slowSum = slow.look(490, deployment.SlowStart)
		fmt.Fprintf(&out, "%10s  %s  %s\n", "next time", eagerSum, slowSum)
		kubetest.Recorded(t, "quota.txt", out.Bytes())
	})
}
