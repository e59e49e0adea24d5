package doctor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/lab/doctor"
)

// doctorFile returns a file with this text.
func doctorFile(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// doctorHealthy returns a machine that lacks nothing, for an ordinary user.
func doctorHealthy() doctor.Machine {
	return doctor.Machine{
		OS: "linux", UID: 1000, Runtime: "runc",
		Files: fstest.MapFS{
			"sys/fs/cgroup/cgroup.controllers":                      doctorFile("memory"),
			"proc/sys/kernel/unprivileged_userns_clone":             doctorFile("1\n"),
			"proc/sys/kernel/apparmor_restrict_unprivileged_userns": doctorFile("0\n"),
			"proc/sys/user/max_user_namespaces":                     doctorFile("96365\n"),
		},
		LookPath: func(program string) (string, error) { return "/usr/bin/" + program, nil },
		Free:     func() (uint64, error) { return 4000 << 20, nil },
		Lab:      func() int { return 0 },
		Try: func(context.Context) (map[string]string, error) {
			return nil, nil
		},
	}
}

// without removes some programs from a machine.
func without(m *doctor.Machine, programs ...string) {
	m.LookPath = func(program string) (string, error) {
		for _, missing := range programs {
			if program == missing {
				return "", errors.New("not found")
			}
		}
		return "/usr/bin/" + program, nil
	}
}

func told(m doctor.Machine) (text string, stops bool) {
	var out strings.Builder
	found := doctor.Examine(context.Background(), m)
	doctor.Print(&out, found)
	return out.String(), doctor.Stops(found)
}

func TestAHealthyMachineHasALineForEachCheck(t *testing.T) {
	text, stops := told(doctorHealthy())
	assert.False(t, stops)
	assert.Equal(t, `ok       Linux
ok       runc          /usr/bin/runc; containers are run with it, and not with crun
ok       go            /usr/bin/go
ok       namespaces
ok       mounts
ok       network
ok       nftables
ok       cgroups       version 2
ok       user          not root: containers are better shut in, by a user namespace; limits of memory and CPU do not hold
ok       space         4000 MB
ok       no other lab
ok       image mysql
ok       image xtrabackup
ok       image busybox
ok       image nginx
`, text)
}

func TestWhatIsMissingIsSaidWithItsCure(t *testing.T) {
	setting := func(name, value string) func(*doctor.Machine) {
		return func(m *doctor.Machine) {
			m.Files.(fstest.MapFS)["proc/sys/"+name] = doctorFile(value + "\n")
			m.Try = func(context.Context) (map[string]string, error) {
				return nil, errors.New("operation not permitted")
			}
		}
	}
	fails := func(step string) func(*doctor.Machine) {
		return func(m *doctor.Machine) {
			m.Try = func(context.Context) (map[string]string, error) {
				return map[string]string{step: "no such device"}, nil
			}
		}
	}
	for name, c := range map[string]struct {
		lacks func(*doctor.Machine)
		says  string
		stops bool
	}{
		"runc": {func(m *doctor.Machine) { without(m, "runc") },
			"missing  runc          is not installed\n" +
				"         sudo apt-get install runc\n" +
				"         lab up --runtime crun\n", true},
		"a compiler": {func(m *doctor.Machine) { without(m, "go") },
			"missing  go            is not in the PATH; a container's first process is built with it\n" +
				"         export PATH=$PATH:/usr/local/go/bin\n", true},
		"Debian's setting": {setting("kernel/unprivileged_userns_clone", "0"),
			"missing  namespaces    operation not permitted\n" +
				"         sudo sysctl -w kernel.unprivileged_userns_clone=1\n" +
				"ok       cgroups", true},
		"Ubuntu's setting": {setting("kernel/apparmor_restrict_unprivileged_userns", "1"),
			"missing  namespaces    operation not permitted\n" +
				"         sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n" +
				"ok       cgroups", true},
		"their number": {setting("user/max_user_namespaces", "0"),
			"         sudo sysctl -w user.max_user_namespaces=15000\nok       cgroups", true},
		"something unknown": {setting("user/max_user_namespaces", "1"),
			"         sudo go run ./cmd/lab up --runtime runc\nok       cgroups", true},
		"rights in a container": {func(m *doctor.Machine) {
			setting("user/max_user_namespaces", "1")(m)
			m.Files.(fstest.MapFS)[".dockerenv"] = doctorFile("")
		}, "         docker run --security-opt seccomp=unconfined ", true},
		"a setting, in a container": {func(m *doctor.Machine) {
			setting("user/max_user_namespaces", "0")(m)
			m.Files.(fstest.MapFS)[".dockerenv"] = doctorFile("")
		}, "missing  namespaces    operation not permitted\n" +
			"         sudo sysctl -w user.max_user_namespaces=15000\nok       cgroups", true},
		"what Ubuntu lets be made and not used": {func(m *doctor.Machine) {
			setting("kernel/apparmor_restrict_unprivileged_userns", "1")(m)
			fails("mounts")(m)
		}, "ok       namespaces\n" +
			"missing  mounts        no such device\n" +
			"         sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n" +
			"ok       cgroups", true},
		"a bridge": {fails("network"), "ok       mounts\n" +
			"missing  network       no such device\n" +
			"         sudo modprobe -a bridge veth\nok       cgroups", true},
		"rules": {fails("nftables"), "ok       network\n" +
			"missing  nftables      no such device\n" +
			"         sudo modprobe -a nf_tables nft_chain_nat nft_nat nft_numgen nft_reject_ipv4\n", true},
		"what crun wants": {func(m *doctor.Machine) {
			m.Runtime = "crun"
			m.Files = fstest.MapFS{"sys/fs/cgroup/unified/cgroup.controllers": doctorFile("")}
		}, "missing  cgroups       version 1, and 2 beside it: crun refuses this\n" +
			"         lab up --runtime runc\n" +
			"         sudo umount /sys/fs/cgroup/unified\n", true},
		"groups, for root": {func(m *doctor.Machine) {
			m.UID, m.Files = 0, fstest.MapFS{}
		}, "missing  cgroups       none\n" +
			"         sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup\n", true},
		"space": {func(m *doctor.Machine) {
			m.Free = func() (uint64, error) { return 100 << 20, nil }
		}, "missing  space         100 MB, and five databases want 500\n" +
			"         lab up --runtime runc --kubeconfig FILE   # on a disk with more\n", true},
		"a folder for its data": {func(m *doctor.Machine) {
			m.Free = func() (uint64, error) { return 0, errors.New("no HOME") }
		}, "missing  space         no HOME\n" +
			"         lab up --runtime runc --kubeconfig FILE\n", true},
		"a name of its own": {func(m *doctor.Machine) { m.Lab = func() int { return 4711 } },
			"missing  no other lab  one runs already, process 4711\n" +
				"         kill 4711\n" +
				"         lab up --runtime runc --kubeconfig FILE   # beside it\n", true},
		"an image": {func(m *doctor.Machine) { without(m, "mariadb") },
			"missing  image mysql   there is no mariadb\n" +
				"         sudo apt-get install mariadb-server-core mariadb-client-core mariadb-client\n" +
				"ok       image xtrabackup\n", false},
		"a program that an image calls": {func(m *doctor.Machine) { without(m, "mariadb-admin") },
			"missing  image mysql   there is no mariadb-admin\n", false},
		"Linux": {func(m *doctor.Machine) { m.OS = "darwin" },
			"missing  Linux         this is darwin\n" +
				"         lab up                 # simulated containers run everywhere\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			m := doctorHealthy()
			c.lacks(&m)
			text, stops := told(m)
			assert.Contains(t, text, c.says)
			assert.Equal(t, c.stops, stops, "an image that is missing stops nothing")
		})
	}
}

// Version 1 beside version 2 is no obstacle to runc.
func TestRuncTakesControlGroupsOfBothVersions(t *testing.T) {
	m := doctorHealthy()
	m.UID = 0
	m.Files = fstest.MapFS{
		"sys/fs/cgroup/memory/tasks":               doctorFile(""),
		"sys/fs/cgroup/unified/cgroup.controllers": doctorFile(""),
	}
	text, stops := told(m)
	assert.False(t, stops)
	assert.Contains(t, text, "ok       cgroups       version 1, and 2 beside it\n"+
		"ok       user          root: limits of memory and CPU hold; an ordinary user's "+
		"containers are better shut in, by a user namespace\n")
}

func TestWhichRuntimeIsUsedIsSaid(t *testing.T) {
	m := doctorHealthy()
	m.Runtime = "crun"
	text, _ := told(m)
	assert.Contains(t, text, "ok       crun          /usr/bin/crun; containers are run with it, and not with runc\n")
	without(&m, "runc")
	text, _ = told(m)
	assert.Contains(t, text, "ok       crun          /usr/bin/crun; containers are run with it\n")
}
