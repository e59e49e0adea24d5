// Package served has the book's API server in a bubble, with a network of pipes,
// for tests of what talks to it through client-go.
package served

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/kubetest"
)

// Cluster is a server without controllers.
type Cluster struct {
	Store    *controlloop.Store
	Config   *rest.Config
	Requests atomic.Int64

	before atomic.Pointer[Before]
	api    http.Handler
}

// Before answers a request in the place of the server, and reports whether it has.
type Before func(http.ResponseWriter, *http.Request) (answered bool)

// Ask has b see each request first from now on.
func (c *Cluster) Ask(b Before) { c.before.Store(&b) }

// Serve answers a request.
func (c *Cluster) Serve(w http.ResponseWriter, r *http.Request) { c.api.ServeHTTP(w, r) }

// New returns a cluster with some namespaces, which ends with the test.
func New(t *testing.T, options ...controlloop.Option) *Cluster {
	c := &Cluster{Store: controlloop.NewStore(kinds.Store(kinds.All()), options...)}
	for _, name := range []string{
		"default", "one", "two", metav1.NamespaceSystem, corev1.NamespaceNodeLease,
	} {
		_, err := c.Store.Create(context.Background(),
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		require.NoError(t, err)
	}
	c.api = apiserver.New(c.Store, apiserver.Options{})
	pipes := kubetest.NewPipes()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Requests.Add(1)
		if before := c.before.Load(); before == nil || !(*before)(w, r) {
			c.Serve(w, r)
		}
	})}
	go server.Serve(pipes)
	transport := &http.Transport{DialContext: pipes.Dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		pipes.Close()
	})
	c.Config = &rest.Config{Host: "http://store", Transport: transport}
	return c
}
