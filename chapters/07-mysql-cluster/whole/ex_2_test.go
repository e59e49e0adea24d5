package whole_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
	"reconcile/internal/sqltest"
)

// exShown is what can be seen of mysql-1, from without and within.
func exShown(b *brought) string {
	p := b.pod(1)
	ready, restarts, follows := 0, int32(0), "nobody"
	for _, s := range p.Status.ContainerStatuses {
		restarts += s.RestartCount
		if s.Ready {
			ready++
		}
	}
	if status := sqltest.Row(b.must(1, "SHOW SLAVE STATUS")); status != nil {
		follows, _, _ = strings.Cut(fmt.Sprint(status["Master_Host"]), ".")
	}
	orders := b.must(1, "SELECT COUNT(*) FROM shop.orders").Rows[0][0]
	return fmt.Sprintf("%d/2  restarts %d  follows %-7s  orders %v", ready, restarts, follows, orders)
}

// exDeletePod deletes a Pod.
func exDeletePod(b *brought, name string) {
	b.t.Helper()
	exDelete(b, controlloop.PodKind, name)
}

// exDelete deletes a Pod, or something of its own.
func exDelete(b *brought, kind schema.GroupVersionKind, name string) {
	b.t.Helper()
	require.NoError(b.t, b.Store.Delete(b.t.Context(), kind,
		controlloop.Key{Namespace: "default", Name: name}, metav1.DeleteOptions{}))
}

// A sidecar dies between the mv and the mysql, and what becomes of that.
func TestRunOfASidecarThatDies(t *testing.T) {
	manifest := strings.Replace(bringManifest(t), "replicas: 3", "replicas: 1", 1)
	bringInBubble(t, manifest, func(b *brought) {
		var log bytes.Buffer
		order := 0
		insert := func() {
			order++
			b.must(0, fmt.Sprintf("INSERT INTO shop.orders VALUES (%d)", order))
		}
		b.until(5*time.Minute, "the master is ready", func() bool { return b.areReady(1) })
		b.must(0, "CREATE DATABASE shop")
		b.must(0, "CREATE TABLE shop.orders (id INT PRIMARY KEY)")
		insert()
		struck := false
		b.sidecar.mysql = func(p *simulated.Process, script string) {
			if !struck && strings.Contains(script, "CHANGE MASTER") {
				struck = true
				b.kill(p.Pod, "xtrabackup")
				time.Sleep(100 * time.Millisecond) // and does nothing any more
			}
		}
		for _, step := range []struct {
			what string
			do   func()
		}{
			{"scale to 2", func() {
				b.change(func(set *appsv1.StatefulSet) { set.Spec.Replicas = new(int32(2)) })
			}},
			{"an order", insert},
			{"kill the sidecar", func() { b.kill(b.pod(1), "xtrabackup") }},
			{"kill the server", func() { b.kill(b.pod(1), "mysql") }},
			{"delete the Pod", func() { exDelete(b, controlloop.PodKind, "mysql-1") }},
			{"delete its disk too", func() {
				exDelete(b, storage.ClaimKind, "data-mysql-1")
				exDelete(b, controlloop.PodKind, "mysql-1")
			}},
			{"an order", insert},
			{"kill the sidecar", func() { b.kill(b.pod(1), "xtrabackup") }},
			{"an order", insert},
			{"kill the server", func() { b.kill(b.pod(1), "mysql") }},
			{"delete the Pod", func() { exDelete(b, controlloop.PodKind, "mysql-1") }},
			{"an order", insert},
		} {
			step.do()
			time.Sleep(5 * time.Minute)
			fmt.Fprintf(&log, "%-20s %s\n", step.what, exShown(b))
		}
		kubetest.Recorded(t, "../../exercises/7b.txt", log.Bytes())
	})
}
