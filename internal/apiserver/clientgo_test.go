package apiserver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	controlloop "reconcile/chapters/01-control-loop"
)

// typed returns client-go's client, which speaks protobuf.
func (a *api) typed() kubernetes.Interface {
	config := a.config()
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	require.NoError(a.t, err)
	return client
}

func TestATypedClientDoesAllItCan(t *testing.T) {
	client, ctx := newAPI(t).typed(), t.Context()
	pods := client.CoreV1().Pods("default")
	made, err := pods.Create(ctx, aPod("web"), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = pods.Create(ctx, aPod("web"), metav1.CreateOptions{})
	assert.True(t, apierrors.IsAlreadyExists(err), "%v", err)

	made.Labels = map[string]string{"a": "b"}
	changed, err := pods.Update(ctx, made, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = pods.Update(ctx, made, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	changed.Status.Phase = corev1.PodRunning
	changed, err = pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, corev1.PodRunning, changed.Status.Phase)

	require.NoError(t, pods.Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "node"},
	}, metav1.CreateOptions{}))
	_, err = pods.Patch(ctx, "web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"containers":[{"name":"web","image":"nginx:1.28"}]}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	found, err := pods.List(ctx, metav1.ListOptions{
		LabelSelector: "a=b", FieldSelector: "spec.nodeName=node"})
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	assert.Equal(t, "nginx:1.28", found.Items[0].Spec.Containers[0].Image)

	require.NoError(t, pods.EvictV1(ctx, &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
	}))
	left, err := pods.Get(ctx, "web", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotNil(t, left.DeletionTimestamp)
	require.NoError(t, pods.Delete(ctx, "web", *metav1.NewDeleteOptions(0)))
	_, err = pods.Get(ctx, "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	require.NoError(t, pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
}

func TestALeaseIsHeldByOne(t *testing.T) {
	leases := newAPI(t).typed().CoordinationV1().Leases("default")
	ctx := t.Context()
	made, err := leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "leader"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("a"), LeaseDurationSeconds: new(int32(15)),
			RenewTime: new(metav1.NowMicro()),
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	mine, theirs := made.DeepCopy(), made.DeepCopy()
	mine.Spec.RenewTime = new(metav1.NewMicroTime(time.Now().Add(time.Second)))
	_, err = leases.Update(ctx, mine, metav1.UpdateOptions{})
	require.NoError(t, err)
	theirs.Spec.HolderIdentity = new("b")
	_, err = leases.Update(ctx, theirs, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
}

func TestApplyConfigurationsAreAppliedAndExtracted(t *testing.T) {
	a := newAPI(t)
	deployments := a.typed().AppsV1().Deployments("default")
	labels := map[string]string{"app": "web"}
	wanted := appsapply.Deployment("web", "default").WithSpec(appsapply.DeploymentSpec().
		WithReplicas(3).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(
			coreapply.PodSpec().WithContainers(
				coreapply.Container().WithName("web").WithImage("nginx")))))
	opts := metav1.ApplyOptions{FieldManager: "me"}
	made, err := deployments.Apply(t.Context(), wanted, opts)
	require.NoError(t, err)
	assert.EqualValues(t, 3, *made.Spec.Replicas)

	mine, err := appsapply.ExtractDeployment(made, "me")
	require.NoError(t, err)
	assert.EqualValues(t, 3, *mine.Spec.Replicas)
	assert.Nil(t, mine.Spec.RevisionHistoryLimit, "a default is not mine")

	_, err = deployments.Apply(t.Context(), appsapply.Deployment("web", "default").
		WithSpec(appsapply.DeploymentSpec().WithReplicas(4)),
		metav1.ApplyOptions{FieldManager: "other"})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	var status apierrors.APIStatus
	require.True(t, errors.As(err, &status))
	assert.Equal(t, ".spec.replicas", status.Status().Details.Causes[0].Field)

	scale, err := deployments.GetScale(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	scale.Spec.Replicas = 5
	scale, err = deployments.UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, 5, scale.Spec.Replicas)
	assert.Equal(t, "app=web", scale.Status.Selector)
}

func TestADynamicClientNeedsNoTypes(t *testing.T) {
	client, err := dynamic.NewForConfig(newAPI(t).config())
	require.NoError(t, err)
	pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace("default")
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(aPod("web"))
	require.NoError(t, err)
	made, err := pods.Create(t.Context(), &unstructured.Unstructured{Object: content},
		metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "Always", made.Object["spec"].(map[string]any)["restartPolicy"])
	found, err := pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	assert.Equal(t, "Pod", found.Items[0].GetKind())
	require.NoError(t, pods.Delete(t.Context(), "web", metav1.DeleteOptions{}))
}

// seen collects what an informer tells.
type seen chan string

func (s seen) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { s <- "+" + obj.(metav1.Object).GetName() },
		UpdateFunc: func(_, obj any) { s <- "~" + obj.(metav1.Object).GetName() },
		DeleteFunc: func(obj any) { s <- "-" + obj.(metav1.Object).GetName() },
	}
}

func (s seen) next(t *testing.T) string {
	select {
	case event := <-s:
		return event
	case <-time.After(20 * time.Second):
		t.Fatal("the informer tells nothing")
		return ""
	}
}

func TestInformersFollow(t *testing.T) {
	for _, name := range []string{"objects", "metadata"} {
		t.Run(name, func(t *testing.T) {
			a := withPods(t, "a")
			events := make(seen, 100)
			informer := podInformer(t, a, name == "metadata")
			_, err := informer.AddEventHandler(events.handler())
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan bool)
			go func() {
				informer.RunWithContext(ctx)
				close(done)
			}()
			defer func() { cancel(); <-done }()
			assert.Equal(t, "+a", events.next(t))
			require.True(t, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))
			a.post(pods, aPod("b"))
			assert.Equal(t, "+b", events.next(t))
			a.patch(pods+"/b", merge, `{"metadata":{"labels":{"c":"d"}}}`)
			assert.Equal(t, "~b", events.next(t))
			a.delete(pods+"/a", nil)
			assert.Equal(t, "-a", events.next(t))
		})
	}
}

func podInformer(t *testing.T, a *api, onlyMetadata bool) cache.SharedIndexInformer {
	var pod runtime.Object = &corev1.Pod{}
	var from cache.ListerWatcher = cache.NewListWatchFromClient(a.typed().CoreV1().RESTClient(), "pods", "default", fields.Everything())
	if onlyMetadata {
		client, err := metadata.NewForConfig(a.config())
		require.NoError(t, err)
		pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace("default")
		pod, from = &metav1.PartialObjectMetadata{}, &cache.ListWatch{
			ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return pods.List(ctx, o) },
			WatchFuncWithContext: pods.Watch,
		}
	}
	return cache.NewSharedIndexInformer(from, pod, 0, cache.Indexers{})
}

// An informer whose watch was cut, and that finds its place in the log gone,
// lists again.
func TestAnInformerRecoversWhenItsVersionIsGone(t *testing.T) {
	a := newAPI(t, controlloop.WithHistory(5))
	events := make(seen, 1000)
	informer := podInformer(t, a, false)
	_, err := informer.AddEventHandler(events.handler())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go informer.RunWithContext(ctx)
	require.True(t, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))
	const many = 200
	for n := range many {
		require.Equal(t, 201, a.post(pods, aPod(fmt.Sprint("pod-", n))).code)
	}
	found := map[string]bool{}
	for len(found) < many {
		found[events.next(t)] = true
	}
}

func TestAPagerReadsAllPages(t *testing.T) {
	a := withPods(t, "a", "b", "c", "d", "e", "f", "g")
	client := a.typed()
	p := pager.New(pager.SimplePageFunc(func(opts metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods("default").List(context.Background(), opts)
	}))
	p.PageSize = 3
	var names string
	require.NoError(t, p.EachListItem(t.Context(), metav1.ListOptions{},
		func(obj runtime.Object) error {
			names += obj.(*corev1.Pod).Name
			return nil
		}))
	assert.Equal(t, "abcdefg", names)
}

func TestDiscoveryFindsAllKinds(t *testing.T) {
	groups, lists, err := newAPI(t).typed().Discovery().ServerGroupsAndResources()
	require.NoError(t, err)
	assert.NotEmpty(t, groups)
	served := map[string]bool{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			served[list.GroupVersion+" "+resource.Name] = true
		}
	}
	for _, want := range []string{"v1 pods", "v1 pods/eviction", "apps/v1 deployments/scale",
		"coordination.k8s.io/v1 leases", "v1 namespaces/finalize"} {
		assert.True(t, served[want], want)
	}
}
