package kubetest

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// careless changes the objects that it reads.
type careless struct{ pods *controlloop.Indexer }

func (c careless) Reconcile(
	_ context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if obj, ok := c.pods.Get(key); ok {
		pod := obj.(*corev1.Pod)
		pod.Spec.Containers[0].Image = "nginx:latest"
		pod.Labels["seen"] = "yes"
	}
	return controlloop.Result{}, nil
}

func newCareless(s *controlloop.System) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	c := controlloop.NewController("careless", careless{pods.Cache})
	s.Add(c)
	c.Watch(pods, controlloop.Self)
	return c
}

// complaints stands in for a test, and keeps its messages.
type complaints struct {
	testing.TB
	errors []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.errors = append(c.errors, fmt.Sprintf(format, args...))
}

func TestTheDetectorNamesWhoChangedWhichFieldOfASharedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &complaints{TB: t}
		c := New(told, Setup{
			Controllers: []Controller{newCareless}, DetectMutations: true,
		})
		Create(c, Pod("web"))
		Create(c, Pod("db"))
		c.Settle()
		const text = "careless's Reconcile(default/%s) changed an object that " +
			"is shared; copy it first: Pod default/%[1]s: %s"
		assert.Equal(t, []string{
			fmt.Sprintf(text, "db", `metadata.labels.seen: nothing became "yes"`),
			fmt.Sprintf(text, "db",
				`spec.containers[0].image: "nginx:1.27" became "nginx:latest"`),
			fmt.Sprintf(text, "web", `metadata.labels.seen: nothing became "yes"`),
			fmt.Sprintf(text, "web",
				`spec.containers[0].image: "nginx:1.27" became "nginx:latest"`),
		}, told.errors)
	})
}

// nostalgic changes the object that it has just replaced, and later once more.
type nostalgic struct {
	client controlloop.Client
	pods   *controlloop.Indexer
	first  *corev1.Pod // nil: not seen yet
}

func (n *nostalgic) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if n.first != nil {
		n.first.Labels["seen"] = "twice"
		return controlloop.Result{}, nil
	}
	obj, _ := n.pods.Get(key)
	n.first = obj.(*corev1.Pod)
	err := n.client.Bind(ctx, controlloop.NewBinding(n.first, "node-1"))
	n.first.Labels["seen"] = "once"
	return controlloop.Result{}, err
}

func newNostalgic(s *controlloop.System) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	c := controlloop.NewController("nostalgic",
		&nostalgic{client: s.Client, pods: pods.Cache})
	s.Add(c)
	c.Watch(pods, controlloop.Self)
	return c
}

func TestTheDetectorSeesWhatWasReplacedAndInTheEndWhatIsLongPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &complaints{TB: t}
		c := New(told, Setup{
			Controllers: []Controller{newNostalgic}, DetectMutations: true,
		})
		Create(c, Pod("web"))
		c.Settle()
		const text = " changed an object that is shared; copy it first: " +
			"Pod default/web: metadata.labels.seen: "
		now := []string{"nostalgic's Reconcile(default/web)" + text + `nothing became "once"`}
		assert.Equal(t, now, told.errors)
		c.takeDown()
		assert.Equal(t, append(now,
			"somebody, at some time,"+text+`"once" became "twice"`), told.errors)
	})
}

func TestTheDetectorTellsTheTestFromTheControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &complaints{TB: t}
		c := New(told, Setup{DetectMutations: true})
		web := Create(c, Pod("web"))
		web.Finalizers = []string{}
		c.Settle()
		assert.Empty(t, told.errors, "it would be stored the same")
		web.Finalizers = []string{"example.com/test"}
		c.Settle()
		const text = " changed an object that is shared; copy it first: Pod default/web: "
		now := []string{"the test" + text +
			`metadata.finalizers: nothing became ["example.com/test"]`}
		assert.Equal(t, now, told.errors)
		web.OwnerReferences = []metav1.OwnerReference{}
		c.takeDown()
		assert.Equal(t, append(now, "somebody, at some time,"+text+
			"what is nil became empty, or the reverse"), told.errors)
	})
}

// hasty changes what the store has answered, and writes that.
type hasty struct{ client controlloop.Client }

func (h hasty) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, err := h.client.Get(ctx, controlloop.PodKind, key)
	if err != nil {
		return controlloop.Result{}, err
	}
	obj.GetLabels()["seen"] = "yes"
	_, err = h.client.Update(ctx, obj)
	return controlloop.Result{}, err
}

func newHasty(s *controlloop.System) *controlloop.Controller {
	c := controlloop.NewController("hasty", hasty{s.Client})
	s.Add(c)
	c.Watch(s.Informer(controlloop.PodKind, controlloop.ListOptions{}), controlloop.Self)
	return c
}

func TestTheDetectorSeesWhatAClientHasReturned(t *testing.T) {
	const text = " changed an object that is shared; copy it first: " +
		`Pod default/web: metadata.labels.seen: nothing became "yes"`
	synctest.Test(t, func(t *testing.T) {
		told := &complaints{TB: t}
		c := New(told, Setup{Controllers: []Controller{newHasty}, DetectMutations: true})
		Create(c, Pod("web"))
		c.Settle()
		assert.Equal(t, []string{"hasty's Reconcile(default/web)" + text}, told.errors)
	})
	alone := &ending{complaints: complaints{TB: t}}
	store := controlloop.NewStore(controlloop.CoreKinds(), DetectMutations(alone))
	pod := Pod("web")
	pod.Namespace = "default"
	_, err := store.Create(t.Context(), pod)
	require.NoError(t, err)
	_, err = hasty{store}.Reconcile(t.Context(), Named("web"))
	require.NoError(t, err)
	alone.end()
	assert.Equal(t, []string{"somebody, at some time," + text}, alone.errors)
}

func TestAnInvariantThatBreaksNamesTheWriteAndItsWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &complaints{TB: t}
		c := New(told, Setup{
			Controllers: []Controller{controlloop.NewReplication},
			Invariants: []Invariant{func(w Write, _ []Write) error {
				if _, isPod := w.Object.(*corev1.Pod); isPod {
					return fmt.Errorf("no Pods in this house")
				}
				return nil
			}},
		})
		Create(c, ReplicationController("web", 1))
		c.Settle()
		name := c.Pods()[0].Name
		assert.Equal(t, []string{"no Pods in this house: write 2 ADDED Pod default/" + name + ", made by " +
			"replication's Reconcile(default/web)"}, told.errors)
	})
}
