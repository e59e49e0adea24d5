package kubetest

import (
	"os"
	"time"

	"reconcile/internal/openexercises"
)

// cpuTime returns what this process has used.
func cpuTime() time.Duration { return openexercises.Computed(os.Getpid()) }
