package kubectl

import (
	"strings"
	"sync"
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"
)

// Version is the Kubernetes release that this kubectl is of. Its modules in
// go.mod are v0 when the release is v1.
const Version = "v1.37.2"

// The linker sets these when Kubernetes builds kubectl, and they cannot be set
// otherwise; without them, kubectl finds its own version unreadable and fails.
var (
	//go:linkname gitVersion k8s.io/component-base/version.gitVersion
	gitVersion string
	//go:linkname gitMajor k8s.io/component-base/version.gitMajor
	gitMajor string
	//go:linkname gitMinor k8s.io/component-base/version.gitMinor
	gitMinor string
)

// sayVersion makes kubectl report its version.
var sayVersion = sync.OnceFunc(func() {
	numbers := strings.Split(strings.TrimPrefix(Version, "v"), ".")
	gitVersion, gitMajor, gitMinor = Version, numbers[0], numbers[1]
	// It cannot refuse a version that is the linked one now.
	_ = version.SetDynamicVersion(Version)
})
