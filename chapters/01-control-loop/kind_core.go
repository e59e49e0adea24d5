package controlloop

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
)

// CoreKinds returns the kinds of this chapter, all of the group core/v1. A
// later chapter says CoreKinds().With(its own...).
func CoreKinds() Kinds {
	v1 := corev1.SchemeGroupVersion
	return Kinds{}.With(
		Kind{
			GroupVersionKind: PodKind,
			Resource:         "pods",
			Namespaced:       true,
			HasStatus:        true,
			HasGeneration:    true,
			New:              func() Object { return &corev1.Pod{} },
			Rules: Rules{
				Default: defaultPod, ValidateUpdate: validatePodUpdate,
				Fields: podFields,
				Topic:  Topic{"spec.nodeName", nodeNameOf},
			},
			Ending: Ending{Grace: podGrace},
		},
		Kind{
			GroupVersionKind: RCKind,
			Resource:         "replicationcontrollers",
			Namespaced:       true,
			HasStatus:        true,
			HasGeneration:    true,
			New: func() Object {
				return &corev1.ReplicationController{}
			},
			Rules: Rules{
				Default:  defaultReplicationController,
				Validate: validateReplicationController,
			},
		},
		Kind{
			GroupVersionKind: v1.WithKind("ConfigMap"),
			Resource:         "configmaps",
			Namespaced:       true,
			New:              func() Object { return &corev1.ConfigMap{} },
		},
		Kind{
			GroupVersionKind: v1.WithKind("Namespace"),
			Resource:         "namespaces",
			HasStatus:        true,
			New:              func() Object { return &corev1.Namespace{} },
			Rules: Rules{
				Name: validation.NameIsDNSLabel, Default: defaultNamespace,
			},
			Ending: Ending{Holds: hasContents, Begin: terminateNamespace},
		},
		Kind{
			GroupVersionKind: NodeKind,
			Resource:         "nodes",
			HasStatus:        true,
			KeepsStatus:      true, // a Node registers itself, state and all
			New:              func() Object { return &corev1.Node{} },
			Rules:            Rules{Default: defaultNode},
		},
	)
}
