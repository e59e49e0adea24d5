package rules

import (
	"path"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// These are the sources of volumes, of which a volume has one, in the order in
// which Kubernetes looks for a second.
var (
	ofPods = []string{
		"emptyDir", "hostPath", "gitRepo", "gcePersistentDisk",
		"awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs", "flocker",
		"persistentVolumeClaim", "rbd", "cinder", "cephFS", "quobyte", "downwardAPI",
		"fc", "flexVolume", "configMap", "azureFile", "vsphereVolume",
		"photonPersistentDisk", "portworxVolume", "azureDisk", "storageos",
		"projected", "scaleIO", "csi", "ephemeral", "image",
	}
	ofVolumes = []string{
		"hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs",
		"flocker", "nfs", "rbd", "quobyte", "cephFS", "iscsi", "cinder", "fc",
		"azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume",
		"azureDisk", "scaleIO", "local", "storageos", "csi",
	}
)

// onlyOne refuses all sources but the first; the others are not looked at
// further. (Kubernetes: validateVolumeSource and ValidatePersistentVolumeSpec.)
func onlyOne(source any, order []string, at *field.Path) (first string, errs field.ErrorList) {
	fields := reflect.ValueOf(source)
	for _, name := range order {
		given := fields.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		switch {
		case given.IsNil():
		case first == "":
			first = name
		default:
			errs = append(errs, field.Forbidden(
				at.Child(name), "may not specify more than 1 volume type"))
		}
	}
	return first, errs
}

// checkSource checks where a Pod's volume comes from.
func checkSource(source *corev1.VolumeSource, at *field.Path) field.ErrorList {
	first, errs := onlyOne(*source, ofPods, at)
	var found field.ErrorList
	switch at := at.Child(first); first {
	case "emptyDir":
		if limit := source.EmptyDir.SizeLimit; limit != nil && limit.Sign() < 0 {
			found = append(found, field.Forbidden(at.Child("sizeLimit"),
				"SizeLimit field must be a valid resource quantity"))
		}
	case "hostPath":
		found = checkHostPath(source.HostPath, at)
	case "nfs":
		found = checkNFS(source.NFS, at)
	case "persistentVolumeClaim":
		found = needed(source.PersistentVolumeClaim.ClaimName, at.Child("claimName"))
	case "configMap":
		found = needed(source.ConfigMap.Name, at.Child("name"))
	case "secret":
		found = needed(source.Secret.SecretName, at.Child("secretName"))
	}
	return append(found, errs...)
}

// checkVolumeSource checks what a volume is made of.
func checkVolumeSource(source *corev1.PersistentVolumeSource) field.ErrorList {
	first, errs := onlyOne(*source, ofVolumes, specPath)
	var found field.ErrorList
	switch at := specPath.Child(first); first {
	case "hostPath":
		found = checkHostPath(source.HostPath, at)
	case "nfs":
		found = checkNFS(source.NFS, at)
	case "local":
		if found = needed(source.Local.Path, at.Child("path")); found == nil {
			found = noBacksteps(source.Local.Path, at.Child("path"))
		}
	}
	return append(found, errs...)
}

func checkHostPath(h *corev1.HostPathVolumeSource, at *field.Path) field.ErrorList {
	if errs := needed(h.Path, at.Child("path")); errs != nil {
		return errs
	}
	errs := noBacksteps(h.Path, at.Child("path"))
	if h.Type == nil {
		return errs
	}
	return append(errs, supported(*h.Type, at.Child("type"),
		corev1.HostPathUnset, corev1.HostPathBlockDev, corev1.HostPathCharDev,
		corev1.HostPathDirectory, corev1.HostPathDirectoryOrCreate,
		corev1.HostPathFile, corev1.HostPathFileOrCreate, corev1.HostPathSocket)...)
}

func checkNFS(n *corev1.NFSVolumeSource, at *field.Path) field.ErrorList {
	errs := slices.Concat(needed(n.Server, at.Child("server")),
		needed(n.Path, at.Child("path")))
	if !path.IsAbs(n.Path) {
		errs = append(errs, field.Invalid(
			at.Child("path"), n.Path, "must be an absolute path"))
	}
	return errs
}

func noBacksteps(p string, at *field.Path) field.ErrorList {
	if !slices.Contains(strings.Split(p, "/"), "..") {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
}

func needed(value string, at *field.Path) field.ErrorList {
	if value != "" {
		return nil
	}
	return field.ErrorList{field.Required(at, "")}
}
