package stories

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// external is a provisioner that the controllers do not know.
const external = "disks.example.com"

// volumeStories are chapter 5's stories of claims and volumes, by name.
var volumeStories = merged(
	bindStories, provisionStories, releaseStories, tamperStories)

func merged[S any](all ...map[string]S) map[string]S {
	stories := map[string]S{}
	for _, some := range all {
		maps.Copy(stories, some)
	}
	return stories
}

// bindStories are about which claim gets which volume.
var bindStories = map[string]func(p *play){
	"smallest-that-fits": func(p *play) {
		p.say("three volumes, of 10, 2 and 5")
		p.create(disk("ten", "10Gi"))
		p.create(disk("two", "2Gi"))
		p.create(disk("five", "5Gi"))
		p.say("a claim of 3")
		p.create(asks("db", "3Gi"))
		p.say("another of 3")
		p.create(asks("web", "3Gi"))
		p.say("a third: the volume of 2 is too small")
		p.create(asks("log", "3Gi"))
		p.say("one of 4 comes")
		p.create(disk("four", "4Gi"))
	},
	"claim-first": func(p *play) {
		p.say("a claim, and no volume")
		p.create(asks("db", "1Gi"))
		p.say("a volume comes")
		p.create(disk("one", "1Gi"))
	},
	"modes": func(p *play) {
		p.say("a small volume for many, and a large one for one node")
		p.create(disk("many", "1Gi", modes(corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany)))
		p.create(disk("one", "5Gi"))
		p.create(disk("pod", "1Gi", modes(corev1.ReadWriteOncePod)))
		p.say("a claim for one node gets what can no more than that, though it is larger")
		p.create(asks("db", "1Gi"))
		p.say("a claim of many that read")
		p.create(asks("pages", "1Gi", wants(corev1.ReadOnlyMany)))
		p.say("one of many that write")
		p.create(asks("inbox", "1Gi", wants(corev1.ReadWriteMany)))
		p.say("one of a single Pod")
		p.create(asks("lock", "1Gi", wants(corev1.ReadWriteOncePod)))
		p.say("one that asks for two things at once")
		p.create(disk("both", "1Gi", modes(corev1.ReadWriteOnce, corev1.ReadOnlyMany)))
		p.create(asks("two", "1Gi", wants(corev1.ReadWriteOnce, corev1.ReadOnlyMany)))
	},
	"classes": func(p *play) {
		p.say("two volumes, one of a class that nobody has described")
		p.create(disk("fast", "1Gi", inClass("fast")))
		p.create(disk("plain", "1Gi"))
		p.say("a claim of that class, one of none, one of another")
		p.create(asks("db", "1Gi", ofClass("fast")))
		p.create(asks("web", "1Gi"))
		p.create(asks("log", "1Gi", ofClass("slow")))
		p.say("a claim that does not say")
		p.create(asks("any", "1Gi", ofAnyClass))
		p.say("another volume of none")
		p.create(disk("more", "1Gi"))
	},
	"selector": func(p *play) {
		p.say("two volumes, and a claim that selects the larger")
		p.create(disk("slow", "1Gi", labelled(map[string]string{"speed": "slow"})))
		p.create(disk("fast", "5Gi", labelled(map[string]string{"speed": "fast"})))
		p.create(asks("db", "1Gi", selecting(map[string]string{"speed": "fast"})))
		p.say("nobody has what the next one selects")
		p.create(asks("web", "1Gi", selecting(map[string]string{"speed": "faster"})))
	},
	"volume-mode": func(p *play) {
		p.say("a raw volume, and a claim for a file system")
		p.create(disk("raw", "1Gi", raw))
		p.create(asks("db", "1Gi"))
		p.say("a claim for a raw one")
		p.create(asks("log", "1Gi", wantsRaw))
		p.say("a raw volume that is kept for the first claim")
		p.create(disk("kept", "1Gi", raw, keptFor("db")))
	},
	"kept-for-a-claim": func(p *play) {
		p.say("a volume that is kept for db, and another's claim")
		p.create(disk("kept", "5Gi", keptFor("db")))
		p.create(asks("web", "1Gi"))
		p.say("a smaller volume, which web gets")
		p.create(disk("small", "1Gi"))
		p.say("db comes")
		p.create(asks("db", "1Gi"))
		p.say("one that is kept, and too small")
		p.create(disk("tiny", "1Gi", keptFor("log")))
		p.create(asks("log", "2Gi"))
	},
	"claim-names-a-volume": func(p *play) {
		p.say("a claim that names a volume that is not there")
		p.create(asks("db", "1Gi", from("mine")))
		p.say("another volume comes, and then this one")
		p.create(disk("other", "1Gi"))
		p.create(disk("mine", "5Gi"))
		p.say("another claim names it too")
		p.create(asks("web", "1Gi", from("mine")))
		p.say("one that names a volume that is too small")
		p.create(asks("big", "10Gi", from("other")))
		p.say("one that names a volume of another class")
		p.create(disk("fast", "1Gi", inClass("fast")))
		p.create(asks("plain", "1Gi", from("fast")))
	},
	"both-name-each-other": func(p *play) {
		p.say("a volume and a claim that name each other")
		p.create(disk("mine", "1Gi", keptFor("db")))
		p.create(asks("db", "1Gi", from("mine")))
	},
}

// provisionStories are about claims for which there is no volume yet.
var provisionStories = map[string]func(p *play){
	"no-such-class": func(p *play) {
		p.say("a claim of a class that is not there")
		p.create(asks("db", "1Gi", ofClass("fast")))
		p.say("a class that nobody provisions for")
		p.create(class("fast", "kubernetes.io/no-provisioner", storagev1.VolumeBindingImmediate))
	},
	"default-class": func(p *play) {
		p.say("a claim that does not say of which class")
		p.create(asks("db", "1Gi", ofAnyClass))
		p.say("a class that is the default")
		disks := class("disks", external, storagev1.VolumeBindingImmediate)
		disks.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
		p.create(disks)
		p.say("a claim of no class")
		p.create(asks("none", "1Gi"))
	},
}

// releaseStories are about the end of a claim and its volume.
var releaseStories = map[string]func(p *play){
	"retain": func(p *play) {
		p.say("db has a volume that is kept")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
		p.say("another of its name does not get the volume")
		p.create(asks("db", "1Gi"))
		p.say("a user takes the claim off the volume")
		edit(p, volumeKind, "one", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil })
	},
	"retain-kept-for": func(p *play) {
		p.say("a volume that its author has kept for db")
		p.create(disk("one", "1Gi", keptFor("db")))
		p.create(asks("db", "1Gi"))
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
	},
	"delete-nfs": func(p *play) {
		p.say("a volume that goes with its claim, and that nobody can delete")
		p.create(disk("one", "1Gi", thenDeleted))
		p.create(asks("db", "1Gi"))
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
	},
	"delete-host-path": func(p *play) {
		p.say("a folder of the node that goes with its claim")
		p.create(disk("one", "1Gi", thenDeleted, onNode("/data/one")))
		p.create(asks("db", "1Gi"))
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
	},
	"claim-of-a-pod-that-ended": func(p *play) {
		p.say("db has a volume, and a Pod uses it")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.create(reader("db-0", "db"))
		p.runs("db-0", corev1.PodRunning, true)
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
		p.say("the Pod comes to its end, and stays")
		p.runs("db-0", corev1.PodSucceeded, false)
	},
	"claim-of-a-pod-without-a-node": func(p *play) {
		p.say("a claim, and a Pod that has no node yet")
		p.create(asks("db", "1Gi"))
		p.create(reader("db-0", "db"))
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
	},
	"volume-deleted-while-bound": func(p *play) {
		p.say("db has a volume")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.say("the volume is deleted")
		p.remove(volumeKind, "one")
		p.say("the claim is deleted")
		p.remove(claimKind, "db")
	},
	"lost": func(p *play) {
		p.say("db has a volume")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.say("a user takes the protection off the volume, and deletes it")
		p.remove(volumeKind, "one")
		edit(p, volumeKind, "one", unprotected[*corev1.PersistentVolume])
		p.say("it is made again")
		p.create(disk("one", "1Gi"))
	},
	"volume-given-away": func(p *play) {
		p.say("db has a volume")
		p.create(disk("one", "1Gi"))
		p.create(asks("db", "1Gi"))
		p.say("a user writes another's name on the volume")
		edit(p, volumeKind, "one", keptFor("web"))
	},
	"protection": func(p *play) {
		p.unordered = true // two controllers write on the volume
		p.say("a volume and a claim that nothing protects")
		one := disk("one", "1Gi", inClass("fast"))
		unprotected(one)
		p.create(one)
		db := asks("db", "1Gi", from("none"))
		unprotected(db)
		p.create(db)
		p.say("both are deleted")
		p.remove(volumeKind, "one")
		p.remove(claimKind, "db")
	},
}
