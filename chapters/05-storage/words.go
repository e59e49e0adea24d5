package storage

// Controllers write these on claims and volumes for one another. (Kubernetes:
// storage/volume/pv_helpers.go in k8s.io/component-helpers.)
const (
	bindCompleted = "pv.kubernetes.io/bind-completed"
	// boundByController marks a choice that a controller has made: it may undo
	// that one, and no other.
	boundByController = "pv.kubernetes.io/bound-by-controller"
	// selectedNode names the node where the first Pod that wants a claim will
	// run.
	selectedNode = "volume.kubernetes.io/selected-node"
	// provisionedBy marks a volume that was made to order, and
	// names its provisioner.
	provisionedBy = "pv.kubernetes.io/provisioned-by"

	storageProvisioner     = "volume.kubernetes.io/storage-provisioner"
	betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"

	defaultClass = "storageclass.kubernetes.io/is-default-class"
)

// These finalizers keep objects that are in use.
const (
	claimInUse  = "kubernetes.io/pvc-protection"
	volumeInUse = "kubernetes.io/pv-protection"
	// diskInUse keeps a volume until its provisioner has thrown the disk away.
	diskInUse = "external-provisioner.volume.kubernetes.io/finalizer"
)
