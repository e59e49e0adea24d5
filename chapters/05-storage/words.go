package storage

// What controllers write on claims and volumes for one another. (Kubernetes:
// storage/volume/pv_helpers.go in k8s.io/component-helpers.)
const (
	bindCompleted = "pv.kubernetes.io/bind-completed"
	// boundByController is on what a controller has chosen: it may undo that,
	// and nobody's else.
	boundByController = "pv.kubernetes.io/bound-by-controller"
	// selectedNode is where the first Pod that wants a claim will run.
	selectedNode = "volume.kubernetes.io/selected-node"
	// provisionedBy is on a volume that was made because somebody claimed it.
	provisionedBy = "pv.kubernetes.io/provisioned-by"

	storageProvisioner     = "volume.kubernetes.io/storage-provisioner"
	betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"

	defaultClass = "storageclass.kubernetes.io/is-default-class"
)

// The finalizers that keep what is in use.
const (
	claimInUse  = "kubernetes.io/pvc-protection"
	volumeInUse = "kubernetes.io/pv-protection"
	// diskInUse keeps a volume until its provisioner has thrown the disk away.
	diskInUse = "external-provisioner.volume.kubernetes.io/finalizer"
)
