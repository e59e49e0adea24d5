package controlloop

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selects reports whether obj is among those that opts ask for.
func (opts ListOptions) selects(obj Object) bool {
	if obj == nil {
		return false
	}
	if opts.Namespace != "" && opts.Namespace != obj.GetNamespace() {
		return false
	}
	if opts.Labels != nil && !opts.Labels.Matches(labels.Set(obj.GetLabels())) {
		return false
	}
	return opts.Fields == nil || opts.Fields.Matches(fieldsOf(obj))
}

// fieldsOf are the fields that a field selector can name, which in Kubernetes
// too are few and differ by kind (pkg/registry/core/pod/strategy.go).
func fieldsOf(obj Object) fields.Set {
	set := fields.Set{
		"metadata.name":      obj.GetName(),
		"metadata.namespace": obj.GetNamespace(),
	}
	if pod, ok := obj.(*corev1.Pod); ok {
		set["spec.nodeName"] = pod.Spec.NodeName
		set["spec.restartPolicy"] = string(pod.Spec.RestartPolicy)
		set["status.phase"] = string(pod.Status.Phase)
	}
	return set
}

// String tells one selection from another.
func (opts ListOptions) String() string {
	text := "namespace " + opts.Namespace
	if opts.Labels != nil {
		text += ", labels " + opts.Labels.String()
	}
	if opts.Fields != nil {
		text += ", fields " + opts.Fields.String()
	}
	return text
}
