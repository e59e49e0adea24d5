package stories

// mended lists the stories in which chapter 6 does what Kubernetes does, and
// the chapters before it do not.
var mended = []string{
	"adoption", "in-full", "one-is-stuck",
}

// apart says where the book and Kubernetes part in a story, and why: "-" is
// Kubernetes', "+" the book's. A story that is not here is the same.
var apart = map[string]struct{ because, lines string }{
	"adoption": {
		"Revisions are chapter 6's. A Pod that was adopted is of none, and counts for Kubernetes neither as current nor as updated.",
		`
-status: replicas 3, ready 1, available 1, current 1, updated 1, generation 1 of 1, collisions 0
+status: replicas 3, ready 1, available 1, current 3, updated 3, generation 1 of 1, collisions 0
-status: replicas 4, ready 1, available 1, current 1, updated 1, generation 1 of 1, collisions 0
+status: replicas 4, ready 1, available 1, current 4, updated 4, generation 1 of 1, collisions 0
-status: replicas 4, ready 2, available 2, current 2, updated 2, generation 1 of 1, collisions 0
+status: replicas 4, ready 2, available 2, current 4, updated 4, generation 1 of 1, collisions 0
`,
	},
	"attach-by-the-kubelet": {
		"A kubelet that leaves the attaching of disks to the controller says so in an annotation, and where it is missing Kubernetes attaches nothing. The book's kubelets have none.",
		`
+create VolumeAttachment disk-1@node-1, of pv-db
+update PersistentVolume pv-db: metadata.finalizers[0]: none -> external-attacher/disks-example-com
+update VolumeAttachment disk-1@node-1: metadata.finalizers[0]: none -> external-attacher/disks-example-com
+status VolumeAttachment disk-1@node-1: status.attached: false -> true
+status Node node-1: status.volumesAttached[0]: none -> {devicePath= name=kubernetes.io/csi/disks.example.com^disk-1}
+  Pod db-0: Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-db" 
`,
	},
	"attach-half-bound": {
		"Kubernetes waits until the claim's phase is Bound and the volume has its uid. For the book it is enough that both name each other.",
		`
-
-> they are bound
+> they are bound
+
`,
	},
	"attach-made-by-hand": {
		"Kubernetes knows the attachments that it has made, and those that it finds when it begins. The book knows all.",
		`
+gone VolumeAttachment disk-1@node-2
-gone VolumeAttachment disk-1@node-2
`,
	},
	"attach-no-driver": {
		"When a driver has not answered within two minutes Kubernetes says so and tries again. And as it cannot know whether the disk is at a node then, that does not keep it from another. For the book each attachment does.",
		`
-  Pod db-0: Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pv-db" : timed out waiting for external-attacher of nobody.example.com CSI driver to attach volume disk-1
+  Pod db-1: Warning FailedAttachVolume: Waiting for detach for volume "pv-db" Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node
-create VolumeAttachment disk-1@node-2, of pv-db
-  Pod db-1: Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pv-db" : timed out waiting for external-attacher of nobody.example.com CSI driver to attach volume disk-1
`,
	},
	"attach-node-deleted-unused": {
		"Kubernetes remembers that a node did not use the disk when it was deleted. The book gives it the six minutes that any node has that cannot be asked.",
		`
-delete VolumeAttachment disk-1@node-1
-gone VolumeAttachment disk-1@node-1
+delete VolumeAttachment disk-1@node-1
+gone VolumeAttachment disk-1@node-1
`,
	},
	"attach-restart-without-the-node": {
		"Whether a disk is at a node that has gone meanwhile Kubernetes cannot know after a restart, and then that does not keep it from another. For the book each attachment does.",
		`
-create VolumeAttachment disk-1@node-2, of pv-db
-update VolumeAttachment disk-1@node-2: metadata.finalizers[0]: none -> external-attacher/disks-example-com
-status VolumeAttachment disk-1@node-2: status.attached: false -> true
-status Node node-2: status.volumesAttached[0]: none -> {devicePath= name=kubernetes.io/csi/disks.example.com^disk-1}
-  Pod db-1: Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-db" 
+  Pod db-1: Warning FailedAttachVolume: Waiting for detach for volume "pv-db" Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node
+create VolumeAttachment disk-1@node-2, of pv-db
+update VolumeAttachment disk-1@node-2: metadata.finalizers[0]: none -> external-attacher/disks-example-com
+status VolumeAttachment disk-1@node-2: status.attached: false -> true
+status Node node-2: status.volumesAttached[0]: none -> {devicePath= name=kubernetes.io/csi/disks.example.com^disk-1}
+  Pod db-1: Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-db" 
`,
	},
	"attach-silent-and-unbound": {
		"Kubernetes remembers what a Pod needs as long as the Pod is there, but not after a restart. The book asks the claim each time.",
		`
+status Node node-1: status.volumesAttached[0]: {devicePath= name=kubernetes.io/csi/disks.example.com^disk-1} -> none
+delete VolumeAttachment disk-1@node-1
+gone VolumeAttachment disk-1@node-1
-status Node node-1: status.volumesAttached[0]: {devicePath= name=kubernetes.io/csi/disks.example.com^disk-1} -> none
-delete VolumeAttachment disk-1@node-1
-gone VolumeAttachment disk-1@node-1
`,
	},
	"budget-and-a-pod-that-did-not-go": {
		"Of a Pod that was to be evicted, and is not, Kubernetes says after two minutes that it is not to be; in the book it bears the condition on.",
		`
-status Pod on-node-1: status.conditions[1]: {lastTransitionTime reason=EvictionByEvictionAPI status=True type=DisruptionTarget} -> {lastTransitionTime observedGeneration=1 status=False type=DisruptionTarget}
`,
	},
	"daemons-no-schedule": {
		"Kubernetes looks at a set when a node wants a Pod of it or must lose one: that one has become misscheduled is told later. The book looks when a node is another.",
		`
+status: desired 1, current 1, misscheduled 1, ready 1, updated 1, available 1, unavailable 0, generation 1 of 1, collisions none
+  1: web-5669f7dd7f web:v1, the set's: true
+  web@node-1 web:v1 Running, ready: true, the set's: true
+  web@node-2 web:v1 Running, ready: true, the set's: true
`,
	},
	"daemons-nodes-come-and-go": {
		"Kubernetes hears of no node that goes: it notices when it looks at the set for another reason. The book hears of it.",
		`
+status: desired 2, current 2, misscheduled 0, ready 2, updated 2, available 2, unavailable 0, generation 1 of 1, collisions none
+  1: web-5669f7dd7f web:v1, the set's: true
+  web@node-1 web:v1 Running, ready: true, the set's: true
+  web@node-2 web:v1 Running, ready: true, the set's: true
+  web@node-3 web:v1 Running, ready: true, the set's: true
-status: desired 4, current 4, misscheduled 0, ready 3, updated 4, available 3, unavailable 1, generation 1 of 1, collisions none
+gone Pod web@node-4
+  DaemonSet web: Normal SuccessfulDelete: Deleted pod: web@node-4
+status: desired 3, current 3, misscheduled 0, ready 3, updated 3, available 3, unavailable 0, generation 1 of 1, collisions none
-  web@node-4 web:v1 Pending, ready: false, the set's: true
-gone Pod web@node-4
-  DaemonSet web: Normal SuccessfulDelete: Deleted pod: web@node-4
`,
	},
	"daemons-orphaned": {
		"Kubernetes takes a Pod for new that bears the number of the template, and a set that comes back counts from 1 again: old Pods stay, and count as updated. The book reads the revision alone.",
		`
+delete Pod web@node-A
+  DaemonSet web: Normal SuccessfulDelete: Deleted pod: web@node-A
+(web@node-A has gone)
+create Pod web@node-A
+  DaemonSet web: Normal SuccessfulCreate: Created pod: web@node-A
+(web@node-A is ready)
+delete Pod web@node-B
+  DaemonSet web: Normal SuccessfulDelete: Deleted pod: web@node-B
+(web@node-B has gone)
+create Pod web@node-B
+  DaemonSet web: Normal SuccessfulCreate: Created pod: web@node-B
+(web@node-B is ready)
-  web@node-A web:v2 Running, ready: true, the set's: true
-  web@node-B web:v2 Running, ready: true, the set's: true
+  web@node-A web:v1 Running, ready: true, the set's: true
+  web@node-B web:v1 Running, ready: true, the set's: true
`,
	},
	"daemons-patient": {
		"Kubernetes remembers for each set one time to look again, and tells of the second Pod when it looks for the next time. The book remembers one for each node.",
		`
-status: desired 2, current 2, misscheduled 0, ready 2, updated 2, available 1, unavailable 1, generation 1 of 1, collisions none
+status: desired 2, current 2, misscheduled 0, ready 2, updated 2, available 2, unavailable 0, generation 1 of 1, collisions none
`,
	},
	"daemons-selected": {
		"Whether a node must lose a Pod Kubernetes asks of those that are there, and not of one that is still to come: that comes first. The book asks of both.",
		`
-delete Pod web@node-1
+gone Pod web@node-1
-(web@node-1 is ready)
-(web@node-1 has gone)
`,
	},
	"delete-host-path": {
		"Kubernetes' controller knows how to delete a folder, below /tmp alone: that is for its own tests.",
		`
-status PersistentVolume one: status.message: none -> host_path deleter only supports /tmp/.+ but received provided /data/one, status.phase: Released -> Failed
-  PersistentVolume one: Warning VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /data/one
+status PersistentVolume one: status.message: none -> error getting deleter volume plugin for volume "one": no deletable volume plugin matched, status.phase: Released -> Failed
+  PersistentVolume one: Warning VolumeFailedDelete: error getting deleter volume plugin for volume "one": no deletable volume plugin matched
`,
	},
	"disks-of-another": {
		"The book lets a claim with another controller alone, and says nothing.",
		`
-  StatefulSet web: Warning ConflictingController: PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim
`,
	},
	"disks-policy": {
		"Kubernetes says of the Pod, which it has not changed, what it has done to the claim; the book says nothing.",
		`
-  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful
-  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-1 in StatefulSet web successful
-  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful
-  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-1 in StatefulSet web successful
`,
	},
	"disks-thrown-when-scaled": {
		"A disk that is still to be thrown away is waited for. Kubernetes does so without a word, and does not notice when it has gone: its controller hears nothing of claims. The book says so, and tries again.",
		`
+  StatefulSet web: Warning FailedCreate: Create Pod web-1 in StatefulSet web failed error: pvc data-web-1 is about to go with web-1, as it was before
+  StatefulSet web: Warning FailedCreate: Create Pod web-1 in StatefulSet web failed error: pvc data-web-1 is about to go with web-1, as it was before
+create PersistentVolumeClaim data-web-1
+create Pod web-1
+  StatefulSet web: Normal SuccessfulCreate: Create Claim data-web-1 Pod web-1 in StatefulSet web success
+  StatefulSet web: Normal SuccessfulCreate: Create Pod web-1 in StatefulSet web successful
+(web-1 is ready)
+status: replicas 2, ready 2, available 2, current 2, updated 2, generation 3 of 3, collisions 0
+  web-0 web:v1, the set's: true
+  web-1 web:v1, the set's: true
`,
	},
	"disks-wanted-again": {
		"A Pod is wanted again, and its claim is still to go with it. The book takes the claim from it at once, Kubernetes when the Pods before it are ready: a Pod that is deleted before that takes along what the set wants.",
		`
+update PersistentVolumeClaim data-web-1: metadata.ownerReferences[0]: {apiVersion=v1 blockOwnerDeletion=true controller=true kind=Pod name=web-1 uid} -> none
-update PersistentVolumeClaim data-web-1: metadata.ownerReferences[0]: {apiVersion=v1 blockOwnerDeletion=true controller=true kind=Pod name=web-1 uid} -> none
-  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-1 in StatefulSet web successful
`,
	},
	"in-full": {
		"Revisions are chapter 6's.",
		`
-    controller-revision-hash: web-5497984858
`,
	},
	"lost-label-in-parallel": {
		"In Parallel Kubernetes puts a label back at once, the book when the Pod is ready.",
		`
-update Pod web-0: metadata.labels.statefulset.kubernetes.io/pod-name: none -> web-0
-  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful
+update Pod web-0: metadata.labels.statefulset.kubernetes.io/pod-name: none -> web-0
+  StatefulSet web: Normal SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful
`,
	},
	"nodes-out-of-service": {
		"Each time that a node's taints change Kubernetes tells a Pod to leave that is about to, and deletes it once more. The book leaves it in peace.",
		`
-  Pod on-node-1: Normal TaintManagerEviction: Marking for deletion Pod default/on-node-1
`,
	},
	"nodes-that-say-not-ready": {
		"Kubernetes marks the Pods of a node that falls silent if the node was ready; the book marks those of every silent node. And Kubernetes tells Pods that leave already to do so, each time that the taints change.",
		`
-  Pod on-node-1: Normal TaintManagerEviction: Marking for deletion Pod default/on-node-1
+status Pod on-node-1: status.conditions[0]: {lastTransitionTime status=True type=Ready} -> {lastTransitionTime status=False type=Ready}
+  Pod on-node-1: Warning NodeNotReady: Node is not ready
-  on-node-1 on node-1, Running, ready: true, leaves: true
+  on-node-1 on node-1, Running, ready: false, leaves: true
-  Pod on-node-1: Normal TaintManagerEviction: Marking for deletion Pod default/on-node-1
-  on-node-1 on node-1, Running, ready: true, leaves: true
+  on-node-1 on node-1, Running, ready: false, leaves: true
-  on-node-1 on node-1, Running, ready: true, leaves: true
+  on-node-1 on node-1, Running, ready: false, leaves: true
`,
	},
	"nodes-that-say-nothing-ever": {
		"Kubernetes marks the Pods of a node that falls silent if the node was ready; the book marks those of every silent node.",
		`
+status Pod on-node-2: status.conditions[0]: {lastTransitionTime status=True type=Ready} -> {lastTransitionTime status=False type=Ready}
+  Pod on-node-2: Warning NodeNotReady: Node is not ready
-  on-node-2 on node-2, Running, ready: true, leaves: true
+  on-node-2 on node-2, Running, ready: false, leaves: true
-  on-node-2 on node-2, Running, ready: true, leaves: true
+  on-node-2 on node-2, Running, ready: false, leaves: true
`,
	},
	"one-is-stuck": {
		"Revisions are chapter 6's: until then all Pods are of the only one.",
		`
-status: replicas 2, ready 1, available 1, current 2, updated 0, generation 2 of 2, collisions 0
+status: replicas 2, ready 1, available 1, current 2, updated 2, generation 2 of 2, collisions 0
-status: replicas 3, ready 3, available 3, current 1, updated 2, generation 2 of 2, collisions 0
+status: replicas 3, ready 3, available 3, current 3, updated 3, generation 2 of 2, collisions 0
`,
	},
	"rollout-by-partition-shrunk-while-the-first-is-away": {
		"Kubernetes takes an update for complete when as many Pods are new and ready as are wanted, those too that are about to go. The book asks each that is wanted; so what is below the partition comes back as it was.",
		`
-  1: web-799f7ff7c4 web:v1, the set's: true
-  2: web-c76c4c467 web:v2, current, update, the set's: true
+  1: web-799f7ff7c4 web:v1, current, the set's: true
+  2: web-c76c4c467 web:v2, update, the set's: true
-status: replicas 2, ready 2, available 2, current 2, updated 2, generation 3 of 3, collisions 0
-  1: web-799f7ff7c4 web:v1, the set's: true
-  2: web-c76c4c467 web:v2, current, update, the set's: true
-  web-0 web:v2, the set's: true
-  web-1 web:v2, the set's: true
-status: replicas 3, ready 3, available 3, current 3, updated 3, generation 4 of 4, collisions 0
-  1: web-799f7ff7c4 web:v1, the set's: true
-  2: web-c76c4c467 web:v2, current, update, the set's: true
-  web-0 web:v2, the set's: true
+status: replicas 3, ready 3, available 3, current 1, updated 2, generation 4 of 4, collisions 0
+  1: web-799f7ff7c4 web:v1, current, the set's: true
+  2: web-c76c4c467 web:v2, update, the set's: true
+  web-0 web:v1, the set's: true
+delete Pod web-0
+  StatefulSet web: Normal SuccessfulDelete: Delete Pod web-0 in StatefulSet web successful
+(web-0 has gone)
+create Pod web-0
+  StatefulSet web: Normal SuccessfulCreate: Create Pod web-0 in StatefulSet web successful
+(web-0 is ready)
`,
	},
	"rollout-parallel-type-only-in-the-middle": {
		"Of a set that says no more than that it rolls, in Parallel, Kubernetes makes a Pod of the old version first, and takes it away at the same look; the book makes it of the new one.",
		`
-create Pod web-1
-gone Pod web-1
`,
	},
	"rollout-remembers-what-is-used": {
		"The book forgets a revision before it takes the next step, Kubernetes after it.",
		`
-create Pod web-2
+create Pod web-2
`,
	},
	"taints-a-second-one": {
		"Each time that a node's taints change Kubernetes tells a Pod to leave that is about to, and deletes it once more. The book leaves it in peace.",
		`
-  Pod on-node-1: Normal TaintManagerEviction: Marking for deletion Pod default/on-node-1
`,
	},
	"taints-one-of-two-goes": {
		"Each time that a node's taints change Kubernetes tells a Pod to leave that is about to, and deletes it once more. The book leaves it in peace.",
		`
-  Pod on-node-1: Normal TaintManagerEviction: Marking for deletion Pod default/on-node-1
`,
	},
	"taints-taken-back": {
		"Each time that a node's taints change Kubernetes tells a Pod to leave that is about to, and deletes it once more. The book leaves it in peace.",
		`
-  Pod on-node-1: Normal TaintManagerEviction: Marking for deletion Pod default/on-node-1
`,
	},
}
