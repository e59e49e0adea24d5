//go:build suite

package servers

// No program is built of this: it keeps in go.mod what Kubernetes' end-to-end
// tests import.
import _ "k8s.io/kubernetes/test/e2e"
