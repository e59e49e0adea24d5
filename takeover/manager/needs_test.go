package manager

import (
	"context"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/events"
	"reconcile/internal/kubetest"
	"reconcile/internal/lab"
	"reconcile/takeover/internal/served"
	"reconcile/takeover/nodes"
	"reconcile/takeover/remote"
)

func TestMain(m *testing.M) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	kubetest.Main(m)
}

// using notes which rights are used.
type using struct {
	controlloop.Client
	kinds controlloop.Kinds
	mu    *sync.Mutex
	used  map[right]bool
}

func use(c controlloop.Client, kinds controlloop.Kinds) using {
	return using{c, kinds, &sync.Mutex{}, map[right]bool{}}
}

func (u using) recordUse(verb string, gvk schema.GroupVersionKind, sub string) {
	kind, err := u.kinds.For(gvk)
	if err != nil {
		panic(err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.used[right{verb, nameOf(kind) + sub}] = true
}

func (u using) noteOf(verb string, obj controlloop.Object, sub string) {
	kind, err := u.kinds.Of(obj)
	if err != nil {
		panic(err)
	}
	u.recordUse(verb, kind.GroupVersionKind, sub)
}

func (u using) Get(ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key) (controlloop.Object, error) {
	u.recordUse("get", kind, "")
	return u.Client.Get(ctx, kind, key)
}

func (u using) List(ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions) (controlloop.List, error) {
	u.recordUse("list", kind, "")
	return u.Client.List(ctx, kind, opts)
}

func (u using) Watch(ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions) (controlloop.Watch, error) {
	u.recordUse("watch", kind, "")
	return u.Client.Watch(ctx, kind, opts)
}

func (u using) Create(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	u.noteOf("create", obj, "")
	u.blocked(nil, obj.GetOwnerReferences())
	return u.Client.Create(ctx, obj)
}

func (u using) Update(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	sub := ""
	if _, ok := obj.(*corev1.Namespace); ok && obj.GetDeletionTimestamp() != nil {
		sub = "/finalize"
	}
	u.noteOf("update", obj, sub)
	kind, _ := u.kinds.Of(obj)
	if now, err := u.Client.Get(ctx, kind.GroupVersionKind, controlloop.KeyOf(obj)); err == nil &&
		now.GetResourceVersion() == obj.GetResourceVersion() && // else it is a conflict first
		!reflect.DeepEqual(now.GetOwnerReferences(), obj.GetOwnerReferences()) {
		u.noteOf("delete", obj, "")
		u.blocked(now.GetOwnerReferences(), obj.GetOwnerReferences())
	}
	return u.Client.Update(ctx, obj)
}

// blocked notes the rights that OwnerReferencesPermissionEnforcement asks for: an
// owner that has to wait for its dependents is held by a finalizer.
func (u using) blocked(before, after []metav1.OwnerReference) {
	for _, ref := range after {
		if ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion && !slices.ContainsFunc(before,
			func(old metav1.OwnerReference) bool { return reflect.DeepEqual(old, ref) }) {
			u.recordUse("update", schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind), "/finalizers")
		}
	}
}

func (u using) UpdateStatus(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	u.noteOf("update", obj, "/status")
	return u.Client.UpdateStatus(ctx, obj)
}

func (u using) Delete(ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key, opts metav1.DeleteOptions) error {
	u.recordUse("delete", kind, "")
	return u.Client.Delete(ctx, kind, key, opts)
}

func (u using) Bind(ctx context.Context, binding *corev1.Binding) error {
	u.recordUse("create", controlloop.PodKind, "/binding")
	return u.Client.Bind(ctx, binding)
}

// world is a cluster with all controllers, each with a client of its own, and
// nodes.
type world struct {
	*testing.T
	*served.Cluster
	used map[string]using
	stop func()
}

func newWorld(t *testing.T) *world {
	w := &world{t, served.New(t), map[string]using{}, nil}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	chosen, err := lab.Options{Controllers: []string{"*", lab.SchedulerName, lab.GreetingName}}.Elsewhere("ca")
	require.NoError(t, err)
	for _, c := range chosen {
		client, err := remote.New(w.Config, w.Store.Kinds(), remote.Options{QPS: -1})
		require.NoError(t, err)
		w.used[c.Name] = use(client, w.Store.Kinds())
		system := &controlloop.System{Client: w.used[c.Name]}
		c.Add(system)
		running.Go(func() { system.Run(ctx) })
	}
	client, err := remote.New(w.Config, w.Store.Kinds(), remote.Options{QPS: -1})
	require.NoError(t, err)
	w.used["events"] = use(client, w.Store.Kinds())
	recorder := events.NewJournal(w.used["events"]).Recorder(corev1.EventSource{Component: "test"})
	for range 2 {
		recorder.Eventf(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}, TypeMeta: metav1.TypeMeta{Kind: "Namespace", APIVersion: "v1"}}, "Normal", "Is", "told twice")
	}
	w.stop = func() { cancel(); running.Wait() }
	return w
}

// nodes runs nodes until the function that it returns is called.
func (w *world) nodes(count int, prefix string) (end func()) {
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		assert.NoError(w, nodes.Run(ctx, nodes.Options{
			Config: w.Config, Remote: remote.Options{QPS: -1}, Count: count,
			Prefix: prefix, Log: slog.New(slog.DiscardHandler),
		}))
	}()
	return func() { cancel(); <-ended }
}

func (w *world) create(all ...controlloop.Object) {
	w.Helper()
	for _, obj := range all {
		if kind, _ := w.Store.Kinds().Of(obj); kind.Namespaced && obj.GetNamespace() == "" {
			obj.SetNamespace("one")
		}
		client, err := remote.New(w.Config, w.Store.Kinds(), remote.Options{QPS: -1})
		require.NoError(w, err)
		_, err = client.Create(w.Context(), obj)
		require.NoError(w, err)
	}
	w.settle()
}

func (w *world) settle() {
	time.Sleep(30 * time.Second)
	synctest.Wait()
}

func (w *world) edit(obj controlloop.Object, change func(controlloop.Object)) {
	w.Helper()
	kind, err := w.Store.Kinds().Of(obj)
	require.NoError(w, err)
	for {
		now, err := w.Store.Get(w.Context(), kind.GroupVersionKind, controlloop.KeyOf(obj))
		require.NoError(w, err)
		next := controlloop.Copy(now)
		change(next)
		_, err = w.Store.Update(w.Context(), next)
		if !apierrors.IsConflict(err) {
			require.NoError(w, err)
			break
		}
	}
	w.settle()
}

func (w *world) delete(obj controlloop.Object, policy metav1.DeletionPropagation) {
	w.Helper()
	kind, err := w.Store.Kinds().Of(obj)
	require.NoError(w, err)
	require.NoError(w, w.Store.Delete(w.Context(), kind.GroupVersionKind,
		controlloop.KeyOf(obj), metav1.DeleteOptions{PropagationPolicy: &policy}))
	w.settle()
}

// strip takes the labels of one object of an app away, and gives them back.
func (w *world) strip(kind schema.GroupVersionKind, app string) {
	w.Helper()
	list, err := w.Store.List(w.Context(), kind, controlloop.ListOptions{Namespace: "one"})
	require.NoError(w, err)
	at := slices.IndexFunc(list.Items, func(obj controlloop.Object) bool {
		return obj.GetLabels()["app"] == app
	})
	require.GreaterOrEqual(w, at, 0, app)
	had := list.Items[at].GetLabels()
	for _, labels := range []map[string]string{nil, had} {
		w.edit(list.Items[at], func(obj controlloop.Object) { obj.SetLabels(labels) })
	}
}

var tolerant = []corev1.Toleration{{Key: nodes.Mark, Operator: corev1.TolerationOpExists}}

func template(app string) corev1.PodTemplateSpec {
	pod := kubetest.Pod(app)
	pod.Spec.Tolerations = tolerant
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}
}

func selector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func image(name string) func(controlloop.Object) {
	return func(obj controlloop.Object) {
		switch obj := obj.(type) {
		case *appsv1.Deployment:
			obj.Spec.Template.Spec.Containers[0].Image = name
		case *appsv1.StatefulSet:
			obj.Spec.Template.Spec.Containers[0].Image = name
		case *appsv1.DaemonSet:
			obj.Spec.Template.Spec.Containers[0].Image = name
		}
	}
}

// inOne names an object of the namespace one.
func inOne(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "one"} }

func aDeployment(name string, replicas int32) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: inOne(name), Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: selector(name), Template: template(name),
		RevisionHistoryLimit: new(int32(1)),
	}}
}

// All that controllers of a cluster meet in their lives: each right that they are
// granted is used here, and none other.
func live(w *world) {
	endNodes := w.nodes(2, "sim")
	w.settle()

	web := aDeployment("web", 3)
	w.create(web, &corev1.Service{ObjectMeta: inOne("web"), Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}},
	}}, &policyv1.PodDisruptionBudget{ObjectMeta: inOne("web"), Spec: policyv1.PodDisruptionBudgetSpec{
		MinAvailable: new(intstr.FromInt32(1)), Selector: selector("web"),
	}}, &corev1.ResourceQuota{ObjectMeta: inOne("all"), Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{"pods": resource.MustParse("50")},
	}})
	for _, name := range []string{"nginx:1.28", "nginx:1.29", "nginx:1.30"} {
		w.edit(web, image(name))
	}
	w.strip(deployment.ReplicaSetKind, "web")
	w.edit(&corev1.ConfigMap{ObjectMeta: inOne("kube-root-ca.crt")}, func(obj controlloop.Object) {
		obj.(*corev1.ConfigMap).Data = nil
	})
	w.edit(web, func(obj controlloop.Object) { obj.(*appsv1.Deployment).Spec.Replicas = new(int32(5)) })

	hello := &corev1.ConfigMap{ObjectMeta: inOne("hello"), Data: map[string]string{"replicas": "1"}}
	w.create(hello)
	for _, labels := range []map[string]string{{"kind": "Greeting"}, nil, {"kind": "Greeting"}} {
		w.edit(hello, func(obj controlloop.Object) { obj.SetLabels(labels) })
	}

	// A ReplicaSet lets a Pod go that is no longer its own, and takes a stray one.
	rs := &appsv1.ReplicaSet{ObjectMeta: inOne("rs"), Spec: appsv1.ReplicaSetSpec{
		Replicas: new(int32(2)), Selector: selector("rs"), Template: template("rs"),
	}}
	rc := kubetest.ReplicationController("rc", 2)
	rc.Namespace, rc.Spec.Template.Spec.Tolerations = "one", tolerant
	stray := func(app string) *corev1.Pod {
		pod := kubetest.Pod(app + "-stray")
		pod.Namespace, pod.Labels, pod.Spec.Tolerations = "one", map[string]string{"app": app}, tolerant
		return pod
	}
	size := corev1.ResourceList{"storage": resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	set := &appsv1.StatefulSet{ObjectMeta: inOne("db"), Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32(2)), Selector: selector("db"), Template: template("db"), ServiceName: "db",
		RevisionHistoryLimit: new(int32(1)),
		PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
		},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: modes, StorageClassName: new("folders"),
				Resources: corev1.VolumeResourceRequirements{Requests: size},
			},
		}},
	}}
	logs := &appsv1.DaemonSet{ObjectMeta: inOne("logs"), Spec: appsv1.DaemonSetSpec{
		Selector: selector("logs"), Template: template("logs"), RevisionHistoryLimit: new(int32(1)),
	}}
	w.create(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "folders"},
		Provisioner: storage.Driver, ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete)},
		rs, rc, set, logs)
	for _, app := range []string{"rs", "rc", "db", "logs"} {
		w.strip(controlloop.PodKind, app)
	}
	for _, name := range []string{"nginx:1.28", "nginx:1.29", "nginx:1.28", "nginx:1.30"} {
		w.edit(set, image(name))
		w.edit(logs, image(name))
	}
	w.edit(set, func(obj controlloop.Object) { obj.(*appsv1.StatefulSet).Spec.Replicas = new(int32(1)) })

	// A volume that was made by hand.
	w.create(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "by-hand"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}},
		},
	}, &corev1.PersistentVolumeClaim{ObjectMeta: inOne("by-hand"),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, StorageClassName: new(""),
			Resources: corev1.VolumeResourceRequirements{Requests: size},
		}})

	// A Pod that matters more takes the place of others.
	w.create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})
	for _, name := range []string{"big-1", "big-2"} {
		big := stray(name)
		big.Spec.Containers[0].Resources.Requests = kubetest.Resources("cpu=3")
		w.create(big)
	}
	urgent := stray("urgent")
	urgent.Spec.PriorityClassName = "high"
	urgent.Spec.Containers[0].Resources.Requests = kubetest.Resources("cpu=3")
	w.create(urgent)

	// Orphans, a foreground deletion, a namespace.
	w.delete(rs, metav1.DeletePropagationOrphan)
	w.delete(web, metav1.DeletePropagationForeground)
	w.delete(rc, metav1.DeletePropagationBackground)
	w.delete(set, metav1.DeletePropagationBackground)
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	w.create(shop)
	cart := aDeployment("cart", 1)
	cart.Namespace = "shop"
	w.create(cart)
	w.delete(shop, metav1.DeletePropagationBackground)

	// A node goes silent, and then it goes, and all the others.
	dead := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "dead"}}
	left := stray("left")
	left.Spec.NodeName = "dead"
	w.create(dead, left)
	for _, obj := range []controlloop.Object{dead, left} {
		switch obj := obj.(type) {
		case *corev1.Node:
			obj.Status.Conditions = []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
		case *corev1.Pod:
			obj.Status.Phase = corev1.PodRunning
			obj.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}
		obj.SetResourceVersion("")
		_, err := w.Store.UpdateStatus(w.Context(), obj)
		require.NoError(w, err)
	}
	time.Sleep(7 * time.Minute)
	w.delete(dead, metav1.DeletePropagationBackground)
	time.Sleep(7 * time.Minute)
	endNodes()
	time.Sleep(10 * time.Minute)
}

// rare are rights that a story cannot have used for certain: another writer has to
// be faster, or a cache late.
var rare = map[string][]right{
	"daemonset-controller":   can("apps/controllerrevisions: get"),
	"statefulset-controller": can("apps/controllerrevisions: get"),
	// Of a Service that has more slices than it needs.
	"endpointslice-controller": can("discovery.k8s.io/endpointslices: delete"),
	// A volume that was found and is wanted by another, too.
	"persistentvolume-binder-controller": can("persistentvolumes: get", "persistentvolumeclaims: get"),
	"scheduler":                          can("pods: get"),
}

func TestRightsAreThoseThatAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		live(w)
		w.stop()
		for _, name := range slices.Sorted(maps.Keys(w.used)) {
			granted := slices.Clone(needs[name].rights)
			if name == "events" {
				granted = slices.Clone(telling)
			}
			verbs := map[string]bool{}
			for r := range w.used[name].used {
				assert.Contains(t, granted, r, "%s does what it may not", name)
				verbs[r.verb] = true
			}
			for _, r := range granted {
				used := w.used[name].used[r] || slices.Contains(rare[name], r)
				if name == "garbage-collector-controller" || name == "namespace-controller" {
					used = verbs[r.verb] // they treat all kinds alike
				}
				assert.True(t, used, "%s may %s %s, and did not", name, r.verb, r.resource)
			}
		}
	})
}
