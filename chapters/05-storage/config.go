package storage

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// sourcesOf are the sources that the files of a volume are written from; nil: it
// has none such. A volume of one source is one that is projected from it alone.
func sourcesOf(v *corev1.Volume) []corev1.VolumeProjection {
	var only corev1.VolumeProjection
	switch {
	case v.Projected != nil:
		return append([]corev1.VolumeProjection{}, v.Projected.Sources...)
	case v.ConfigMap != nil:
		only.ConfigMap = &corev1.ConfigMapProjection{
			LocalObjectReference: v.ConfigMap.LocalObjectReference,
			Items:                v.ConfigMap.Items, Optional: v.ConfigMap.Optional,
		}
	case v.Secret != nil:
		only.Secret = &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{
				Name: v.Secret.SecretName},
			Items: v.Secret.Items, Optional: v.Secret.Optional,
		}
	case v.DownwardAPI != nil:
		only.DownwardAPI = &corev1.DownwardAPIProjection{
			Items: v.DownwardAPI.Items}
	default:
		return nil
	}
	return []corev1.VolumeProjection{only}
}

// defaultMode is the mode of the files of a volume of which none is said.
func defaultMode(v *corev1.Volume) *int32 {
	var mode *int32
	switch {
	case v.Projected != nil:
		mode = v.Projected.DefaultMode
	case v.ConfigMap != nil:
		mode = v.ConfigMap.DefaultMode
	case v.Secret != nil:
		mode = v.Secret.DefaultMode
	case v.DownwardAPI != nil:
		mode = v.DownwardAPI.DefaultMode
	}
	if mode == nil {
		return new(corev1.ConfigMapVolumeSourceDefaultMode)
	}
	return mode
}

// config writes the files of a volume, and mounts them for reading.
func (m *Mounts) config(
	ctx context.Context, pod *corev1.Pod, v *corev1.Volume,
	sources []corev1.VolumeProjection,
) (controlloop.Mount, error) {
	p := projection{ctx, m, pod, defaultMode(v), map[string]file{}}
	for _, source := range sources {
		if err := p.add(source); err != nil {
			return controlloop.Mount{}, err
		}
	}
	mount, err := m.folder(m.ofPod(pod.UID, v.Name))
	if err != nil {
		return mount, err
	}
	folder, err := os.OpenRoot(mount.Source)
	if err != nil {
		return mount, err
	}
	defer folder.Close()
	mount.ReadOnly = true
	return mount, write(folder, p.files)
}

// file is one that is to be written.
type file struct {
	data string
	mode fs.FileMode
}

// projection gathers the files of a volume, by path.
type projection struct {
	ctx   context.Context
	m     *Mounts
	pod   *corev1.Pod
	mode  *int32 // where a file has none of its own
	files map[string]file
}

func (p *projection) add(source corev1.VolumeProjection) error {
	switch {
	case source.ConfigMap != nil:
		from := source.ConfigMap
		data, err := p.read(configMapKind, from.Name, from.Optional)
		if err != nil {
			return err
		}
		return p.pick(data, from.Items, from.Optional,
			"configmap references non-existent config key: %s")
	case source.Secret != nil:
		from := source.Secret
		data, err := p.read(secretKind, from.Name, from.Optional)
		if err != nil {
			return err
		}
		return p.pick(data, from.Items, from.Optional,
			"references non-existent secret key: %s")
	case source.DownwardAPI != nil:
		return p.describe(source.DownwardAPI.Items)
	case source.ServiceAccountToken != nil:
		return p.token(source.ServiceAccountToken)
	}
	return fmt.Errorf("a source of projected volumes that is not served here")
}

// put adds a file.
func (p *projection) put(path, data string, mode *int32) {
	if mode == nil {
		mode = p.mode
	}
	p.files[path] = file{data, fs.FileMode(*mode).Perm()}
}

// pick adds all that there is or, if there are items, those.
func (p *projection) pick(
	data map[string]string, items []corev1.KeyToPath, optional *bool,
	missing string,
) error {
	if len(items) == 0 {
		for key, value := range data {
			p.put(key, value, nil)
		}
	}
	for _, item := range items {
		value, there := data[item.Key]
		switch {
		case there:
			p.put(item.Path, value, item.Mode)
		case !isTrue(optional):
			return fmt.Errorf(missing, item.Key)
		}
	}
	return nil
}

// read returns what is in a ConfigMap or a Secret. One that is optional and not
// there is empty.
func (p *projection) read(
	kind schema.GroupVersionKind, name string, optional *bool,
) (map[string]string, error) {
	key := controlloop.Key{Namespace: p.pod.Namespace, Name: name}
	obj, err := p.m.client.Get(p.ctx, kind, key)
	if apierrors.IsNotFound(err) {
		if isTrue(optional) {
			return nil, nil
		}
		// A kubelet knows the kind by its name, not by that of its resource.
		kind := corev1.Resource(strings.ToLower(kind.Kind))
		return nil, apierrors.NewNotFound(kind, name)
	}
	if err != nil {
		return nil, err
	}
	data := map[string]string{}
	bytes := map[string][]byte{}
	switch obj := obj.(type) {
	case *corev1.ConfigMap:
		for key, value := range obj.Data {
			data[key] = value
		}
		bytes = obj.BinaryData
	case *corev1.Secret:
		bytes = obj.Data
	}
	for key, value := range bytes {
		data[key] = string(value)
	}
	return data, nil
}

func isTrue(b *bool) bool { return b != nil && *b }
