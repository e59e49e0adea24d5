package storage

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// These kinds are mounted by a Pod, or say what is mounted.
var (
	configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	secretKind    = corev1.SchemeGroupVersion.WithKind("Secret")

	inUse = []schema.GroupVersionKind{
		configMapKind, secretKind, ClaimKind, VolumeKind,
	}
)

// byUse is the name of the index by what Pods use. It finds Pods that wait for
// an object, and Pods that have mounted it, alike.
const byUse = "use"

// uses returns everything that may come or change and that a Pod uses: itself,
// too, if its labels are to be read in a file.
func uses(obj controlloop.Object) (all []string) {
	pod := obj.(*corev1.Pod)
	use := func(kind schema.GroupVersionKind, name string) {
		all = append(all, useOf(kind, pod.Namespace, name))
	}
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if claim := claimOf(pod, v); claim != "" {
			use(ClaimKind, claim)
		}
		files, _ := filesOf(v)
		for _, source := range files {
			switch {
			case source.ConfigMap != nil:
				use(configMapKind, source.ConfigMap.Name)
			case source.Secret != nil:
				use(secretKind, source.Secret.Name)
			case source.DownwardAPI != nil:
				use(controlloop.PodKind, pod.Name)
			}
		}
	}
	return all
}

func useOf(kind schema.GroupVersionKind, namespace, name string) string {
	return kind.Kind + " " + namespace + "/" + name
}

// usersOf returns a function that finds the Pods of this node that use an
// object. They use a volume through the claim that it is bound to.
func (m *Mounts) usersOf(
	kind schema.GroupVersionKind,
) func(controlloop.Object) []controlloop.Key {
	return func(obj controlloop.Object) (keys []controlloop.Key) {
		use := useOf(kind, obj.GetNamespace(), obj.GetName())
		if volume, ok := obj.(*corev1.PersistentVolume); ok {
			ref := volume.Spec.ClaimRef
			if ref == nil {
				return nil
			}
			use = useOf(ClaimKind, ref.Namespace, ref.Name)
		}
		for _, pod := range m.pods.Lookup(byUse, use) {
			keys = append(keys, controlloop.KeyOf(pod))
		}
		return keys
	}
}

// leftovers is the key of the folders of Pods that went while there was no
// kubelet.
var leftovers = controlloop.Key{}

// Reconcile implements controlloop.Reconciler: an object that a Pod uses has
// changed. A Pod that waits is tried again.
func (m *Mounts) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if key == leftovers {
		return controlloop.Result{}, m.clearUp(ctx)
	}
	obj, ok := m.pods.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	if m.again.Failures(pod.UID) > 0 {
		m.tell(key)
		return controlloop.Result{}, nil
	}
	return controlloop.Result{}, m.update(ctx, pod)
}

// update writes anew the volumes of a Pod that read differently now. Those
// whose sources cannot be read any more stay as they were.
func (m *Mounts) update(ctx context.Context, pod *corev1.Pod) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		files, _ := filesOf(v)
		_, absent := os.Stat(filepath.Join(m.root, m.ofPod(pod.UID), v.Name))
		if files == nil || absent != nil {
			continue
		}
		_, failure := m.written(ctx, pod, v)
		err = errors.Join(err, failure)
	}
	return err
}

// clearUp removes the folders of Pods that no longer exist, and of which nothing
// runs.
func (m *Mounts) clearUp(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	left, err := names(filepath.Join(m.root, m.ofPod("")))
	there := m.kept.Clone()
	for _, pod := range m.pods.List() {
		there.Insert(pod.GetUID())
	}
	isGone := func(pod types.UID) bool { return !there.Has(pod) }
	for _, uid := range left {
		if isGone(types.UID(uid)) {
			err = errors.Join(err, remove(m.root, m.ofPod(""), uid))
		}
	}
	if m.devices != nil {
		err = errors.Join(err, m.devices.unpublish(ctx, isGone))
	}
	return err
}
