package discovery

import (
	"runtime"

	"k8s.io/apimachinery/pkg/version"
)

// Suffix ends the version of this API server, and of no other.
const Suffix = "+reconcile"

// Version returns the Kubernetes whose API this is: clients warn if theirs is
// two minor versions away. The part behind the plus is not compared.
func Version() version.Info {
	return version.Info{
		Major:        "1",
		Minor:        "37",
		GitVersion:   "v1.37.2" + Suffix,
		GitTreeState: "clean",
		GoVersion:    runtime.Version(),
		Compiler:     runtime.Compiler,
		Platform:     runtime.GOOS + "/" + runtime.GOARCH,
	}
}
