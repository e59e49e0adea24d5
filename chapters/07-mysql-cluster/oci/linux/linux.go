//go:build linux

package linux

import "github.com/opencontainers/runtime-spec/specs-go"

// Mounts returns what a program expects of any Linux. The files of processes
// and of the system are those of the container's own namespaces.
func Mounts(rootless bool) []specs.Mount {
	terminals := []string{
		"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620",
	}
	if !rootless { // there is no group tty among one number
		terminals = append(terminals, "gid=5")
	}
	return []specs.Mount{
		{Type: "proc", Source: "proc", Destination: "/proc"},
		{Type: "tmpfs", Source: "tmpfs", Destination: "/dev",
			Options: []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		{Type: "devpts", Source: "devpts", Destination: "/dev/pts",
			Options: terminals},
		{Type: "mqueue", Source: "mqueue", Destination: "/dev/mqueue",
			Options: []string{"nosuid", "noexec", "nodev"}},
		{Type: "sysfs", Source: "sysfs", Destination: "/sys",
			Options: []string{"nosuid", "noexec", "nodev", "ro"}},
		memory("/dev/shm", "mode=1777", "noexec", "size=65536k"),
		memory("/run", "mode=755", "size=65536k"),
		memory("/tmp", "mode=1777", "size=262144k"),
	}
}

// memory returns a mount whose files are in memory, and end with the container. It
// needs a size: without one it is half of the machine's memory.
func memory(path string, options ...string) specs.Mount {
	return specs.Mount{
		Type: "tmpfs", Source: "tmpfs", Destination: path,
		Options: append(options, "nosuid", "nodev"),
	}
}

// Capabilities are the parts of root's power that root has in a container: those
// that Docker and containerd leave to it.
var Capabilities = []string{
	"CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER",
	"CAP_FSETID", "CAP_KILL", "CAP_MKNOD", "CAP_NET_BIND_SERVICE",
	"CAP_NET_RAW", "CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID",
	"CAP_SYS_CHROOT",
}

// masked are the files of the kernel that say too much, and readOnly those that
// would change the machine.
var (
	Masked = []string{
		"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore",
		"/proc/keys", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
		"/proc/timer_list", "/proc/timer_stats", "/sys/firmware",
		"/sys/devices/virtual/powercap", "/sys/fs/cgroup",
	}
	ReadOnly = []string{
		"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
		"/proc/sysrq-trigger",
	}
)
