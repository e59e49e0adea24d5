package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// filesOf returns the sources of a volume's files, and the mode of those that
// have none of their own; nil if a kubelet does not write them. A volume of one
// source counts as one that is projected from it alone.
func filesOf(v *corev1.Volume) (from []corev1.VolumeProjection, mode *int32) {
	var only corev1.VolumeProjection
	switch p, c, s, d := v.Projected, v.ConfigMap, v.Secret, v.DownwardAPI; {
	case p != nil:
		return append([]corev1.VolumeProjection{}, p.Sources...), p.DefaultMode
	case c != nil:
		mode = c.DefaultMode
		only.ConfigMap = &corev1.ConfigMapProjection{
			LocalObjectReference: c.LocalObjectReference,
			Items:                c.Items, Optional: c.Optional,
		}
	case s != nil:
		mode = s.DefaultMode
		only.Secret = &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.SecretName},
			Items:                s.Items, Optional: s.Optional,
		}
	case d != nil:
		mode = d.DefaultMode
		only.DownwardAPI = &corev1.DownwardAPIProjection{Items: d.Items}
	default:
		return nil, nil
	}
	return []corev1.VolumeProjection{only}, mode
}

// written writes the files of a volume, and mounts them for reading.
func (m *Mounts) written(
	ctx context.Context, pod *corev1.Pod, v *corev1.Volume,
) (mount kubelet.Mount, err error) {
	from, mode := filesOf(v)
	p := projection{ctx, m, pod, mode, map[string]file{}}
	for _, source := range from {
		if err := p.add(source); err != nil {
			return mount, err
		}
	}
	if mount, err = folder(m.root, m.ofPod(pod.UID), v.Name); err != nil {
		return mount, err
	}
	mount.ReadOnly = true
	folder, err := os.OpenRoot(mount.Source)
	if err != nil {
		return mount, err
	}
	defer folder.Close()
	return mount, write(folder, p.files)
}

// projection gathers the files of a volume, by path.
type projection struct {
	ctx   context.Context
	m     *Mounts
	pod   *corev1.Pod
	mode  *int32 // for a file that has none of its own
	files map[string]file
}

// file holds the contents of a file that is to be written.
type file struct {
	data string
	mode fs.FileMode
}

func (p *projection) add(source corev1.VolumeProjection) error {
	switch s := source; {
	case s.ConfigMap != nil:
		return p.pick(configMapKind, s.ConfigMap.Name,
			s.ConfigMap.Items, s.ConfigMap.Optional)
	case s.Secret != nil:
		return p.pick(secretKind, s.Secret.Name,
			s.Secret.Items, s.Secret.Optional)
	case s.DownwardAPI != nil:
		return p.describe(s.DownwardAPI.Items)
	case s.ServiceAccountToken != nil:
		// It says to which account it belongs, as no real one does, and opens
		// no door.
		p.put(s.ServiceAccountToken.Path, fmt.Sprintf("system:serviceaccount:%s:%s",
			p.pod.Namespace, p.pod.Spec.ServiceAccountName), nil)
		return nil
	}
	return errors.New("no volume plugin matched one of its sources")
}

// put adds a file.
func (p *projection) put(path, data string, own *int32) {
	mode := corev1.ConfigMapVolumeSourceDefaultMode
	if own == nil {
		own = p.mode
	}
	if own != nil {
		mode = *own
	}
	p.files[path] = file{data, fs.FileMode(mode).Perm()}
}

// noKey says that a key is missing, in Kubernetes' words for the kind.
var noKey = map[schema.GroupVersionKind]string{
	configMapKind: "configmap references non-existent config key: %s",
	secretKind:    "references non-existent secret key: %s",
}

// pick adds all keys of an object or, if there are items, those.
func (p *projection) pick(
	kind schema.GroupVersionKind, name string, items []corev1.KeyToPath,
	mayLack *bool,
) error {
	optional := mayLack != nil && *mayLack
	data, err := p.read(kind, name)
	if err != nil && !(optional && apierrors.IsNotFound(err)) {
		return err
	}
	if len(items) == 0 {
		for key, value := range data {
			p.put(key, value, nil)
		}
	}
	for _, item := range items {
		value, there := data[item.Key]
		if there {
			p.put(item.Path, value, item.Mode)
		} else if !optional {
			return fmt.Errorf(noKey[kind], item.Key)
		}
	}
	return nil
}

// read returns the data of a ConfigMap or a Secret.
func (p *projection) read(
	kind schema.GroupVersionKind, name string,
) (map[string]string, error) {
	obj, err := p.m.client.Get(p.ctx, kind,
		controlloop.Key{Namespace: p.pod.Namespace, Name: name})
	if apierrors.IsNotFound(err) { // for which a kubelet has its own words
		kind := corev1.Resource(strings.ToLower(kind.Kind))
		return nil, apierrors.NewNotFound(kind, name)
	}
	if err != nil {
		return nil, err
	}
	data, bytes := map[string]string{}, map[string][]byte{}
	switch obj := obj.(type) {
	case *corev1.ConfigMap:
		maps.Copy(data, obj.Data)
		bytes = obj.BinaryData
	case *corev1.Secret:
		bytes = obj.Data
	}
	for key, value := range bytes {
		data[key] = string(value)
	}
	return data, nil
}
