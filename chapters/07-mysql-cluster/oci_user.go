//go:build linux

package mysqlcluster

import (
	"os"
	"strings"
)

// inUserNamespace reports whether the numbers of users here are not those of the
// machine.
func inUserNamespace() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(text)), " ") !=
		"0 0 4294967295"
}
