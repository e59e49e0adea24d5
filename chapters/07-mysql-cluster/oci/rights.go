//go:build linux

package oci

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/unsupported"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/chapters/07-mysql-cluster/oci/linux"
)

// rights are what a container may be, of what its image and its Pod say.
type rights struct {
	user     specs.User
	readOnly bool // the image's files cannot be written
	powers   []string
}

// rightsOf returns what the container's own context says, else the Pod's, else
// the image.
func (r *runtime) rightsOf(
	pod *corev1.Pod, c *corev1.Container, image *image.Image,
) (*rights, error) {
	may := &rights{powers: linux.Capabilities}
	user, group, _ := strings.Cut(image.User, ":")
	uid, err := strconv.ParseUint(cmp.Or(user, "0"), 10, 32)
	gid, err2 := strconv.ParseUint(cmp.Or(group, "0"), 10, 32)
	if err := cmp.Or(err, err2); err != nil {
		return nil, fmt.Errorf("user %q of the image: %w", image.User, err)
	}
	may.user.UID, may.user.GID = uint32(uid), uint32(gid)
	if context := pod.Spec.SecurityContext; context != nil {
		may.set(context.RunAsUser, context.RunAsGroup)
	}
	if context := c.SecurityContext; context != nil {
		may.set(context.RunAsUser, context.RunAsGroup)
		read := context.ReadOnlyRootFilesystem
		may.readOnly = read != nil && *read
		if context.Capabilities != nil {
			may.powers = powersOf(context.Capabilities)
		}
	}
	return may, cmp.Or(unsupported.OfRoot(pod, c, int64(uid)), r.refuse(may, c))
}

// refuse says why a container cannot be who it is to be.
func (r *runtime) refuse(may *rights, c *corev1.Container) error {
	if err := unsupported.OfContainer(c); err != nil {
		return err
	}
	switch {
	case powerOfNone(c) != "":
		return unsupported.Of("securityContext.capabilities.add: " + powerOfNone(c))
	case r.rootless && (may.user.UID != 0 || may.user.GID != 0):
		return fmt.Errorf("user %d, group %d: where root has not started the "+
			"lab there is no user but 0", may.user.UID, may.user.GID)
	}
	return nil
}

// powersOf returns the capabilities that a container keeps. It loses those that
// it drops; with ALL, all but those that it adds.
func powersOf(change *corev1.Capabilities) []string {
	return slices.DeleteFunc(slices.Clone(linux.Capabilities), func(c string) bool {
		return isIn(change.Drop, c) ||
			isIn(change.Drop, "CAP_ALL") && !isIn(change.Add, c)
	})
}

// isIn reports whether a Pod's list has a capability. It may leave out the CAP_.
func isIn(list []corev1.Capability, capability string) bool {
	return slices.ContainsFunc(list, func(c corev1.Capability) bool {
		name := strings.TrimPrefix(strings.ToUpper(string(c)), "CAP_")
		return "CAP_"+name == capability
	})
}

// powerOfNone returns the first capability that a container asks for and none has,
// or "".
func powerOfNone(c *corev1.Container) string {
	if c.SecurityContext == nil || c.SecurityContext.Capabilities == nil {
		return ""
	}
	for _, asked := range c.SecurityContext.Capabilities.Add {
		has := func(c string) bool { return isIn([]corev1.Capability{asked}, c) }
		if !slices.ContainsFunc(linux.Capabilities, has) {
			return string(asked)
		}
	}
	return ""
}

func (r *rights) set(user, group *int64) {
	if user != nil {
		r.user.UID = uint32(*user)
	}
	if group != nil {
		r.user.GID = uint32(*group)
	}
}
