package kubetest

import (
	"os"
	"time"

	"reconcile/internal/open"
)

// cpuTime returns what this process has used.
func cpuTime() time.Duration { return open.Computed(os.Getpid()) }
