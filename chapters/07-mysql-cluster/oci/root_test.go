//go:build linux

package oci_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/internal/kubetest"
	"reconcile/internal/slow"
)

// ociimgBox runs containers of images with runc itself, without the runtime.
type ociimgBox struct {
	t        *testing.T
	dir      string
	rootless bool
}

func newOCIImgBox(t *testing.T, rootless bool) *ociimgBox {
	kubetest.Real(t)
	if _, err := exec.LookPath("runc"); err != nil {
		kubetest.Lacks(t, "runc is not installed")
	}
	if os.Getuid() != 0 {
		rootless = true
	}
	dir := t.TempDir()
	if rootless && os.Getuid() == 0 {
		require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
		require.NoError(t, os.Chown(dir, ociimgReader, ociimgReader))
	}
	return &ociimgBox{t: t, dir: dir, rootless: rootless}
}

// ociimgReader is somebody who is not root.
const ociimgReader = 1234

// as has a command run as root is on its machine, or in a user namespace.
func (b *ociimgBox) as(c *exec.Cmd) *exec.Cmd {
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if !b.rootless {
		return c
	}
	uid := os.Getuid()
	if uid == 0 {
		uid = ociimgReader
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
	c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	c.SysProcAttr.UidMappings, c.SysProcAttr.GidMappings = ids, ids
	c.SysProcAttr.Credential = &syscall.Credential{NoSetGroups: true}
	return c
}

// run runs a command in a new container of an image, and returns what it says.
func (b *ociimgBox) run(
	name string, args []string, more func(*specs.Spec),
) (out string, code int) {
	b.t.Helper()
	var all bytes.Buffer
	c := b.start(name, args, more, &all)
	err := c.Wait()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		require.NoError(b.t, err)
	}
	return all.String(), c.ProcessState.ExitCode()
}

func (b *ociimgBox) start(
	name string, args []string, more func(*specs.Spec), out *bytes.Buffer,
) *exec.Cmd {
	b.t.Helper()
	image, err := (&image.Assembled{Usr: "/usr"}).Pull(
		context.Background(), name)
	require.NoError(b.t, err)
	bundle, err := os.MkdirTemp(b.dir, "bundle")
	require.NoError(b.t, err)
	root := filepath.Join(bundle, "rootfs")
	require.NoError(b.t, os.Mkdir(root, 0o755))
	mounts, err := image.Root(root)
	require.NoError(b.t, err)
	spec := b.spec(image, args, mounts)
	if more != nil {
		more(spec)
	}
	content, err := json.Marshal(spec)
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(
		filepath.Join(bundle, "config.json"), content, 0o644))
	if b.rootless && os.Getuid() == 0 {
		require.NoError(b.t, exec.Command(
			"chown", "-Rh", fmt.Sprint(ociimgReader), bundle).Run())
	}
	c := b.as(exec.Command("runc", "--root", filepath.Join(b.dir, "state"),
		fmt.Sprintf("--rootless=%t", b.rootless), "run", "--bundle", bundle,
		filepath.Base(bundle)))
	c.Stdout, c.Stderr = out, out
	if err = c.Start(); errors.Is(err, fs.ErrPermission) {
		kubetest.Lacks(b.t, "this machine allows no namespaces: ", err)
	}
	require.NoError(b.t, err)
	return c
}

func (b *ociimgBox) spec(
	image *image.Image, args []string, mounts []specs.Mount,
) *specs.Spec {
	if args == nil {
		args = image.Cmd
	}
	caps := []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETUID",
		"CAP_SETGID", "CAP_KILL", "CAP_NET_BIND_SERVICE"}
	spec := &specs.Spec{
		Version: "1.0.2",
		Root:    &specs.Root{Path: "rootfs"},
		Process: &specs.Process{
			Args: append(append([]string{}, image.Entrypoint...), args...),
			Env:  image.Env, Cwd: "/", NoNewPrivileges: true,
			Capabilities: &specs.LinuxCapabilities{
				Bounding: caps, Effective: caps, Permitted: caps},
		},
		Mounts: append([]specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc"},
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs",
				Options: []string{"mode=755"}},
			{Destination: "/run", Type: "tmpfs", Source: "tmpfs"},
		}, mounts...),
		Linux: &specs.Linux{Namespaces: []specs.LinuxNamespace{
			{Type: specs.PIDNamespace}, {Type: specs.MountNamespace},
		}},
	}
	return spec
}

// ociimgNeeds skips a test whose image this machine cannot assemble.
func ociimgNeeds(t *testing.T, name string) {
	kubetest.Real(t)
	_, err := (&image.Assembled{Usr: "/usr"}).Pull(
		context.Background(), name)
	if err != nil {
		kubetest.Lacks(t, err)
	}
}

func ociimgBoth(t *testing.T, f func(t *testing.T, b *ociimgBox)) {
	for _, rootless := range []bool{false, true} {
		if !rootless && os.Getuid() != 0 {
			continue
		}
		t.Run(fmt.Sprintf("rootless=%t", rootless), func(t *testing.T) {
			f(t, newOCIImgBox(t, rootless))
		})
	}
}

// in is bash in an image's container.
func (b *ociimgBox) in(image, script string) (out string, code int) {
	return b.run(image, []string{"bash", "-c", script}, nil)
}

func TestAContainerOfAnAssembledImageSeesNothingOfTheMachineButUsr(t *testing.T) {
	slow.Glance(t)
	home := t.TempDir() // like somebody's home, it is not in /usr
	require.NoError(t, os.WriteFile(filepath.Join(home, "secret"), nil, 0o644))
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		if out, code := b.in("debian:12", "true"); code != 0 {
			kubetest.Lacks(t, "no container runs here: ", out)
		}
		out, code := b.in("debian:12", "exec 2>&1; ls /etc /home /root; cat /etc/shadow; "+
			"cat "+home+"/secret; touch /usr/mine /usr/share/mine /usr/bin.machine/mine; "+
			"umount /usr/share; ls -A /usr/local/*; echo x > /etc/mine && cat /etc/mine; "+
			"awk 'BEGIN { print \"an alternative\" }'; cat /etc/passwd")
		assert.Zero(t, code, out)
		for _, want := range []string{
			"/etc:\nalternatives\ngroup\nnsswitch.conf\npasswd\n\n" +
				"/home:\n\n/root:\n",
			"cat: /etc/shadow: No such file or directory",
			"secret: No such file or directory",
			"touch: cannot touch '/usr/share/mine': Read-only file system",
			"touch: cannot touch '/usr/bin.machine/mine': Read-only file system",
			"umount: /usr/share: must be superuser to unmount",
			"\n/usr/local/bin:\n\n/usr/local/sbin:\n",
			"\nx\nan alternative\nroot:x:0:0:root:/root:/bin/bash\nnobody:",
		} {
			assert.Contains(t, out, want)
		}
		_, err := os.Stat("/usr/mine")
		assert.ErrorIs(t, err, os.ErrNotExist)
	})
}

func TestProgramsCanBeTakenFromAContainerAndAreThereInTheNext(t *testing.T) {
	ociimgNeeds(t, "mysql:5.7")
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, _ := b.in("mysql:5.7", `exec 2>&1; cd /usr/bin
			mv mysql mysql.off; mysql --version
			mv mysql.off mysql; mysql --version > /dev/null && echo back
			mv tac tac.off; cp -L ls mine; rm ls awk; ./mine awk ls tac tac.off mine
			echo 'echo what is written' > ls; chmod +x ls; ls`)
		assert.Equal(t, `bash: line 2: mysql: command not found
back
./mine: cannot access 'awk': No such file or directory
./mine: cannot access 'ls': No such file or directory
./mine: cannot access 'tac': No such file or directory
mine
tac.off
what is written
`, out)
		out, _ = b.in("mysql:5.7", `exec 2>&1; cd /usr/bin
			ls awk ls tac tac.off mine
			type mysql mysqld xbstream docker-entrypoint.sh; head -c2 mysql`)
		assert.Equal(t, `ls: cannot access 'tac.off': No such file or directory
ls: cannot access 'mine': No such file or directory
awk
ls
tac
mysql is /usr/bin/mysql
mysqld is /usr/sbin/mysqld
xbstream is /usr/bin/xbstream
docker-entrypoint.sh is /usr/local/bin/docker-entrypoint.sh
#!`, out)
	})
}

func TestNothingCanBeTakenFromARootThatIsReadOnly(t *testing.T) {
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, code := b.run("debian:12", []string{"bash", "-c", "exec 2>&1; rm /usr/bin/ls; ls -d /usr/bin"},
			func(s *specs.Spec) { s.Root.Readonly = true })
		assert.Zero(t, code)
		assert.Equal(t, "rm: cannot remove '/usr/bin/ls': Read-only file system\n/usr/bin\n", out)
	})
}

// Some programs find their files by where they are themselves, which the kernel
// says past all links; others by their names, which it hands on.
func TestAProgramFindsWhatLiesBesideIt(t *testing.T) {
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, code := b.in("debian:12", `cd $(dirname $(readlink -f $BASH)) && pwd && ls -d ../share
			cd /opt; printf '#!/usr/bin/env bash\necho $0' > say; chmod +x say
			/opt/say; PATH=$PATH:/opt say; sh -c 'echo $0'`)
		assert.Zero(t, code)
		assert.Equal(t, "/usr/bin.machine\n../share\n/opt/say\n/opt/say\nsh\n", out)
	})
}

func TestBusyBoxIsOneProgramAndItsNames(t *testing.T) {
	ociimgNeeds(t, "busybox:1.36")
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, code := b.run("busybox:1.36", []string{"sh", "-c",
			"exec 2>&1; ls /usr; echo one | wc -l; : > /bin/busybox"}, nil)
		assert.NotZero(t, code)
		assert.Equal(t, "1\nsh: can't create /bin/busybox: Read-only file system\n",
			out)
	})
}

func TestNginxWritesItsLogsToTheContainersStreamsAndHasPagesOfItsOwn(t *testing.T) {
	ociimgNeeds(t, "nginx:1.27")
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, code := b.run("nginx:1.27", []string{"bash", "-c",
			// what it answers on one line: the log goes to the same place
			`echo mine > /usr/share/nginx/html/index.html
			nginx; exec 3<>/dev/tcp/127.0.0.1/80
			printf 'GET / HTTP/1.0\r\n\r\n' >&3; answer=$(cat <&3)
			echo "${answer//$'\r\n'/|}"; nginx -s quit`},
			func(s *specs.Spec) {
				s.Linux.Namespaces = append(s.Linux.Namespaces,
					specs.LinuxNamespace{Type: specs.NetworkNamespace})
			})
		assert.Contains(t, out, "HTTP/1.1 200 OK")
		assert.Contains(t, out, "||mine\n")
		assert.Contains(t, out, `"GET / HTTP/1.0" 200 5 "-" "-" "-"`)
		assert.Zero(t, code, out)
	})
}

func TestAServerReadsTheManifestsOptionsAndMariaDBsNameForThem(t *testing.T) {
	ociimgNeeds(t, "mysql:5.7")
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, code := b.in("mysql:5.7", "cd /etc/mysql/conf.d; "+
			"printf '# 从节点\n[mysqld]\nsuper-read-only' > slave.cnf; "+
			"printf '[mysqld]\nserver-id=101\nmax_connections=7' > server-id.cnf; "+
			"mysqld --print-defaults")
		require.Zero(t, code, out)
		assert.Contains(t, out, " --max_connections=20 ")
		assert.Contains(t, out, "--table_open_cache=64 --server-id=101 --max_connections=7 --read_only",
			"the manifest's options come last, and so decide")
		assert.NotContains(t, out, "super")
	})
}

func TestAServerBeginsItsFirstStartAgainWhenThatWasKilled(t *testing.T) {
	ociimgNeeds(t, "mysql:5.7")
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, code := b.in("mysql:5.7", "docker-entrypoint.sh mysqld")
		assert.Equal(t, 1, code)
		assert.Equal(t, "[ERROR] [Entrypoint]: Database is uninitialized and password "+
			"option is not specified\n    You need to specify one of the following as an "+
			"environment variable:\n    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n", out)

		out, _ = b.in("mysql:5.7", `cd /var/lib/mysql
			mkdir mysql; touch .first ibdata1 mysql/half  # as a kill leaves it
			export MYSQL_ALLOW_EMPTY_PASSWORD=1
			docker-entrypoint.sh mysqld --skip-networking > /tmp/log 2>&1 &
			until mysqladmin ping || ! kill -0 $!; do sleep 0.1; done 2> /dev/null
			ls -A mysql/half .first; mysql -N -e 'SELECT user, host FROM mysql.user
				WHERE user = "root" ORDER BY host'
			mysql -e 'SET GLOBAL read_only = 1; CREATE DATABASE d'
			mysqladmin shutdown; wait; tail -n 3 /tmp/log; du -sm . | cut -f1`)
		for _, want := range []string{
			"'mysql/half': No such file", "'.first': No such file",
			"mysqld is alive\n", "root\t%\nroot\tlocalhost\n",
			"ERROR 1227 (42000) at line 1",
		} {
			assert.Contains(t, out, want)
		}
	})
}

func TestRootHasThePasswordOfTheFirstStart(t *testing.T) {
	ociimgNeeds(t, "mysql:5.7")
	ociimgBoth(t, func(t *testing.T, b *ociimgBox) {
		out, _ := b.in("mysql:5.7", `cd /var/lib/mysql; export MYSQL_ROOT_PASSWORD="it's \\ \"one\""
			docker-entrypoint.sh mysqld > /tmp/log 2>&1 &
			until mysqladmin ping || ! kill -0 $!; do sleep 0.1; done 2> /dev/null
			for host in localhost 127.0.0.1; do
				mysql -h $host -e 'SELECT 1' 2>&1
				mysql -h $host -p"$MYSQL_ROOT_PASSWORD" -N -e 'SELECT CURRENT_USER()'
			done; mysqladmin -p"$MYSQL_ROOT_PASSWORD" shutdown; wait`)
		assert.Equal(t, `ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: NO)
root@localhost
ERROR 1045 (28000): Access denied for user 'root'@'127.0.0.1' (using password: NO)
root@%
`, out)
	})
}
