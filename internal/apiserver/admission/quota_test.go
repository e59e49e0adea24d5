package admission_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
	"reconcile/internal/apiserver/kinds"
)

// limited is a store with a namespace default, which has quotas.
type limited struct {
	*testing.T
	store *controlloop.Store
}

func (l limited) must(obj controlloop.Object, err error) controlloop.Object {
	l.Helper()
	require.NoError(l, err)
	return obj
}

// inLimits runs a test where there is a quota of these: "pods", "2".
func inLimits(t *testing.T, hard map[corev1.ResourceName]string, test func(limited)) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimited(t)
		quota := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "q", Namespace: "default"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{}},
		}
		for name, amount := range hard {
			quota.Spec.Hard[name] = resource.MustParse(amount)
		}
		l.must(l.store.Create(t.Context(), quota))
		l.count()
		test(l)
	})
}

// newLimited returns a store with a namespace, whose objects no controller
// counts.
func newLimited(t *testing.T) limited {
	l := limited{t, controlloop.NewStore(kinds.Store(kinds.All()))}
	l.must(l.store.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "default"}}))
	return l
}

// count makes the controllers count from here on.
func (l limited) count() {
	system := &controlloop.System{Client: l.store}
	admission.NewQuotas(system)
	done := make(chan bool)
	go func() { system.Run(l.Context()); close(done) }()
	l.Cleanup(func() { <-done })
	synctest.Wait()
}

// create asks, and then stores, as both clients of the package do. It returns
// why the object is refused.
func (l limited) create(obj controlloop.Object) error {
	obj, err := admission.Admit(l.Context(), l.store, obj, false)
	if err != nil {
		return err
	}
	_, err = l.store.Create(l.Context(), obj)
	return err
}

// used returns what the quota says is used.
func (l limited) used() map[corev1.ResourceName]string {
	time.Sleep(time.Minute)
	return l.usedNow()
}

func (l limited) usedNow() map[corev1.ResourceName]string {
	synctest.Wait()
	got := l.must(l.store.Get(l.Context(),
		corev1.SchemeGroupVersion.WithKind("ResourceQuota"),
		controlloop.Key{Namespace: "default", Name: "q"}))
	all := map[corev1.ResourceName]string{}
	for name, amount := range got.(*corev1.ResourceQuota).Status.Used {
		all[name] = amount.String()
	}
	return all
}

func pod(name string, requests, limits corev1.ResourceList) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Image: "nginx",
			Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits},
		}}},
	}
}

func TestAQuotaOfPodsIsNotExceeded(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"pods": "2"}, func(l limited) {
		require.Equal(t, map[corev1.ResourceName]string{"pods": "0"}, l.used())
		require.NoError(t, l.create(pod("a", nil, nil)))
		require.NoError(t, l.create(pod("b", nil, nil)))
		err := l.create(pod("c", nil, nil))
		assert.True(t, apierrors.IsForbidden(err))
		assert.EqualError(t, err, `pods "c" is forbidden: exceeded quota: q, `+
			`requested: pods=1, used: pods=2, limited: pods=2`)
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "2"}, l.used())

		// One has ended, one is gone: both give back what they took.
		b := controlloop.Copy(l.must(l.store.Get(t.Context(), controlloop.PodKind,
			controlloop.Key{Namespace: "default", Name: "b"})).(*corev1.Pod))
		b.Status.Phase = corev1.PodSucceeded
		l.must(l.store.UpdateStatus(t.Context(), b))
		time.Sleep(1100 * time.Millisecond)
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "1"}, l.usedNow(), "a second later")
		require.NoError(t, l.store.Delete(t.Context(), controlloop.PodKind,
			controlloop.Key{Namespace: "default", Name: "a"}, metav1.DeleteOptions{}))
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "0"}, l.used())
		assert.NoError(t, l.create(pod("c", nil, nil)))
	})
}

func TestWhatIsRefusedHasItsNameAlready(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"pods": "1"}, func(l limited) {
		made := func() *corev1.Pod {
			p := pod("", nil, nil)
			p.GenerateName = "web-"
			return p
		}
		admitted, err := l.admitted(made())
		require.NoError(t, err)
		stored := l.must(l.store.Create(t.Context(), admitted))
		assert.Equal(t, admitted.GetName(), stored.GetName(), "it is stored by the name that was judged")
		first, second := l.create(made()), l.create(made())
		assert.Regexp(t, `^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota: q`, first.Error())
		assert.NotEqual(t, first.Error(), second.Error())
	})
}

func TestWhatIsNotValidIsNotForbidden(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"pods": "0", "count/jobs.batch": "0"}, func(l limited) {
		p := pod("web", nil, nil)
		p.Spec.Containers = nil
		assert.EqualError(t, l.create(p), `Pod "web" is invalid: spec.containers: Required value`)
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once", Namespace: "default"}}
		job.Spec.Template.Spec = pod("", nil, nil).Spec
		job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
		assert.ErrorContains(t, l.create(job), `jobs.batch "once" is forbidden: exceeded quota: q`, "its selector comes from the store")
	})
}

func TestManyAtOnceDoNotExceedAQuota(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"count/pods": "5"}, func(l limited) {
		results := make(chan error)
		for n := range 20 {
			go func() {
				results <- l.create(pod(fmt.Sprint("p", n), nil, nil))
			}()
		}
		made := 0
		for range 20 {
			if err := <-results; err == nil {
				made++
			} else {
				assert.True(t, apierrors.IsForbidden(err), "%v", err)
			}
		}
		assert.Equal(t, 5, made)
	})
}

func TestAQuotaOfAnyResourceCounts(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{
		"configmaps": "1", "count/secrets": "1", "services.nodeports": "0",
	}, func(l limited) {
		meta := metav1.ObjectMeta{Name: "a", Namespace: "default"}
		again := metav1.ObjectMeta{Name: "b", Namespace: "default"}
		assert.NoError(t, l.create(&corev1.ConfigMap{ObjectMeta: meta}))
		assert.NoError(t, l.create(&corev1.Secret{ObjectMeta: meta}))
		assert.NoError(t, l.create(pod("a", nil, nil)), "nobody limits Pods")
		assert.EqualError(t, l.create(&corev1.ConfigMap{ObjectMeta: again}),
			`configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, `+
				`used: configmaps=1, limited: configmaps=1`)
		assert.EqualError(t, l.create(&corev1.Secret{ObjectMeta: again}),
			`secrets "b" is forbidden: exceeded quota: q, requested: count/secrets=1, `+
				`used: count/secrets=1, limited: count/secrets=1`)
		assert.ErrorContains(t, l.create(&corev1.Service{ObjectMeta: again,
			Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort,
				Ports: []corev1.ServicePort{{Port: 80}}}}),
			"requested: services.nodeports=1, used: services.nodeports=0, "+
				"limited: services.nodeports=0")
	})
}

func TestAQuotaOfCPUWantsItSaid(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{
		"requests.cpu": "1", "limits.memory": "1Gi",
	}, func(l limited) {
		assert.EqualError(t, l.create(pod("a", nil, nil)), `pods "a" is forbidden: `+
			`failed quota: q: must specify limits.memory for: c; requests.cpu for: c`)
		half := corev1.ResourceList{"cpu": resource.MustParse("600m")}
		memory := corev1.ResourceList{"memory": resource.MustParse("256Mi")}
		require.NoError(t, l.create(pod("a", half, memory)))
		assert.Equal(t, map[corev1.ResourceName]string{
			"requests.cpu": "600m", "limits.memory": "256Mi"}, l.used())
		assert.EqualError(t, l.create(pod("b", half, memory)), `pods "b" is forbidden: `+
			`exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, `+
			`limited: requests.cpu=1`)
	})
}

// Of what a node has to give besides cpu and memory, only requests are limited.
func TestAQuotaOfExtendedResourcesCounts(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{
		"requests.example.com/dongle": "3",
	}, func(l limited) {
		two := corev1.ResourceList{
			"example.com/dongle": resource.MustParse("2"),
		}
		require.NoError(t, l.create(pod("plain", nil, nil)), "it need not be said")
		require.NoError(t, l.create(pod("a", two, two)))
		assert.Equal(t, map[corev1.ResourceName]string{
			"requests.example.com/dongle": "2"}, l.used())
		assert.EqualError(t, l.create(pod("b", two, two)), `pods "b" is forbidden: `+
			`exceeded quota: q, requested: requests.example.com/dongle=2, `+
			`used: requests.example.com/dongle=2, limited: requests.example.com/dongle=3`)
	})
}

func TestAQuotaOfCPUWantsItSaidOfInitContainersToo(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"requests.cpu": "2"}, func(l limited) {
		half := corev1.ResourceList{"cpu": resource.MustParse("500m")}
		p := pod("a", half, nil)
		p.Spec.InitContainers = []corev1.Container{{Name: "i", Image: "i"}, {Name: "h", Image: "h"}}
		assert.EqualError(t, l.create(p), `pods "a" is forbidden: `+
			`failed quota: q: must specify requests.cpu for: h,i`)
		for i := range p.Spec.InitContainers {
			p.Spec.InitContainers[i].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1")}
		}
		require.NoError(t, l.create(p))
		assert.Equal(t, "1", l.used()["requests.cpu"], "the largest counts: one runs at a time")
	})
}

func TestAQuotaOfCPUNeedsNoMoreThanThePodsOwnWord(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"requests.cpu": "2"}, func(l limited) {
		p := pod("a", nil, nil)
		p.Spec.Resources = &corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("1500m")},
		}
		require.NoError(t, l.create(p))
		assert.Equal(t, "1500m", l.used()["requests.cpu"])
	})
}

func TestWhatIsChargedAndNotYetStoredIsNotGivenBack(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"pods": "1"}, func(l limited) {
		first := pod("a", nil, nil)
		_, err := admission.Admit(t.Context(), l.store, first, false)
		require.NoError(t, err)
		synctest.Wait()                                 // the controller has looked, and counted none
		l.must(l.store.Create(t.Context(), &corev1.Pod{ // and looks once more
			ObjectMeta: metav1.ObjectMeta{Name: "ended", Namespace: "default"},
			Spec:       first.Spec,
		}))
		require.NoError(t, l.store.Delete(t.Context(), controlloop.PodKind,
			controlloop.Key{Namespace: "default", Name: "ended"}, metav1.DeleteOptions{}))
		synctest.Wait()
		assert.Error(t, l.create(pod("b", nil, nil)))
		l.must(l.store.Create(t.Context(), first))
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "1"}, l.used())

		// Charged, and then never stored: given back in the end.
		require.NoError(t, l.store.Delete(t.Context(), controlloop.PodKind,
			controlloop.KeyOf(first), metav1.DeleteOptions{}))
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "0"}, l.used())
		_, err = admission.Admit(t.Context(), l.store, first, false)
		require.NoError(t, err)
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "0"}, l.used())
	})
}

func TestADryRunChargesNothing(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"pods": "1"}, func(l limited) {
		for range 3 {
			_, err := admission.Admit(t.Context(), l.store, pod("a", nil, nil), true)
			assert.NoError(t, err)
		}
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "0"}, l.used())
	})
}

// Only what is given back has to wait. An object that came past admission is
// counted at once: the next may have no room.
func TestWhatIsMoreThanWasChargedIsCountedAtOnce(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{"pods": "3", "secrets": "1"}, func(l limited) {
		l.must(l.store.Create(t.Context(), pod("a", nil, nil)))
		assert.Equal(t, map[corev1.ResourceName]string{"pods": "1", "secrets": "0"}, l.usedNow())
	})
}

func TestAServiceAndAClaimTakeMoreThanTheirNumber(t *testing.T) {
	inLimits(t, map[corev1.ResourceName]string{
		"services": "5", "services.nodeports": "5", "services.loadbalancers": "5",
		"persistentvolumeclaims": "5", "requests.storage": "5Gi",
	}, func(l limited) {
		for of, ports := range map[corev1.ServiceType]int{
			corev1.ServiceTypeLoadBalancer: 2, corev1.ServiceTypeNodePort: 1, corev1.ServiceTypeClusterIP: 3,
		} {
			service := &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: strings.ToLower(string(of)), Namespace: "default"},
				Spec:       corev1.ServiceSpec{Type: of},
			}
			for n := range ports {
				service.Spec.Ports = append(service.Spec.Ports,
					corev1.ServicePort{Name: fmt.Sprint("p", n), Port: int32(80 + n)})
			}
			require.NoError(t, l.create(service))
		}
		require.NoError(t, l.create(&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{"storage": resource.MustParse("2Gi")}},
			},
		}))
		assert.Equal(t, map[corev1.ResourceName]string{
			"services": "3", "services.nodeports": "3", "services.loadbalancers": "1",
			"persistentvolumeclaims": "1", "requests.storage": "2Gi",
		}, l.used())
	})
}

// Until the quota's controller has looked, the use of a namespace is unknown.
func TestAQuotaThatIsNotCountedLetsNothingIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimited(t)
		quota := l.must(l.store.Create(t.Context(), &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "new", Namespace: "default"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"pods": resource.MustParse("2")}},
		})).(*corev1.ResourceQuota)
		quota = controlloop.Copy(quota)
		quota.Status.Hard = quota.Spec.Hard
		l.must(l.store.UpdateStatus(t.Context(), quota))
		_, err := l.admitted(pod("web", nil, nil))
		assert.EqualError(t, err,
			`pods "web" is forbidden: status unknown for quota: new, resources: pods`)
		l.count()
		_, err = l.admitted(pod("web", nil, nil))
		assert.NoError(t, err)
	})
}

// scoped makes a quota of no Pods in these scopes.
func (l limited) scoped(spec corev1.ResourceQuotaSpec) {
	spec.Hard = corev1.ResourceList{"pods": resource.MustParse("0")}
	l.must(l.store.Create(l.T.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "scoped", Namespace: "default"}, Spec: spec,
	}))
	synctest.Wait()
}

func TestAQuotaWithScopesLimitsPodsInAllOfThem(t *testing.T) {
	scopes := func(all ...corev1.ResourceQuotaScope) corev1.ResourceQuotaSpec {
		return corev1.ResourceQuotaSpec{Scopes: all}
	}
	for name, test := range map[string]struct {
		spec corev1.ResourceQuotaSpec
		not  []string // of the Pods that are not limited
	}{
		"asks for nothing":   {scopes("BestEffort"), []string{"asks"}},
		"asks for something": {scopes("NotBestEffort"), []string{"plain", "short"}},
		"has a deadline":     {scopes("Terminating"), []string{"plain", "asks"}},
		"has none":           {scopes("NotTerminating"), []string{"short"}},
		"both":               {scopes("NotTerminating", "BestEffort"), []string{"asks", "short"}},
		"unknown here":       {scopes("PriorityClass"), []string{"plain", "asks", "short"}},
	} {
		inLimits(t, nil, func(l limited) {
			l.scoped(test.spec)
			short := pod("short", nil, nil)
			short.Spec.ActiveDeadlineSeconds = new(int64(60))
			var let []string
			for _, p := range []*corev1.Pod{pod("plain", nil, nil), pod("asks",
				corev1.ResourceList{"cpu": resource.MustParse("1")}, nil), short} {
				if err := l.create(p); err == nil {
					let = append(let, p.Name)
				} else {
					assert.ErrorContains(l.T, err, "exceeded quota: scoped, requested: pods=1")
				}
			}
			assert.Equal(l.T, test.not, let, name)
		})
	}
}

func TestWhatAQuotaSaysInVainIsNamed(t *testing.T) {
	quota := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{}, Scopes: []corev1.ResourceQuotaScope{"PriorityClass", "BestEffort"},
	}}
	for _, name := range []corev1.ResourceName{"pods", "requests.cpu", "limits.memory", "count/deployments.apps",
		"requests.storage", "requests.example.com/gpu", "hugepages-2Mi",
		"gold.storageclass.storage.k8s.io/requests.storage", "count/widgets.example.com"} {
		quota.Spec.Hard[name] = resource.MustParse("1")
	}
	assert.Equal(t, []error{
		errors.New("spec.hard[count/widgets.example.com]: this lab doesn't count it"),
		errors.New("spec.hard[gold.storageclass.storage.k8s.io/requests.storage]: this lab doesn't count it"),
		errors.New("spec.hard[hugepages-2Mi]: this lab doesn't count it"),
		errors.New("spec.scopes: PriorityClass: this lab doesn't know which Pods are in it, and the quota limits none"),
	}, admission.Uncounted(quota))
}

func TestAQuotaWithScopesCountsWhatIsInThem(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		for _, name := range []string{"a", "b"} {
			p := pod(name, nil, nil)
			if name == "b" {
				p.Spec.ActiveDeadlineSeconds = new(int64(60))
			}
			require.NoError(l.T, l.create(p))
		}
		l.scoped(corev1.ResourceQuotaSpec{Scopes: []corev1.ResourceQuotaScope{"Terminating"}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		quota, err := l.store.Get(l.T.Context(), corev1.SchemeGroupVersion.WithKind("ResourceQuota"),
			controlloop.Key{Namespace: "default", Name: "scoped"})
		require.NoError(l.T, err)
		used := quota.(*corev1.ResourceQuota).Status.Used["pods"]
		assert.Equal(l.T, "1", used.String())
	})
}
