package storage

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Binder brings together claims, which say what is needed, and volumes, which
// say what is on offer. It looks at both kinds: the key of a claim has a
// namespace, that of a volume has none.
type Binder struct {
	Client                controlloop.Client
	Claims, Classes, Pods *controlloop.Indexer
	Recorder              controlloop.Recorder

	supply  *supply
	waiting map[controlloop.Key]bool // the claims for which no volume was found
}

// NewBinder returns the controller that binds the claims of a system to its
// volumes. It has one worker: a volume that it gives to one claim it does not
// give to the next.
func NewBinder(s *controlloop.System) *controlloop.Controller {
	claims, volumes, classes := claimsOf(s), volumesOf(s), classesOf(s)
	b := &Binder{
		Client: s.Client, Claims: claims.Cache, Classes: classes.Cache,
		Pods: podsOf(s).Cache, supply: newSupply(s), waiting: map[controlloop.Key]bool{},
		Recorder: s.RecorderFor("persistentvolume-controller", ""),
	}
	c := controlloop.NewController("persistentvolume-binder", b)
	s.Add(c)
	c.Watch(claims, b.besideClaim)
	c.Watch(volumes, b.besideVolume)
	c.Watch(classes, b.besideClass)
	return c
}

// besideClaim returns the keys that an event of a claim concerns: its own, that
// of the volume it names, and those of volumes that name it.
func (b *Binder) besideClaim(obj controlloop.Object) []controlloop.Key {
	keys := controlloop.Self(obj)
	if name := obj.(*corev1.PersistentVolumeClaim).Spec.VolumeName; name != "" {
		keys = append(keys, controlloop.Key{Name: name})
	}
	for _, v := range b.supply.volumes.Lookup(byClaim, keys[0].String()) {
		keys = append(keys, controlloop.KeyOf(v))
	}
	return keys
}

// besideVolume does the same for a volume.
func (b *Binder) besideVolume(obj controlloop.Object) []controlloop.Key {
	keys := controlloop.Self(obj)
	if ref := obj.(*corev1.PersistentVolume).Spec.ClaimRef; ref != nil {
		keys = append(keys, keyOfRef(ref))
	}
	for _, claim := range b.Claims.Lookup(byVolume, obj.GetName()) {
		keys = append(keys, controlloop.KeyOf(claim))
	}
	return keys
}

// besideClass returns the claims that wait for a class, or for any.
func (b *Binder) besideClass(obj controlloop.Object) (keys []controlloop.Key) {
	for _, class := range []string{obj.GetName(), ""} {
		for _, claim := range b.Claims.Lookup(byClass, class) {
			keys = append(keys, controlloop.KeyOf(claim))
		}
	}
	return keys
}

// Reconcile implements controlloop.Reconciler.
func (b *Binder) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if key.Namespace == "" {
		if volume := b.supply.named(key.Name); volume != nil {
			return controlloop.Result{}, b.syncVolume(ctx, volume)
		}
		return controlloop.Result{}, nil
	}
	claim, ok := get[*corev1.PersistentVolumeClaim](b.Claims, key)
	if !ok {
		delete(b.waiting, key)
		return controlloop.Result{}, nil
	}
	return controlloop.Result{}, b.syncClaim(ctx, claim)
}
