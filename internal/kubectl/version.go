package kubectl

import (
	"strings"
	"sync"
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"
)

// Version is the Kubernetes release that this kubectl is of. Its modules in
// go.mod are v0 where the release is v1.
const Version = "v1.37.2"

// What `kubectl version` says of itself is set by the linker where Kubernetes
// builds it, and cannot be set otherwise; without it, kubectl finds its own
// version unreadable and fails.
var (
	//go:linkname gitVersion k8s.io/component-base/version.gitVersion
	gitVersion string
	//go:linkname gitMajor k8s.io/component-base/version.gitMajor
	gitMajor string
	//go:linkname gitMinor k8s.io/component-base/version.gitMinor
	gitMinor string
)

// sayVersion has kubectl say which one it is.
var sayVersion = sync.OnceFunc(func() {
	numbers := strings.Split(strings.TrimPrefix(Version, "v"), ".")
	gitVersion, gitMajor, gitMinor = Version, numbers[0], numbers[1]
	// It cannot refuse what is the linked version now.
	_ = version.SetDynamicVersion(Version)
})
