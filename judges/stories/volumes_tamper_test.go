package stories

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
)

// bySomeone makes a reservation as the controller writes one, for a claim of
// this uid.
func bySomeone(claim string, uid types.UID) volumeOption {
	return func(v *corev1.PersistentVolume) {
		keptFor(claim)(v)
		v.Spec.ClaimRef.UID = uid
		v.Annotations = map[string]string{"pv.kubernetes.io/bound-by-controller": "yes"}
	}
}

// tamperStories are about pointers that do not fit, because a controller has
// died between two writes, or a user has been quicker, or knows better.
var tamperStories = map[string]func(p *play){
	"volume-forgets-its-claim": func(p *play) {
		p.say("db has a volume")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.say("a user takes the claim off the volume")
		edit(p, volumeKind, "one", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil })
	},
	"kept-for-a-claim-that-is-gone": func(p *play) {
		p.say("a volume that was kept for a claim that is gone, and one like it that goes with its claim")
		p.create(disk("one", "1Gi", bySomeone("db", "11111111-1111-1111-1111-111111111111")))
		p.create(disk("two", "1Gi", thenDeleted, bySomeone("web", "11111111-1111-1111-1111-111111111111")))
		p.say("there is another claim of its name")
		p.create(asks("db", "1Gi"))
	},
	"reserved-and-not-told": func(p *play) {
		p.say("a claim, and a volume that is reserved for it, of which it does not know")
		p.create(asks("db", "1Gi", ofClass("fast")))
		uid := get[*corev1.PersistentVolumeClaim](p, claimKind, "db").UID
		p.create(disk("small", "1Gi", inClass("fast"), bySomeone("web", "")))
		p.create(disk("large", "5Gi", inClass("fast"), bySomeone("db", uid)))
	},
	"reserved-and-bound-elsewhere": func(p *play) {
		p.say("db has a volume")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.say("another is reserved for it, by the controller; one by its author")
		uid := get[*corev1.PersistentVolumeClaim](p, claimKind, "db").UID
		p.create(disk("two", "1Gi", bySomeone("db", uid)))
		p.create(disk("three", "1Gi", keptFor("db"), func(v *corev1.PersistentVolume) {
			v.Spec.ClaimRef.UID = uid
		}))
	},
	"provisioned-twice": func(p *play) {
		p.say("a claim, and two volumes that its provisioner has made for it")
		p.create(class("disks", external, storagev1.VolumeBindingImmediate))
		p.create(asks("db", "1Gi", ofClass("disks")))
		p.create(provided(p, "pvc-1", external, "db"))
		p.create(provided(p, "pvc-2", external, "db"))
	},
	"volume-that-leaves": func(p *play) {
		p.say("a volume that is about to go, and is held")
		p.create(disk("one", "1Gi", func(v *corev1.PersistentVolume) {
			v.Finalizers = append(v.Finalizers, "example.com/held")
		}))
		p.remove(volumeKind, "one")
		p.say("a claim, and one that names it")
		p.create(asks("db", "1Gi"))
		p.create(asks("web", "1Gi", from("one")))
	},
	"two-defaults": func(p *play) {
		p.say("two classes that are the default, the older first by name")
		for _, name := range []string{"a", "b"} {
			disks := class(name, external, storagev1.VolumeBindingImmediate)
			disks.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
			p.create(disks)
		}
		p.create(asks("db", "1Gi", ofAnyClass))
	},
	"raw-and-reserved": func(p *play) {
		p.say("a raw volume is reserved for a claim that wants a file system")
		p.create(asks("db", "1Gi"))
		uid := get[*corev1.PersistentVolumeClaim](p, claimKind, "db").UID
		p.create(disk("raw", "1Gi", raw, bySomeone("db", uid)))
	},
	"each-names-another": func(p *play) {
		p.say("one volume is kept for db, and db names another")
		p.create(disk("kept", "1Gi", keptFor("db")))
		p.create(disk("named", "1Gi"))
		p.create(asks("db", "1Gi", from("named")))
	},
	"failed-then-kept": func(p *play) {
		p.say("a volume that nobody could delete")
		p.create(disk("one", "1Gi", thenDeleted))
		p.create(asks("db", "1Gi"))
		p.remove(claimKind, "db")
		p.say("a user would rather keep it")
		edit(p, volumeKind, "one", func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		})
		p.say("and takes the claim off it")
		edit(p, volumeKind, "one", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil })
	},
	"claim-half-written": func(p *play) {
		p.say("a claim that is bound, as it says, to nothing")
		p.create(asks("db", "1Gi", func(c *corev1.PersistentVolumeClaim) {
			c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		}))
		p.say("one that is bound to a volume that never was")
		p.create(asks("web", "1Gi", from("gone"), func(c *corev1.PersistentVolumeClaim) {
			c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		}))
	},
}
