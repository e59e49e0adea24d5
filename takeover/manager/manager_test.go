package manager

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/lab"
	"reconcile/takeover/internal/served"
	"reconcile/takeover/remote"
)

// log is what a copy has logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// running is a copy that runs.
type running struct {
	log   log
	end   context.CancelFunc
	ended chan error
}

// stop ends it, and returns its error.
func (r *running) stop() error {
	r.end()
	return <-r.ended
}

// start runs a copy on a cluster, with controllers of Deployments and ReplicaSets.
func (w *world) start(change ...func(*Options)) *running {
	ctx, cancel := context.WithCancel(w.Context())
	r := &running{end: cancel, ended: make(chan error, 1)}
	opts := Options{
		Config: rest.CopyConfig(w.Config), Remote: remote.Options{QPS: -1},
		Controllers: []string{"deployment", "replicaset"}, Yes: true,
		Home: metav1.NamespaceSystem, Lease: "lab-controllers",
		Log: slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	opts.Config.UserAgent = Agent
	for _, c := range change {
		c(&opts)
	}
	go func() { r.ended <- Run(ctx, opts) }()
	return r
}

func inBubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(&world{t, served.New(t), nil, nil}) })
}

func (w *world) deployed(name string) *appsv1.Deployment {
	obj, err := w.Store.Get(context.Background(), deployment.DeploymentKind,
		controlloop.Key{Namespace: "one", Name: name})
	require.NoError(w, err)
	return obj.(*appsv1.Deployment)
}

// pods returns how many Pods there are in a namespace.
func (w *world) pods(namespace string) int {
	list, err := w.Store.List(context.Background(), controlloop.PodKind,
		controlloop.ListOptions{Namespace: namespace})
	require.NoError(w, err)
	return len(list.Items)
}

// holder returns who holds the lease.
func (w *world) holder() string {
	obj, err := w.Store.Get(context.Background(), daemonset.LeaseKind,
		controlloop.Key{Namespace: metav1.NamespaceSystem, Name: "lab-controllers"})
	require.NoError(w, err)
	holder := obj.(*coordinationv1.Lease).Spec.HolderIdentity
	if holder == nil {
		return ""
	}
	return *holder
}

func scheduled(opts *Options) { opts.Controllers = append(opts.Controllers, lab.SchedulerName) }

func TestARolloutCompletes(t *testing.T) {
	inBubble(t, func(w *world) {
		web := aDeployment("web", 3)
		w.create(web)
		assert.Zero(w, w.pods("one"), "nobody is at work yet")
		endNodes := w.nodes(2, "sim")
		r := w.start(scheduled)
		w.settle()
		assert.EqualValues(w, 3, w.deployed("web").Status.AvailableReplicas)
		w.edit(web, image("nginx:1.28"))
		status := w.deployed("web").Status
		assert.EqualValues(w, 3, status.UpdatedReplicas)
		assert.EqualValues(w, 3, status.AvailableReplicas)
		assert.EqualValues(w, 3, status.Replicas)
		list, err := w.Store.List(w.Context(), corev1.SchemeGroupVersion.WithKind("Event"),
			controlloop.ListOptions{Namespace: "one"})
		require.NoError(w, err)
		reasons := map[string]bool{}
		for _, obj := range list.Items {
			reasons[obj.(*corev1.Event).Reason] = true
		}
		assert.True(w, reasons["ScalingReplicaSet"] && reasons["SuccessfulCreate"] && reasons["Started"], "%v", reasons)
		require.NoError(w, r.stop())
		assert.Empty(w, w.holder(), "the lease was given back")
		endNodes()
		nodes, err := w.Store.List(context.Background(), controlloop.NodeKind, controlloop.ListOptions{})
		require.NoError(w, err)
		assert.Empty(w, nodes.Items)
		assert.Zero(w, w.pods("one"), "their Pods went with them, and nobody makes others")
	})
}

// The second waits while the first works, and takes over when that has gone, with
// its word or without.
func TestOfTwoCopiesOneWorks(t *testing.T) {
	inBubble(t, func(w *world) {
		first := w.start()
		w.settle()
		second := w.start()
		w.settle()
		w.create(aDeployment("web", 3))
		assert.Equal(w, 3, w.pods("one"))
		assert.NotContains(w, second.log.String(), "msg=working")
		require.NoError(w, first.stop())
		w.settle()
		assert.Contains(w, second.log.String(), "msg=working")
		w.create(aDeployment("db", 2))
		assert.Equal(w, 5, w.pods("one"))
		require.NoError(w, second.stop())
	})
}

// A copy that is cut off stops working before another begins.
func TestWhoCannotRenewTheLeaseStops(t *testing.T) {
	inBubble(t, func(w *world) {
		var cut atomic.Bool
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if cut.Load() && strings.HasPrefix(r.UserAgent(), "cut-off") {
				http.Error(rw, "away", http.StatusServiceUnavailable)
				return true
			}
			return false
		})
		first := w.start(func(o *Options) { o.Config.UserAgent = "cut-off/1" })
		w.settle()
		second := w.start()
		cut.Store(true)
		w.settle()
		assert.Contains(w, first.log.String(), "the lease was lost")
		assert.Contains(w, second.log.String(), "msg=working")
		w.create(aDeployment("web", 3))
		assert.Equal(w, 3, w.pods("one"))
		cut.Store(false)
		require.NoError(w, second.stop())
		w.settle()
		assert.Equal(w, 2, strings.Count(first.log.String(), "msg=working"), "it stood by, and works again")
		require.NoError(w, first.stop())
	})
}

func TestADryRunSaysWhatItWouldWriteAndWritesNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.create(aDeployment("web", 3))
		before := w.version()
		r := w.start(func(o *Options) { o.DryRun, o.Yes = true, false })
		w.settle()
		require.NoError(w, r.stop())
		assert.Equal(w, before, w.version())
		assert.Contains(w, r.log.String(), `msg="would create" kind=ReplicaSet object=one/web-`)
		assert.Contains(w, r.log.String(), `msg="would update status of" kind=Deployment object=one/web`)
	})
}

func (w *world) version() string {
	list, err := w.Store.List(context.Background(), controlloop.NodeKind, controlloop.ListOptions{})
	require.NoError(w, err)
	return list.ResourceVersion
}

func TestBehindAFenceNothingElseIsTouched(t *testing.T) {
	inBubble(t, func(w *world) {
		elsewhere := aDeployment("web", 3)
		elsewhere.Namespace = "two"
		w.create(elsewhere, aDeployment("web", 2))
		r := w.start(func(o *Options) { o.Namespace, o.Yes = "one", false })
		w.settle()
		assert.Equal(w, 2, w.pods("one"))
		assert.Zero(w, w.pods("two"))
		require.NoError(w, r.stop())
	})
}

func TestAFenceRefusesWhatIsOutside(t *testing.T) {
	inBubble(t, func(w *world) {
		f := fence{w.Store, w.Store.Kinds(), "one"}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "two", Name: "web"}}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
		ctx, key := w.Context(), controlloop.KeyOf(pod)
		for what, try := range map[string]func() error{
			"get":           func() error { _, err := f.Get(ctx, controlloop.PodKind, key); return err },
			"create":        func() error { _, err := f.Create(ctx, pod); return err },
			"update":        func() error { _, err := f.Update(ctx, pod); return err },
			"update status": func() error { _, err := f.UpdateStatus(ctx, pod); return err },
			"delete":        func() error { return f.Delete(ctx, controlloop.PodKind, key, metav1.DeleteOptions{}) },
			"bind":          func() error { return f.Bind(ctx, controlloop.NewBinding(pod, "node")) },
			"a node":        func() error { _, err := f.Create(ctx, node); return err },
		} {
			assert.ErrorContains(w, try(), "is forbidden: it is outside of --namespace one", what)
		}
		_, err := f.List(ctx, controlloop.NodeKind, controlloop.ListOptions{})
		assert.NoError(w, err, "what has no namespace may be read")
	})
}

// Killed in the middle, which is as soon as its third Pod is there, it leaves work
// to another that knows nothing of it.
func TestWhatWasBegunIsFinishedByTheNext(t *testing.T) {
	inBubble(t, func(w *world) {
		var r *running
		var made atomic.Int64
		w.Ask(func(rw http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/one/pods") &&
				made.Add(1) == 3 {
				r.end()
			}
			return false
		})
		r = w.start()
		w.settle()
		obj := aDeployment("web", 8)
		w.create(obj)
		<-r.ended
		assert.Less(w, w.pods("one"), 8)
		next := w.start()
		w.settle()
		assert.Equal(w, 8, w.pods("one"))
		require.NoError(w, next.stop())
	})
}

// One request in twenty is not answered as it should be, watches too.
func TestRequestsThatFailAreTriedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		r := w.start(scheduled)
		endNodes := w.nodes(2, "sim")
		w.settle()
		var asked atomic.Int64
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if asked.Add(1)%20 != 0 || r.Header.Get("User-Agent") == "" {
				return false
			}
			http.Error(rw, "not now", http.StatusInternalServerError)
			return true
		})
		store := w.Store
		obj := aDeployment("web", 20)
		_, err := store.Create(w.Context(), obj)
		require.NoError(w, err)
		time.Sleep(5 * time.Minute)
		assert.EqualValues(w, 20, w.deployed("web").Status.AvailableReplicas)
		w.edit(obj, image("nginx:1.28"))
		time.Sleep(5 * time.Minute)
		status := w.deployed("web").Status
		assert.EqualValues(w, 20, status.UpdatedReplicas)
		assert.EqualValues(w, 20, status.AvailableReplicas)
		assert.Equal(w, 20, w.pods("one"))
		w.Ask(func(http.ResponseWriter, *http.Request) bool { return false })
		require.NoError(w, r.stop())
		endNodes()
	})
}

// Each third of its first questions fails in one of three ways: a 500, a 429, or it
// is done and the answer is lost. None is a refusal.
func TestFirstQuestionsThatFailAreAskedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		var asked, failed atomic.Int64
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			review := strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews")
			if !review && !strings.Contains(r.URL.Path, "/namespaces/kube-system/deployments") && !strings.HasSuffix(r.URL.Path, "/version") ||
				asked.Add(1)%3 != 0 {
				return false
			}
			switch failed.Add(1) % 3 {
			case 0:
				http.Error(rw, "not now", http.StatusInternalServerError)
			case 1:
				http.Error(rw, "busy", http.StatusTooManyRequests)
			case 2:
				w.Serve(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
			return true
		})
		r := w.start()
		w.settle()
		assert.Contains(w, r.log.String(), "msg=working")
		assert.Greater(w, failed.Load(), int64(5))
		list, err := w.Store.List(w.Context(), deployment.DeploymentKind, controlloop.ListOptions{})
		require.NoError(w, err)
		assert.Empty(w, list.Items, "the question was taken back")
		w.Ask(func(http.ResponseWriter, *http.Request) bool { return false })
		require.NoError(w, r.stop())
	})
}

func TestARefusalIsNotAskedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		var asked atomic.Int64
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/namespaces/kube-system/deployments") {
				return false
			}
			asked.Add(1)
			http.Error(rw, "no", http.StatusForbidden)
			return true
		})
		err := <-w.start().ended
		assert.ErrorContains(w, err, "ask the cluster who works as deployment-controller: ")
		assert.EqualValues(w, 1, asked.Load())
	})
}

// An answer that names nobody is told with the holder of the lease that is there.
func TestWhoIsNotNamedIsLookedFor(t *testing.T) {
	inBubble(t, func(w *world) {
		m, err := newManager(Options{Config: w.Config, Controllers: []string{"deployment"}, Yes: true, Home: "kube-system"})
		require.NoError(w, err)
		assert.Equal(w, "somebody without a name (and no lease kube-system/kube-controller-manager)",
			m.who(w.Context(), "deployment-controller", nil))
		w.create(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-controller-manager"},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: new("host_1")}})
		assert.Equal(w, "somebody without a name (the lease kube-system/kube-controller-manager is held by host_1)",
			m.who(w.Context(), "deployment-controller", nil))
	})
}

// Against a lab, nobody has to read how kubeadm and k3s are told.
func TestALabIsToldHowItRunsWithoutTheControllers(t *testing.T) {
	inBubble(t, func(w *world) {
		other := w.start(func(o *Options) {
			o.Lease, o.Config.UserAgent = "theirs", "other"
			o.Controllers = []string{"deployment", "replicaset"}
		})
		w.settle()
		err := <-w.start().ended
		require.Error(w, err)
		assert.Regexp(w, `deployment-controller: other answered after \d+`, err.Error())
		assert.True(w, strings.HasSuffix(err.Error(), "That cluster is a lab. End it, and start it without them:\n"+
			"  lab up --controllers -deployment,-replicaset"), "%v", err)
		assert.NotContains(w, err.Error(), "kubeadm")
		require.NoError(w, other.stop())
	})
	m := &manager{isLab: true}
	assert.Equal(t, "the lab itself", m.who(t.Context(), "deployment-controller", nil))
	for names, flags := range map[string]string{
		"garbage-collector-controller":   "--controllers -garbagecollector",
		"taint-eviction-controller":      "--controllers -taint-eviction-controller",
		"scheduler":                      "--nodes 0\n",
		"daemonset-controller scheduler": "--controllers -daemonset --nodes 0\n",
	} {
		assert.Contains(t, howToSwitchOffInLab(strings.Fields(names))+"\n", "lab up "+flags)
	}
}

// Another that is no copy of ours, for it holds another lease, answers, and is
// named.
func TestNoneBeginsBesideAnotherOfItsKind(t *testing.T) {
	inBubble(t, func(w *world) {
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/version" {
				return false
			}
			_, err := rw.Write([]byte(`{"major": "1", "minor": "37", "gitVersion": "v1.37.2"}`))
			return assert.NoError(w, err)
		})
		other := w.start(func(o *Options) {
			o.Lease, o.Config.UserAgent = "theirs", "kube-controller-manager/v1.37.2"
			o.Controllers = []string{"deployment"}
		})
		w.settle()
		r := w.start()
		err := <-r.ended
		require.Error(w, err)
		assert.Regexp(w, `deployment-controller: kube-controller-manager answered after \d+`, err.Error())
		assert.NotContains(w, err.Error(), "replicaset-controller:", "that one is not at work")
		assert.Contains(w, err.Error(), "--controllers=*,-deployment-controller\n")
		assert.Contains(w, err.Error(), "--controllers=*,bootstrapsigner,tokencleaner,-deployment-controller\n")
		assert.Contains(w, err.Error(), "k3s server")
		assert.Contains(w, err.Error(), "minikube start")
		assert.Empty(w, w.holder(), "the lease was given back")
		list, err := w.Store.List(w.Context(), deployment.DeploymentKind, controlloop.ListOptions{})
		require.NoError(w, err)
		assert.Empty(w, list.Items, "the question was taken back")
		require.NoError(w, other.stop())
	})
}

// asked notes the rights that an agent uses in the home of its lease.
type asked struct {
	mu   sync.Mutex
	used map[right]bool
}

func (a *asked) by(agent string) served.Before {
	verbs := map[string]string{"POST": "create", "PUT": "update", "DELETE": "delete", "GET": "get"}
	return func(_ http.ResponseWriter, r *http.Request) bool {
		before, after, ok := strings.Cut(r.URL.Path, "/namespaces/kube-system/")
		if !ok || !strings.HasPrefix(r.UserAgent(), agent) {
			return false
		}
		resource, _, one := strings.Cut(after, "/")
		verb := verbs[r.Method]
		if verb == "get" && !one {
			verb = "list"
		}
		if group := strings.Split(before, "/"); group[1] == "apis" {
			resource = group[2] + "/" + resource
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.used[right{verb, resource}] = true
		return false
	}
}

// Each question gets its answer when a controller of its name is at work, and none
// when none is. To ask takes the rights that are granted for it, and no other.
func TestEachQuestionIsAnswered(t *testing.T) {
	for name := range questions {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				endNodes := w.nodes(1, "sim")
				only := func(lease string) func(*Options) {
					return func(o *Options) { o.Controllers, o.Lease = []string{name}, lease }
				}
				first := w.start(only("first"))
				w.settle()
				require.Contains(w, first.log.String(), "msg=working", "nobody was at work")
				used := &asked{used: map[right]bool{}}
				w.Ask(used.by("second"))
				second := w.start(only("second"), func(o *Options) { o.Config.UserAgent = "second/1" })
				assert.ErrorContains(w, <-second.ended, name+": ")
				m := &manager{chosen: []lab.Elsewhere{{Name: name}}, kinds: w.Store.Kinds()}
				assert.Equal(w, sorted(m.electing()), sorted(slices.Collect(maps.Keys(used.used))))
				require.NoError(w, first.stop())
				endNodes()
			})
		})
	}
}

func TestBadOptionsAreSaid(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"--controllers says which shall run; there are: namespace-controller (or namespace)": func(o *Options) {
			o.Controllers = nil
		},
		`there is no controller "job" here; there are: `: func(o *Options) { o.Controllers = []string{"job"} },
		"none of the controllers shall run":              func(o *Options) { o.Controllers = []string{"none"} },
		"this would act on all namespaces of http://store: say --yes": func(o *Options) {
			o.Yes = false
		},
		"whether the cluster's own node-lifecycle-controller is at work cannot be seen": func(o *Options) {
			o.Controllers = []string{"nodelifecycle"}
		},
		"node-lifecycle-controller looks after the whole cluster": func(o *Options) {
			o.Controllers, o.Namespace = []string{"nodelifecycle"}, "one"
		},
		"names no certificate authority": func(o *Options) {
			o.Controllers, o.SwitchedOff = []string{"root-ca-cert-publisher"}, true
		},
		`there is no "x"; there are `:   func(o *Options) { o.With = []string{"x"} },
		"only a lab can be had with 5g": func(o *Options) { o.With = []string{"5g"} },
	} {
		inBubble(t, func(w *world) {
			assert.ErrorContains(w, <-w.start(change).ended, want)
			assert.Zero(w, w.Requests.Load())
		})
	}
}

func TestTheCollectorHasToBeNamed(t *testing.T) {
	names := func(controllers ...string) string {
		chosen, err := Options{Controllers: controllers, Config: &rest.Config{
			TLSClientConfig: rest.TLSClientConfig{CAData: []byte("ca")}}}.Chosen()
		require.NoError(t, err)
		return fmt.Sprint((&manager{chosen: chosen}).names())
	}
	assert.NotContains(t, names("*"), " garbage-collector")
	assert.NotContains(t, names("*"), lab.SchedulerName)
	assert.Contains(t, names("*", "garbagecollector", "scheduler"), " garbage-collector-controller")
	assert.Equal(t, "[garbage-collector-controller]", names("garbagecollector"))
	assert.NotContains(t, names("-deployment"), " garbage-collector")
}

// No cluster has one of its own that could be at work, or be switched off.
func TestTheControllerOfGreetingsNeedsNoQuestion(t *testing.T) {
	opts := Options{Controllers: []string{"greeting"}, Namespace: "one"}
	chosen, err := opts.Chosen()
	require.NoError(t, err)
	assert.Equal(t, []string{lab.GreetingName}, (&manager{chosen: chosen}).names())
	assert.NoError(t, opts.agreed(chosen))
	all, err := Options{Controllers: []string{"*", "-root-ca-cert-publisher"}}.Chosen()
	require.NoError(t, err)
	assert.NotContains(t, (&manager{chosen: all}).names(), lab.GreetingName)
}

func TestAServerThatIsGoneIsSaid(t *testing.T) {
	inBubble(t, func(w *world) {
		r := w.start(func(o *Options) {
			o.Config.Transport = &http.Transport{
				DialContext: func(context.Context, string, string) (net.Conn, error) {
					return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
				},
			}
		})
		assert.ErrorContains(w, <-r.ended, "no server answers at http://store")
	})
}

func TestWhatIsNotAllowedIsSaidAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews") {
				return false
			}
			body, err := io.ReadAll(r.Body)
			require.NoError(w, err)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if !bytes.Contains(body, []byte("replicasets")) || !bytes.Contains(body, []byte("update")) {
				return false
			}
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusCreated)
			fmt.Fprint(rw, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":false}}`)
			return true
		})
		err := <-w.start().ended
		assert.ErrorContains(w, err, "may not:\n  update apps/replicasets\n  update apps/replicasets/finalizers\n  update apps/replicasets/status\n")
		assert.ErrorContains(w, err, "lab controllers manifest")
	})
}

func TestMetricsAndHealth(t *testing.T) {
	m := newMetrics()
	m.asked("create", "Pod", nil)
	m.lead("lab-controllers", true)
	c := controlloop.NewController("c", nil)
	c.Queue.Add(controlloop.Key{Name: "a"})
	m.depth.add("deployment-controller", c.Queue)
	_, text := answerOf(m, "/metrics")
	for _, line := range []string{
		`lab_requests_total{code="200",kind="Pod",verb="create"} 1`,
		`leader_election_master_status{name="lab-controllers"} 1`,
		`workqueue_depth{name="deployment-controller"} 1`,
	} {
		assert.Contains(t, text, line+"\n")
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		code, text := answerOf(m, path)
		assert.Equal(t, 200, code)
		assert.Equal(t, "ok\n", text)
	}
}

func answerOf(m *metrics, path string) (code int, text string) {
	answer := httptest.NewRecorder()
	m.handler().ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
	return answer.Code, answer.Body.String()
}

// A manifest grants what its controllers need, where they need it.
func TestAManifestGrantsWhatIsNeeded(t *testing.T) {
	opts := Options{Controllers: []string{"deployment", "daemonset"}, Namespace: "shop",
		Home: "reconcile", Lease: "l", With: []string{"3k"}}
	text, err := Manifest(opts, "image:1")
	require.NoError(t, err)
	docs := strings.Split(text, "---\n")[1:]
	var kinds []string
	for _, doc := range docs {
		for line := range strings.Lines(doc) {
			if kind, ok := strings.CutPrefix(line, "kind: "); ok {
				kinds = append(kinds, strings.TrimSpace(kind))
			}
		}
	}
	assert.Equal(t, []string{"ServiceAccount", "ClusterRole", "ClusterRoleBinding",
		"Role", "RoleBinding", "Role", "RoleBinding", "Deployment"}, kinds)
	assert.Equal(t, 1, strings.Count(docs[1], "apiGroups"), "nodes alone have no namespace:\n%s", docs[1])
	assert.NotContains(t, docs[1], "update")
	assert.Contains(t, docs[7], "--with=3k")
	assert.NotContains(t, docs[7], "--yes")
}

// To print is to do nothing. What a copy needs a word for is given to it, and told to
// whoever applies the manifest.
func TestAManifestWantsNoWord(t *testing.T) {
	text, err := Manifest(Options{Controllers: []string{"deployment", "nodelifecycle"}}, "i")
	require.NoError(t, err)
	head, rest, _ := strings.Cut(text, "---\n")
	assert.Contains(t, head, "(--yes)")
	assert.Contains(t, head, "(--switched-off), which cannot be seen of:\n# node-lifecycle-controller\n")
	assert.Contains(t, rest, "- --yes\n")
	assert.Contains(t, rest, "- --switched-off\n")
	text, err = Manifest(Options{Controllers: []string{"deployment"}, Namespace: "shop"}, "i")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(text, "---\n"), text)
}

// (Kubernetes: pod-security-admission/policy, at the level "restricted"; the proof
// asks a server.)
func TestTheCopiesAreOnDifferentNodesIfTheyCanAndMayBeInARestrictedNamespace(t *testing.T) {
	text, err := Manifest(Options{Controllers: []string{"deployment"}, Namespace: "shop"}, "i")
	require.NoError(t, err)
	docs := strings.Split(text, "---\n")
	var d appsv1.Deployment
	require.NoError(t, yaml.UnmarshalStrict([]byte(docs[len(docs)-1]), &d))
	assert.EqualValues(t, 2, *d.Spec.Replicas)
	pod := d.Spec.Template.Spec
	assert.True(t, *pod.SecurityContext.RunAsNonRoot)
	assert.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	assert.False(t, *pod.Containers[0].SecurityContext.AllowPrivilegeEscalation)
	assert.Equal(t, []corev1.Capability{"ALL"}, pod.Containers[0].SecurityContext.Capabilities.Drop)
	assert.False(t, pod.Containers[0].Resources.Requests.Cpu().IsZero())
	assert.False(t, pod.Containers[0].Resources.Requests.Memory().IsZero())
	apart := pod.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm
	assert.Equal(t, corev1.LabelHostname, apart.TopologyKey)
	assert.Equal(t, d.Spec.Template.Labels, apart.LabelSelector.MatchLabels)
}
