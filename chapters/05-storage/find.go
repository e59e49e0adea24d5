package storage

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are the indices that this chapter adds: the Pods and volumes that name a
// claim, the claims that name a volume, and those that wait for a class.
const (
	byClaim  = "claim"
	byVolume = "volume"
	byClass  = "class"
)

// claimsOf, volumesOf and podsOf return the informers of a system, with this
// chapter's indices.
func claimsOf(s *controlloop.System) *controlloop.Informer {
	claims := s.Informer(ClaimKind, controlloop.ListOptions{})
	claims.Cache.AddIndex(byVolume, func(obj controlloop.Object) []string {
		name := obj.(*corev1.PersistentVolumeClaim).Spec.VolumeName
		if name == "" {
			return nil
		}
		return []string{name}
	})
	claims.Cache.AddIndex(byClass, func(obj controlloop.Object) []string {
		claim := obj.(*corev1.PersistentVolumeClaim)
		if claim.Spec.VolumeName != "" {
			return nil
		}
		return []string{classOf(claim)}
	})
	return claims
}

func volumesOf(s *controlloop.System) *controlloop.Informer {
	volumes := s.Informer(VolumeKind, controlloop.ListOptions{})
	volumes.Cache.AddIndex(byClaim, func(obj controlloop.Object) []string {
		ref := obj.(*corev1.PersistentVolume).Spec.ClaimRef
		if ref == nil {
			return nil
		}
		return []string{keyOfRef(ref).String()}
	})
	return volumes
}

func podsOf(s *controlloop.System) *controlloop.Informer {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	pods.Cache.AddIndex(byClaim, func(obj controlloop.Object) []string {
		var keys []string
		for _, key := range claimsOfPod(obj) {
			keys = append(keys, key.String())
		}
		return keys
	})
	return pods
}

func classesOf(s *controlloop.System) *controlloop.Informer {
	return s.Informer(ClassKind, controlloop.ListOptions{})
}

// claimsOfPod returns the keys of the claims that a Pod mounts.
func claimsOfPod(obj controlloop.Object) (keys []controlloop.Key) {
	pod := obj.(*corev1.Pod)
	for i := range pod.Spec.Volumes {
		if name := claimOf(pod, &pod.Spec.Volumes[i]); name != "" {
			keys = append(keys, controlloop.Key{
				Namespace: pod.Namespace, Name: name,
			})
		}
	}
	return keys
}

// get returns an object of a cache by its Go type.
func get[T controlloop.Object](
	cache *controlloop.Indexer, key controlloop.Key,
) (T, bool) {
	obj, ok := cache.Get(key)
	if !ok {
		var none T
		return none, false
	}
	return obj.(T), true
}

func keyOfRef(ref *corev1.ObjectReference) controlloop.Key {
	return controlloop.Key{Namespace: ref.Namespace, Name: ref.Name}
}

// refTo points to a claim, and to no other that will ever have its name.
func refTo(claim *corev1.PersistentVolumeClaim) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		Kind: ClaimKind.Kind, APIVersion: ClaimKind.GroupVersion().String(),
		Namespace: claim.Namespace, Name: claim.Name,
		UID: claim.UID, ResourceVersion: claim.ResourceVersion,
	}
}

// has reports whether an object has an annotation of that name.
func has(obj controlloop.Object, annotation string) bool {
	_, ok := obj.GetAnnotations()[annotation]
	return ok
}

// annotate puts an annotation on a copy of an object.
func annotate(obj controlloop.Object, annotation, value string) {
	all := maps.Clone(obj.GetAnnotations())
	if all == nil {
		all = map[string]string{}
	}
	all[annotation] = value
	obj.SetAnnotations(all)
}
