package doctor

import (
	"fmt"
	"io/fs"
	"strings"
)

// runtime looks for the program that makes containers.
func (m Machine) runtime() Finding {
	f := Finding{Name: m.Runtime, Needed: true}
	path, err := m.LookPath(m.Runtime)
	if err == nil {
		f.OK, f.Says = true, path+"; containers are run with it"
		if other := m.beside(); other != "" {
			f.Says += ", and not with " + other
		}
		return f
	}
	f.Says = "is not installed"
	f.Do = []string{"sudo apt-get install " + m.Runtime}
	if other := m.beside(); other != "" {
		f.Do = append(f.Do, "lab up --runtime "+other)
	}
	return f
}

// beside returns the runtime that is installed, too, and is not asked for.
func (m Machine) beside() string {
	for _, other := range []string{"runc", "crun"} {
		_, err := m.LookPath(other)
		if err == nil && other != m.Runtime {
			return other
		}
	}
	return ""
}

// golang looks for the compiler: the first process of each container is built.
func (m Machine) golang() Finding {
	f := Finding{Name: "go", Needed: true}
	if path, err := m.LookPath("go"); err == nil {
		f.OK, f.Says = true, path
		return f
	}
	f.Says = "is not in the PATH; a container's first process is built with it"
	f.Do = []string{"export PATH=$PATH:/usr/local/go/bin"}
	return f
}

// setting returns a setting of the kernel's, or "" if this kernel does not have
// it.
func (m Machine) setting(name string) string {
	return m.read("proc/sys/" + strings.ReplaceAll(name, ".", "/"))
}

func (m Machine) read(path string) string {
	text, _ := fs.ReadFile(m.Files, path) // a missing file says nothing
	return strings.TrimSpace(string(text))
}

func (m Machine) has(path string) bool {
	_, err := fs.Stat(m.Files, path)
	return err == nil
}

// groups looks at how control groups are laid out, on which limits depend.
func (m Machine) groups() Finding {
	f := Finding{Name: "cgroups", OK: true, Needed: true}
	unified := m.has("sys/fs/cgroup/cgroup.controllers")
	hybrid := m.has("sys/fs/cgroup/unified/cgroup.controllers")
	switch {
	case unified:
		f.Says = "version 2"
	case hybrid:
		f.Says = "version 1, and 2 beside it"
	case m.has("sys/fs/cgroup/memory"):
		f.Says = "version 1"
	default:
		f.Says = "none"
	}
	switch {
	case hybrid && !unified && m.Runtime == "crun":
		f.OK = false
		f.Says += ": crun refuses this"
		f.Do = []string{
			"lab up --runtime runc",
			"sudo umount /sys/fs/cgroup/unified",
		}
	case m.UID == 0 && f.Says == "none":
		f.OK = false
		f.Do = []string{"sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup"}
	}
	return f
}

// user says what depends on who starts the lab. Both will do.
func (m Machine) user() Finding {
	f := Finding{Name: "user", OK: true, Needed: true}
	f.Says = "not root: containers are better shut in, by a user namespace; " +
		"limits of memory and CPU do not hold"
	if m.UID == 0 {
		f.Says = "root: limits of memory and CPU hold; an ordinary user's " +
			"containers are better shut in, by a user namespace"
	}
	return f
}

// enough is the space that a cluster of five databases takes, with some to
// spare.
const enough = 500 << 20

func (m Machine) space() Finding {
	f := Finding{Name: "space", Needed: true}
	free, err := m.Free()
	if err != nil {
		f.Says, f.Do = err.Error(), []string{m.another()}
		return f
	}
	f.OK = free >= enough
	f.Says = fmt.Sprintf("%d MB", free>>20)
	if !f.OK {
		f.Says += fmt.Sprintf(", and five databases want %d", enough>>20)
		f.Do = []string{m.another() + "   # on a disk with more"}
	}
	return f
}

// alone looks for a lab that runs: two cannot be found under the same name.
func (m Machine) alone() Finding {
	f := Finding{Name: "no other lab", OK: true, Needed: true}
	if pid := m.Lab(); pid != 0 {
		f.OK, f.Says = false, fmt.Sprintf("one runs already, process %d", pid)
		f.Do = []string{
			fmt.Sprintf("kill %d", pid), m.another() + "   # beside it",
		}
	}
	return f
}

// another returns how to start a lab that has nothing in common with another.
func (m Machine) another() string {
	return "lab up --runtime " + m.Runtime + " --kubeconfig FILE"
}

// images looks for the files that images are assembled from. A lab starts
// without.
func (m Machine) images() (all []Finding) {
	for _, image := range []struct {
		name               string
		programs, packages []string
	}{
		{"mysql", []string{"mariadbd", "mariadb", "mariadb-install-db",
			"mariadb-admin"}, []string{
			"mariadb-server-core", "mariadb-client-core", "mariadb-client"}},
		{"xtrabackup", []string{"mariadb-backup", "mbstream", "ncat"}, []string{
			"mariadb-backup", "ncat"}},
		{"busybox", []string{"busybox"}, []string{"busybox-static"}},
		{"nginx", []string{"nginx"}, []string{"nginx-light"}},
	} {
		f := Finding{Name: "image " + image.name, OK: true}
		for _, program := range image.programs {
			if _, err := m.LookPath(program); err != nil {
				f.OK, f.Says = false, "there is no "+program
				f.Do = []string{
					"sudo apt-get install " + strings.Join(image.packages, " ")}
				break
			}
		}
		all = append(all, f)
	}
	return all
}
