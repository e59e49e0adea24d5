package variables

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

var (
	configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	secrets    = corev1.SchemeGroupVersion.WithKind("Secret")
)

// one returns one key of an object, and whether it is there. It must be, unless
// it is optional.
func (r resolver) one(
	kind schema.GroupVersionKind, name, key string, optional *bool,
) (value string, there bool, err error) {
	data, err := r.read(kind, name, optional)
	if err != nil {
		return "", false, err
	}
	value, there = data[key]
	if !there && !isTrue(optional) {
		return "", false, fmt.Errorf("couldn't find key %s in %s %s/%s",
			key, kind.Kind, r.pod.Namespace, name)
	}
	return value, there, nil
}

// all sets variables from all keys of an object.
func (r resolver) all(from corev1.EnvFromSource) error {
	var data map[string]string
	var err error
	switch {
	case from.ConfigMapRef != nil:
		data, err = r.read(configMaps, from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
	case from.SecretRef != nil:
		data, err = r.read(secrets, from.SecretRef.Name, from.SecretRef.Optional)
	}
	for key, value := range data {
		r.known[from.Prefix+key] = value
	}
	return err
}

// read returns what is in a ConfigMap or a Secret.
func (r resolver) read(
	kind schema.GroupVersionKind, name string, optional *bool,
) (map[string]string, error) {
	obj, err := r.client.Get(
		r.ctx, kind, controlloop.Key{Namespace: r.pod.Namespace, Name: name})
	if apierrors.IsNotFound(err) && isTrue(optional) {
		return nil, nil
	}
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("%s %q not found", strings.ToLower(kind.Kind), name)
	}
	if err != nil {
		return nil, err
	}
	data := map[string]string{}
	switch obj := obj.(type) {
	case *corev1.ConfigMap:
		return obj.Data, nil
	case *corev1.Secret:
		for key, value := range obj.Data {
			data[key] = string(value)
		}
	}
	return data, nil
}

func isTrue(b *bool) bool { return b != nil && *b }
