package stories

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/kubetest/stories"
)

// controllers starts those of one side at a cluster, until ctx is
// done.
type controllers func(ctx context.Context, c *cluster)

// cluster is the book's API server with controllers at it.
type cluster struct {
	t      *testing.T
	store  *controlloop.Store
	client kubernetes.Interface
	cancel context.CancelFunc
	server *http.Server
	idle   func()
	done   sync.WaitGroup

	processors int // as many as there were before

	mu     sync.Mutex
	first  func() // happens before a controller creates the next Pod
	writes []controlloop.Write
	times  []time.Time // the time of each
	events []event
}

// event is a controller's event about an object.
type event struct{ kind, name, text string }

// newCluster runs on one processor until it is stopped. Which of two watches is heard
// first, and whether a controller looks again before it has heard of its own writes, is
// the same there in every play.
func newCluster(t *testing.T, start controllers) *cluster {
	c := &cluster{t: t, processors: runtime.GOMAXPROCS(1)}
	c.store = controlloop.NewStore(kinds.Store(kinds.All()),
		controlloop.WithHistory(100_000), controlloop.OnWrite(c.wrote))
	_, err := c.store.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceDefault},
	})
	require.NoError(t, err)
	c.serve()
	ctx, cancel := context.WithCancel(
		logr.NewContext(context.Background(), logr.New(listener{c})))
	c.cancel = cancel
	start(ctx, c)
	return c
}

// informed gives Kubernetes' controllers their caches: it returns a
// function that fills them.
func (c *cluster) informed(ctx context.Context) (informers.SharedInformerFactory, func()) {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	return factory, func() {
		factory.Start(ctx.Done())
		c.done.Go(func() {
			<-ctx.Done()
			factory.Shutdown()
		})
	}
}

// ofDeployments starts Kubernetes' controllers of Deployments and ReplicaSets.
func ofDeployments(ctx context.Context, c *cluster) {
	factory, start := c.informed(ctx)
	sets := replicaset.NewReplicaSetController(ctx, factory.Apps().V1().ReplicaSets(),
		factory.Core().V1().Pods(), c.client, replicaset.BurstReplicas)
	deployments, err := deployment.NewDeploymentController(ctx,
		factory.Apps().V1().Deployments(), factory.Apps().V1().ReplicaSets(),
		factory.Core().V1().Pods(), c.client)
	require.NoError(c.t, err)
	start()
	c.done.Go(func() { sets.Run(ctx, 5) })
	c.done.Go(func() { deployments.Run(ctx, 5) })
}

// serve lets clients reach the store by pipes: a bubble has no network.
func (c *cluster) serve() {
	accept := newPipes()
	server := apiserver.New(c.store, apiserver.Options{})
	c.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pods") {
			c.creates()
		}
		server.ServeHTTP(w, r)
	})}
	c.done.Go(func() { _ = c.server.Serve(accept) })
	transport := &http.Transport{DialContext: accept.dial}
	c.idle = transport.CloseIdleConnections
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: "http://store", Transport: transport, QPS: -1,
	})
	require.NoError(c.t, err)
	c.client = client
}

// creates is called when a controller has decided to create a Pod, and has not
// created it.
func (c *cluster) creates() {
	c.mu.Lock()
	first := c.first
	c.first = nil
	c.mu.Unlock()
	if first != nil {
		first()
	}
}

func (c *cluster) stop() {
	c.cancel()
	time.Sleep(time.Minute) // until every waiter has looked once more
	c.idle()
	require.NoError(c.t, c.server.Close())
	c.done.Wait()
	runtime.GOMAXPROCS(c.processors)
}

// recordEvent records an event.
func (c *cluster) recordEvent(e event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, e)
}

// wrote gets every write to the store.
func (c *cluster) wrote(w controlloop.Write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes, c.times = append(c.writes, w), append(c.times, time.Now())
	// Kubernetes' controller of budgets alone does not log its events.
	if e, ok := w.Object.(*corev1.Event); ok && e.Source.Component == "controllermanager" && w.Type != watch.Deleted {
		of := e.InvolvedObject
		c.events = append(c.events, event{of.Kind, of.Name, e.Type + " " + e.Reason + ": " + e.Message})
	}
}

func (c *cluster) world() stories.World {
	return stories.World{
		Store: c.store,
		Writes: func() []controlloop.Write {
			c.mu.Lock()
			defer c.mu.Unlock()
			return append([]controlloop.Write{}, c.writes...)
		},
		Events: func() []string {
			c.mu.Lock()
			defer c.mu.Unlock()
			var told []string
			for _, event := range c.events {
				if event.kind == "Deployment" {
					told = append(told, event.text)
				}
			}
			return told
		},
		Advance: func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		},
		Undo: c.undo,
	}
}

// undo does what kubectl rollout undo does.
func (c *cluster) undo(key controlloop.Key, revision int64) error {
	d, err := c.client.AppsV1().Deployments(key.Namespace).Get(
		c.t.Context(), key.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	rollbacker, err := polymorphichelpers.RollbackerFor(
		schema.GroupKind{Group: "apps", Kind: "Deployment"}, c.client)
	if err != nil {
		return err
	}
	_, err = rollbacker.Rollback(d, nil, revision, util.DryRunNone)
	return err
}

// pipes is a net.Listener to whose other end one can dial.
type pipes struct {
	accepting chan net.Conn
	ctx       context.Context
	close     context.CancelFunc
}

func newPipes() *pipes {
	ctx, cancel := context.WithCancel(context.Background())
	return &pipes{make(chan net.Conn), ctx, cancel}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepting <- server:
		return client, nil
	case <-p.ctx.Done():
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepting:
		return conn, nil
	case <-p.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.close()
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
