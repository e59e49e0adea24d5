package controlloop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// cost holds the price of an idle minute, and of one change, with so many Pods.
type cost struct {
	Calls   int `json:"calls"`
	Objects int `json:"objects"`
}

type costs struct {
	Naive struct {
		Minute cost `json:"minute"`
		Change cost `json:"change"`
	} `json:"naive"`
	Informer struct {
		Start  cost `json:"start"`
		Minute cost `json:"minute"`
		Change cost `json:"change"`
	} `json:"informer"`
}

// since returns what was spent since the last call.
func (w *wire) since(last *cost) cost {
	now := cost{w.calls, w.objects}
	spent := cost{now.Calls - last.Calls, now.Objects - last.Objects}
	*last = now
	return spent
}

func measure(t *testing.T, pods int) (c costs) {
	store := newStore()
	for range pods {
		p := nginxPod("")
		p.GenerateName, p.Labels = "nginx-", map[string]string{"app": "nginx"}
		mustCreate(t, store, p)
	}
	// bump changes one Pod.
	bump := func(value string) {
		list, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		next := controlloop.Copy(list.Items[0])
		next.SetAnnotations(map[string]string{"touched": value})
		mustUpdate(t, store, next)
	}

	var spent cost
	loop := &wire{Store: store}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute-time.Millisecond)
	defer cancel()
	require.NoError(t, naive(loop, pods).Run(ctx, time.Second))
	c.Naive.Minute = loop.since(&spent)
	bump("once")
	require.NoError(t, naive(loop, pods).Tick(t.Context()))
	c.Naive.Change = loop.since(&spent)

	spent = cost{}
	client := &wire{Store: store}
	informer := controlloop.NewInformer(client, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
	ctx, cancel = context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		informer.Run(ctx)
		close(done)
	}()
	<-informer.Synced()
	synctest.Wait()
	c.Informer.Start = client.since(&spent)
	time.Sleep(time.Minute - time.Second)
	synctest.Wait()
	c.Informer.Minute = client.since(&spent)
	bump("twice")
	synctest.Wait()
	c.Informer.Change = client.since(&spent)
	cancel()
	<-done
	return c
}

type series struct {
	Name   string   `json:"name"`
	Points [][2]int `json:"points"`
}

// The cost of noticing one change, for both, as the Pods grow in number.
func TestRunOfTheCosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loop, informer := series{Name: "naive loop"}, series{Name: "informer"}
		for _, pods := range []int{1, 10, 100, 1000, 10000} {
			c := measure(t, pods)
			loop.Points = append(loop.Points, [2]int{pods, c.Naive.Change.Objects})
			informer.Points = append(informer.Points, [2]int{pods, c.Informer.Change.Objects})
			if pods == 10000 {
				kubetest.RecordedJSON(t, "cost.json", c)
			}
		}
		kubetest.RecordedJSON(t, "cost-plot.json", map[string]any{
			"title":  "What noticing one change costs",
			"x":      map[string]any{"label": "Pods", "log": true},
			"y":      map[string]any{"label": "objects read to notice one change", "log": true},
			"series": []series{loop, informer},
		})
	})
}
