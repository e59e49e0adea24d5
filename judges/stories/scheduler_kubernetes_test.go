package stories

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	controlloop "reconcile/chapters/01-control-loop"
)

// kubeScheduler is Kubernetes' scheduler as it is without any
// configuration: its plugins, and the loop's use of them. It sees only the
// world that is put before it.
type kubeScheduler struct {
	profile  framework.Framework
	factory  informers.SharedInformerFactory
	seen     *seen
	promised promises
	sentAway []string
}

// seen is the snapshot of this moment.
type seen struct{ *schedulercache.Snapshot }

// leftOut lists plugins for things that no world has: devices that are claimed,
// drivers of storage that count, and features that a node declares.
var leftOut = []string{
	names.DynamicResources, names.NodeVolumeLimits, names.NodeDeclaredFeatures,
}

func newKubeScheduler(t *testing.T) *kubeScheduler {
	metrics.Register()
	klog.SetLogger(logr.Discard())
	k := &kubeScheduler{
		seen: &seen{schedulercache.NewEmptySnapshot()}, promised: promises{},
	}
	client := fake.NewClientset()
	client.PrependReactor("*", "pods", k.acts)
	k.factory = informers.NewSharedInformerFactory(client, 0)
	defaults, err := latest.Default()
	require.NoError(t, err)
	profile := &defaults.Profiles[0]
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(
		profile.Plugins.MultiPoint.Enabled, func(p config.Plugin) bool {
			return slices.Contains(leftOut, p.Name)
		})
	k.profile, err = frameworkruntime.NewFramework(
		klog.NewContext(t.Context(), logr.Discard()), registry(), profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(k.factory),
		frameworkruntime.WithSnapshotSharedLister(k.seen),
		frameworkruntime.WithMutableSnapshotLister(k.seen),
		frameworkruntime.WithPodNominator(k.promised),
		frameworkruntime.WithSharedDRAManager(noDevices{}),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithParallelism(1),
	)
	require.NoError(t, err)
	return k
}

// registry returns the plugins, of which preemption acts at once, not in the
// background.
func registry() frameworkruntime.Registry {
	all := plugins.NewInTreeRegistry()
	all[names.DefaultPreemption] = func(
		ctx context.Context, args runtime.Object, h fwk.Handle,
	) (fwk.Plugin, error) {
		features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
		features.EnableAsyncPreemption = false
		return defaultpreemption.New(ctx, args, h, features)
	}
	return all
}

// acts notes the Pods that are sent away.
func (k *kubeScheduler) acts(a clienttesting.Action) (bool, runtime.Object, error) {
	if a, ok := a.(clienttesting.DeleteAction); ok {
		k.sentAway = append(k.sentAway, a.GetName())
	}
	return true, &corev1.Pod{}, nil
}

// place lets Kubernetes' scheduler place the Pod of a world. (schedulePod and
// schedulingAlgorithm in pkg/scheduler/schedule_one.go.)
func (k *kubeScheduler) place(t *testing.T, w *world) placement {
	k.loadWorld(t, w)
	ctx := klog.NewContext(context.Background(), logr.Discard())
	state := framework.NewCycleState()
	p := placement{said: map[string]answer{}}
	fit, diagnosis := k.find(ctx, t, state, w)
	diagnosis.NodeToStatus.ForEachExplicitNode(func(name string, s *fwk.Status) {
		final := s.Code() == fwk.UnschedulableAndUnresolvable
		p.said[name] = refused(s.Plugin(), s.Reasons(), final)
	})
	if len(fit) == 0 {
		_, status := k.profile.RunPostFilterPlugins(ctx, state, w.pod, diagnosis.NodeToStatus)
		require.NotEqual(t, fwk.Error, status.Code(), "%s", status.Message())
		diagnosis.PostFilterMsg = status.Message()
		fitError := framework.FitError{
			Pod: w.pod, NumAllNodes: len(w.nodes), Diagnosis: diagnosis}
		p.message = fitError.Error()
		p.victims = slices.Sorted(slices.Values(k.sentAway))
		return p
	}
	k.rate(ctx, t, state, w, fit, &p)
	return p
}

// find asks all nodes. (findNodesThatFitPod.)
func (k *kubeScheduler) find(
	ctx context.Context, t *testing.T, state fwk.CycleState, w *world,
) (fit []fwk.NodeInfo, diagnosis framework.Diagnosis) {
	diagnosis.NodeToStatus = framework.NewDefaultNodeToStatus()
	only, status, by := k.profile.RunPreFilterPlugins(ctx, state, w.pod)
	if !status.IsSuccess() {
		require.True(t, status.IsRejected(), "%s", status.Message())
		diagnosis.NodeToStatus.SetAbsentNodesStatus(status)
		diagnosis.PreFilterMsg = status.Message()
		return nil, diagnosis
	}
	if n, err := k.seen.Get(w.pod.Status.NominatedNodeName); err == nil {
		if fit := k.ask(ctx, t, state, w, n, &diagnosis); fit {
			return []fwk.NodeInfo{n}, diagnosis
		}
	}
	all, err := k.seen.List()
	require.NoError(t, err)
	if !only.AllNodes() {
		all = slices.DeleteFunc(slices.Clone(all), func(n fwk.NodeInfo) bool {
			return !only.NodeNames.Has(n.Node().Name)
		})
		diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(
			fwk.UnschedulableAndUnresolvable, "node(s) didn't satisfy plugin(s) "+fmt.Sprint(sets.List(by))))
	}
	for _, n := range all {
		if k.ask(ctx, t, state, w, n, &diagnosis) {
			fit = append(fit, n)
		}
	}
	return fit, diagnosis
}

// ask asks one node.
func (k *kubeScheduler) ask(
	ctx context.Context, t *testing.T, state fwk.CycleState, w *world,
	n fwk.NodeInfo, diagnosis *framework.Diagnosis,
) bool {
	status := k.profile.RunFilterPluginsWithNominatedPods(ctx, state, w.pod, n)
	require.NotEqual(t, fwk.Error, status.Code(), "%s", status.Message())
	if status.IsSuccess() {
		return true
	}
	diagnosis.NodeToStatus.Set(n.Node().Name, status)
	return false
}

// rate compares the nodes that take the Pod, if there are several.
// (prioritizeNodes.)
func (k *kubeScheduler) rate(
	ctx context.Context, t *testing.T, state fwk.CycleState, w *world,
	fit []fwk.NodeInfo, p *placement,
) {
	for _, n := range fit {
		p.said[n.Node().Name] = answer{points: map[string]int64{}}
	}
	if len(fit) == 1 {
		p.best = []string{fit[0].Node().Name}
		return
	}
	status := k.profile.RunPreScorePlugins(ctx, state, w.pod, fit)
	require.True(t, status.IsSuccess(), "%s", status.Message())
	rated, status := k.profile.RunScorePlugins(ctx, state, w.pod, fit)
	require.True(t, status.IsSuccess(), "%s", status.Message())
	most := slices.Max(sums(rated))
	for i, sum := range sums(rated) {
		for _, s := range rated[i].Scores {
			p.said[rated[i].Name].points[s.Name] = s.Score
		}
		if sum == most {
			p.best = append(p.best, rated[i].Name)
		}
	}
}

// sums returns the total of each node's scores, but for that of VolumeBinding,
// which the book has not: it prefers nodes whose volumes are larger than asked for.
func sums(rated []fwk.NodePluginScores) (all []int64) {
	for _, r := range rated {
		sum := r.TotalScore
		for _, s := range r.Scores {
			if s.Name == names.VolumeBinding {
				sum -= s.Score
			}
		}
		all = append(all, sum)
	}
	return all
}

// loadWorld puts a world before the scheduler.
func (k *kubeScheduler) loadWorld(t *testing.T, w *world) {
	k.sentAway = nil
	k.seen.Snapshot = schedulercache.NewSnapshot(w.pods, w.nodes)
	clear(k.promised)
	for _, pod := range w.promised {
		info, err := framework.NewPodInfo(pod)
		require.NoError(t, err)
		node := pod.Status.NominatedNodeName
		k.promised[node] = append(k.promised[node], info)
	}
	core, apps := k.factory.Core().V1(), k.factory.Apps().V1()
	fill(t, core.Pods().Informer(), append(slices.Clone(w.pods), w.pod))
	fill(t, core.Namespaces().Informer(), w.namespaces)
	fill(t, core.Services().Informer(), of[*corev1.Service](w.groups))
	fill(t, core.ReplicationControllers().Informer(),
		of[*corev1.ReplicationController](w.groups))
	fill(t, apps.ReplicaSets().Informer(), of[*appsv1.ReplicaSet](w.groups))
	fill(t, apps.StatefulSets().Informer(), of[*appsv1.StatefulSet](w.groups))
	fill(t, core.PersistentVolumes().Informer(), of[*corev1.PersistentVolume](w.storage))
	fill(t, core.PersistentVolumeClaims().Informer(),
		of[*corev1.PersistentVolumeClaim](w.storage))
	fill(t, k.factory.Storage().V1().StorageClasses().Informer(),
		of[*storagev1.StorageClass](w.storage))
	fill(t, k.factory.Policy().V1().PodDisruptionBudgets().Informer(), w.budgets)
}

// fill makes a cache hold these objects and no others.
func fill[T controlloop.Object](
	t *testing.T, informer cache.SharedIndexInformer, objects []T,
) {
	all := make([]any, len(objects))
	for i, obj := range objects {
		all[i] = obj
	}
	require.NoError(t, informer.GetIndexer().Replace(all, ""))
}

// of returns the objects of one type.
func of[T controlloop.Object](objects []controlloop.Object) (some []T) {
	for _, obj := range objects {
		if one, ok := obj.(T); ok {
			some = append(some, one)
		}
	}
	return some
}

// promises holds the Pods to which a node was promised, by node.
type promises map[string][]fwk.PodInfo

func (p promises) NominatedPodsForNode(node string) []fwk.PodInfo { return p[node] }

func (p promises) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}

func (p promises) DeleteNominatedPodIfExists(*corev1.Pod) {}

func (p promises) UpdateNominatedPod(klog.Logger, *corev1.Pod, fwk.PodInfo) {}

// noDevices says that no resource is one of devices that are claimed.
type noDevices struct{ fwk.SharedDRAManager }

func (noDevices) DeviceClassResolver() fwk.DeviceClassResolver { return noDevices{} }

func (noDevices) GetDeviceClass(corev1.ResourceName) *resourcev1.DeviceClass { return nil }
