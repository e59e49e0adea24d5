//go:build linux

package host

import (
	"os"
	"strings"
)

// InUserNamespace reports whether the numbers of users here are not those of the
// machine.
func InUserNamespace() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(text)), " ") !=
		"0 0 4294967295"
}
