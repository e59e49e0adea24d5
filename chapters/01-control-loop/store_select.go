package controlloop

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selects reports whether obj is among those of its kind that opts ask for.
func (k Kind) selects(opts ListOptions, obj Object) bool {
	if obj == nil {
		return false
	}
	if opts.Namespace != "" && opts.Namespace != obj.GetNamespace() {
		return false
	}
	if opts.Labels != nil && !opts.Labels.Matches(labels.Set(obj.GetLabels())) {
		return false
	}
	return opts.Fields == nil || opts.Fields.Matches(k.fieldsOf(obj))
}

// fieldsOf returns the fields that a field selector can name, which in
// Kubernetes too are few and differ by kind.
func (k Kind) fieldsOf(obj Object) fields.Set {
	set := fields.Set{}
	if k.Fields != nil {
		set = k.Fields(obj)
	}
	set["metadata.name"] = obj.GetName()
	set["metadata.namespace"] = obj.GetNamespace()
	return set
}

// Selection says which objects ListOptions ask for, as a value that can be
// compared: selectors cannot be, but their texts can.
type Selection struct{ namespace, labels, fields string }

// Selection returns what opts select, whatever their ResourceVersion.
func (opts ListOptions) Selection() Selection {
	s := Selection{namespace: opts.Namespace}
	if opts.Labels != nil {
		s.labels = opts.Labels.String()
	}
	if opts.Fields != nil {
		s.fields = opts.Fields.String()
	}
	return s
}
