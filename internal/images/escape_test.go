package images_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/images/commands"
	"reconcile/internal/slow"
)

// outside is a part of this machine that no container may see, and a volume that
// is one.
type outside struct {
	t      testing.TB
	folder string // of the secret
	secret string
	volume string // has links that lead out
	before map[string]string
}

// theSecret is in the secret file, and a part of its name.
const theSecret = "MINE"

func newOutside(t testing.TB) *outside {
	folder, volume := t.TempDir(), t.TempDir()
	o := &outside{
		t: t, folder: folder, volume: volume,
		secret: filepath.Join(folder, "secret.cnf"),
	}
	require.NoError(t, os.WriteFile(o.secret, []byte(theSecret+"\n"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(folder, theSecret), 0o755))
	up, err := filepath.Rel(volume, folder)
	require.NoError(t, err)
	for name, target := range map[string]string{
		"dir": folder, "file": o.secret, "file.cnf": o.secret, "up": up, "root": "/",
		"new": filepath.Join(folder, "new"),
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(volume, name)))
	}
	o.before = o.holds()
	return o
}

// holds returns all that is outside, with what can be seen of it.
func (o *outside) holds() map[string]string {
	all := map[string]string{}
	require.NoError(o.t, filepath.Walk(o.folder,
		func(name string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			content := ""
			if !info.IsDir() {
				read, err := os.ReadFile(name)
				require.NoError(o.t, err)
				content = string(read)
			}
			all[name] = fmt.Sprint(info.Mode(), info.ModTime(), content)
			return nil
		}))
	return all
}

// ways returns names that would lead to the secret.
func (o *outside) ways() []string {
	up := strings.Repeat("../", 20)
	return []string{
		o.secret, o.folder, up + o.secret[1:], "/data/" + up + o.secret[1:],
		"/data/file", "/data/file.cnf", "/data/dir", "/data/dir/secret.cnf",
		"/data/up/secret.cnf", "/data/new", "/data/dir/new",
		"/data/root" + o.secret, "/proc/self/root" + o.secret, "/proc/1/root" + o.secret,
	}
}

// unmoved asserts that a command told nothing of what is outside, and changed
// nothing.
func (o *outside) unmoved(out, what string) {
	o.t.Helper()
	assert.NotContains(o.t, out, theSecret, what)
	if !assert.Equal(o.t, o.before, o.holds(), what) {
		o.before = o.holds()
	}
}

// victim returns a Pod with a volume, from whose container a user wants to get
// out.
func (o *outside) victim(r *rig, image string) *corev1.Pod {
	return r.start(pod("in", image, "sleep", "9999999"),
		kubelet.Mount{Source: o.volume, Path: "/data"})
}

const copier = "gcr.io/google-samples/xtrabackup:1.0"

// Every command is given every way out as an argument of every kind.
func TestNoCommandLeadsOutOfAContainer(t *testing.T) {
	slow.Test(t, "it tries every command with every path")
	o := newOutside(t)
	forms := []string{
		"%s %[2]s", "%s %[2]s x", "%s x %[2]s", "%s /etc/passwd %[2]s", "%s -r %[2]s x",
		"%s -rf %[2]s", "%s -p %[2]s", "%s -s x %[2]s", "%s -fs %[2]s x", "%s -f %[2]s",
		"%s 777 %[2]s", "%s . %[2]s", "%s -i s/./x/ %[2]s", "%s -n p %[2]s",
		"%s if=%[2]s", "%s if=/etc/passwd of=%[2]s", "%s -xf %[2]s", "%s -cf %[2]s /etc/passwd",
		"%s -xf x.tar -C %[2]s", "%s -cf - %[2]s", "%s -O %[2]s http://localhost/",
		"%s file://%[2]s", "%s -o %[2]s http://localhost/", "%s -d @%[2]s http://localhost/",
		"%s -c %[2]s", "%s -C %[2]s", "%s -t %[2]s", "%s -e %[2]s", "%s -T %[2]s",
		"%s < %[2]s", "echo x | %s > %[2]s", "echo x | %s >> %[2]s",
	}
	all := map[string]string{ // and an image that has it
		"ncat": "mysql:5.7", "bash": "mysql:5.7", "mysql": "mysql:5.7",
		"mysqladmin": "mysql:5.7", "mysqld": "mysql:5.7", "xbstream": copier, "xtrabackup": copier,
	}
	for name := range commands.All() {
		all[name] = "busybox"
	}
	for _, name := range []string{"sleep", "yes", "top", "ping"} {
		delete(all, name) // they take no path, and their time
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			o.t = t
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := o.victim(r, all[name])
				for _, form := range forms {
					script := "cd /tmp\n"
					for _, way := range o.ways() {
						script += fmt.Sprintf(form, "timeout 1 "+name, way) + "\n"
					}
					out, _ := r.exec(p, "sh", "-c", script)
					o.unmoved(out, form)
				}
			})
		})
	}
}

// A shell does these itself, and its interpreter would ask this machine.
func TestNothingThatAShellDoesLeadsOutOfAContainer(t *testing.T) {
	o := newOutside(t)
	me := "daemon" // whom all machines know, but no container
	if user, err := user.Current(); err == nil && user.Username != "root" {
		me = user.Username
	}
	real := filepath.Join(t.TempDir(), "real") // a link here, and a folder there
	require.NoError(t, os.Symlink(o.folder, real))
	for _, c := range []struct{ script, want string }{
		{"echo ~" + me + "/x ~nobody", "~" + me + "/x ~nobody\n"},
		{"echo ~ ~/x ~root", "/root /root/x /root\n"},
		{"cd /tmp; mkdir -p a; ln -s a b; cd b; pwd -P; builtin pwd -P; command pwd -P; pwd", "/tmp/a\n/tmp/a\n/tmp/a\n/tmp/b\n"},
		{"mkdir -p " + real + "; cd " + real + "; pwd -P", real + "\n"},
		{"command cd " + o.folder + "/" + theSecret + " && pwd", ""},
		{"builtin cd " + o.folder + "/" + theSecret + " && pwd", ""},
		{"pushd " + o.folder + "/" + theSecret + " && pwd", ""},
		{"PATH=" + o.folder + "; type secret.cnf; command -v secret.cnf", ""},
		{"PATH=" + o.folder + "; builtin type secret.cnf && echo OUT", ""},
		{"PATH=" + o.folder + "; command type secret.cnf && echo OUT", ""},
		{"PATH=" + o.folder + "; builtin command -v secret.cnf && echo OUT", ""},
		{"PATH=" + o.folder + "; builtin . secret.cnf && echo OUT", ""},
		{"PATH=" + o.folder + "; command -- type secret.cnf; command -vv secret.cnf; command -V -v secret.cnf", ""},
		{"PATH=" + o.folder + "; hash secret.cnf && echo OUT", ""},
		{"PATH=" + o.folder + "; secret.cnf && echo OUT", ""},
		{"builtin builtin type " + o.secret + " && echo OUT", ""},
		{"command builtin exec " + o.secret + " && echo OUT", ""},
		{"for f in " + o.secret + " /data/file /data/dir/secret.cnf; do [ -e $f ] && echo OUT; [[ -x $f ]] && echo OUT; done", ""},
		{"[ " + o.secret + " -nt /etc/passwd ] && echo OUT; [[ /data/dir -ef " + o.folder + " ]] && echo OUT", ""},
		{"echo /data/dir/* /data/up/* /data/*/s*.cnf; shopt -s globstar; echo " + o.folder + "/**", "/data/dir/* /data/up/* /data/*/s*.cnf\n" + o.folder + "/**\n"},
		{"TMPDIR=" + o.folder + " sh -c 'echo x > " + o.folder + "/sh-interp-x; cat <(echo x)'", ""},
		{"export TMPDIR=" + o.folder + "; echo x > " + o.folder + "/sh-interp-x; bash -c 'echo x > $TMPDIR/sh-interp-x'", ""},
		{"exec 3< " + o.secret + "; cat <&3; read x < " + o.secret + " && echo OUT; mapfile y < " + o.secret + "; echo $y", "bash: -c: line 1: of file descriptors only 0, 1 and 2 are supported here\n"},
		{"while read x; do echo OUT; done < /data/file; cat <<< $(< " + o.secret + ")", "\n"},
		{"HOME=" + o.folder + "; cd && echo OUT; CDPATH=" + o.folder + " cd " + theSecret + " && echo OUT", ""},
		{"echo $UID $EUID $GID", "0 0 0\n"},
	} {
		t.Run(c.script, func(t *testing.T) {
			o.t = t
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("in", "mysql:5.7", "sleep", "9999999"), kubelet.Mount{Source: o.volume, Path: "/data"})
				out, _ := r.exec(p, "bash", "-c", "exec 2> /dev/null; "+c.script)
				assert.Equal(t, c.want, out)
				o.unmoved("", c.script)
			})
		})
	}
}

// streamed returns an xbstream of one file, which has any name.
func streamed(name, content string) []byte {
	head := func(kind byte) []byte {
		b := append([]byte("XBSTCK01"), 0, kind)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
		return append(b, name...)
	}
	b := binary.LittleEndian.AppendUint64(head('P'), uint64(len(content)))
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(content)))
	return append(append(b, content...), head('E')...)
}

func TestNoStreamLeadsOutOfAFolder(t *testing.T) {
	o := newOutside(t)
	synctest.Test(t, func(t *testing.T) {
		o.t = t
		r := newRig(t)
		p := o.victim(r, copier)
		names := append(o.ways(), "dir/new", "up/new", "root"+o.folder+"/new",
			"new", "file", "..", ".", "a/../../x", `..\..\x`, "\x00", "")
		for _, name := range names {
			for _, at := range []string{"/data", "/data/dir", "/data/up", o.folder, "../../data/up", "/data/root" + o.folder} {
				out, code := r.execWith(p, bytes.NewReader(streamed(name, "x")), "xbstream", "-x", "-C", at)
				o.unmoved(strings.ReplaceAll(out, name, ""), name)
				assert.NotZero(t, code+strings.Count(name, `\`), "%q in %s", name, at)
			}
		}
		out, code := r.execWith(p, bytes.NewReader(streamed("sub/x", "x")), "xbstream", "-x", "-C", "/data")
		assert.Zero(t, code, out)
		assert.FileExists(t, filepath.Join(o.volume, "sub", "x"), "then the others are refused for their names")
	})
}

// Programs cannot write to a volume that is mounted to be read, either.
func TestNoProgramWritesIntoWhatIsMountedForReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		shared := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(shared, "xtrabackup_checkpoints"), []byte("backup_type = full-backuped\n"), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(shared, "xtrabackup_logfile"), nil, 0o644))
		p := r.start(pod("copy", copier, "sleep", "9999999"),
			kubelet.Mount{Source: shared, Path: "/data", ReadOnly: true})
		out, code := r.execWith(p, bytes.NewReader(streamed("x", "x")), "xbstream", "-x", "-C", "/data")
		assert.Equal(t, 1, code)
		assert.Contains(t, out, "read-only file system")
		out, code = r.exec(p, "xtrabackup", "--prepare", "--target-dir=/data")
		assert.Equal(t, 1, code)
		assert.Contains(t, out, "read-only file system")

		db := pod("db", "mysql:5.7")
		db.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}}
		r.start(db, kubelet.Mount{Source: shared, Path: "/var/lib/mysql", ReadOnly: true})
		synctest.Wait()
		require.NotNil(t, r.ended(db))
		assert.Contains(t, r.logs(db, corev1.PodLogOptions{}), "read-only file system")

		files, err := os.ReadDir(shared)
		require.NoError(t, err)
		assert.Len(t, files, 2, "%v", files)
	})
}

func TestNoNameInSQLLeadsOutOfTheDataDirectory(t *testing.T) {
	o := newOutside(t)
	synctest.Test(t, func(t *testing.T) {
		o.t = t
		r := newRig(t)
		conf := t.TempDir()
		require.NoError(t, os.Symlink(o.secret, filepath.Join(conf, "out.cnf")))
		parent := t.TempDir() // of the data directory: nothing may appear in it
		data := filepath.Join(parent, "data")
		require.NoError(t, os.Mkdir(data, 0o777))
		db := pod("db", "mysql:5.7", "mysqld", "--server-id=1", "--log-bin=../../../bin.log",
			"--datadir="+o.folder, "--secure-file-priv=", "--relay-log="+o.folder+"/relay", "--log-error="+o.folder+"/log")
		db.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}}
		r.start(db, kubelet.Mount{Source: data, Path: "/var/lib/mysql"})
		time.Sleep(5 * time.Second)
		sql := func(statement string) string {
			out, _ := r.exec(db, "mysql", "-f", "-e", statement)
			return out
		}
		for _, name := range append(o.ways(), "../x", "a/b", "..", ".", "/", "mysql/../../x", `..\x`, "a\x00b") {
			out := sql("CREATE DATABASE `" + name + "`; USE `" + name + "`; CREATE TABLE `" + name + "` (a INT); " +
				"INSERT INTO `" + name + "`.`" + name + "` VALUES (1); SELECT COUNT(*) FROM `" + name + "`.`" + name + "`; " +
				"CREATE DATABASE IF NOT EXISTS d; CREATE TABLE d.`" + name + "` (a INT)")
			o.unmoved(strings.ReplaceAll(out, name, ""), name)
		}
		for _, way := range o.ways() {
			for _, statement := range []string{
				"SELECT 1 INTO OUTFILE '%s'", "SELECT 1 INTO DUMPFILE '%s'", "SELECT LOAD_FILE('%s')",
				"LOAD DATA INFILE '%s' INTO TABLE d.t", "LOAD DATA LOCAL INFILE '%s' INTO TABLE d.t",
				"CREATE TABLE d.o (a INT) DATA DIRECTORY='%s'", "source %s", `\. %s`, `\! cat %s`, "tee %s", `\T %s`, "system cat %s",
				"PURGE BINARY LOGS TO '%s'", "SET GLOBAL general_log_file='%s'", "SET GLOBAL slow_query_log_file='%s'",
				"INSTALL PLUGIN p SONAME '%s'", "SHOW BINLOG EVENTS IN '%s'", "BACKUP TABLE d.t TO '%s'",
			} {
				out := sql(fmt.Sprintf(statement, way))
				assert.Contains(t, out, "ERROR", statement)
				o.unmoved(strings.ReplaceAll(out, way, ""), statement)
			}
		}
		// A slave asks for files of any name.
		slave := pod("slave", "mysql:5.7", "mysqld", "--server-id=2")
		slave.Spec.Containers[0].Env = db.Spec.Containers[0].Env
		r.start(slave)
		time.Sleep(5 * time.Second)
		for _, way := range append(o.ways(), "../x") {
			out, _ := r.exec(slave, "mysql", "-e", "STOP SLAVE; CHANGE MASTER TO MASTER_HOST='"+db.Status.PodIP+
				"', MASTER_USER='root', MASTER_LOG_FILE='"+way+"', MASTER_LOG_POS=4; START SLAVE; SELECT SLEEP(0)")
			time.Sleep(5 * time.Second)
			status, _ := r.exec(slave, "mysql", "-e", `SHOW SLAVE STATUS\G`)
			assert.Contains(t, status, "Slave_IO_Running: No", way)
			o.unmoved(strings.ReplaceAll(out+status, way, ""), way)
		}
		// Option files, one of which is a link.
		linked := pod("linked", "mysql:5.7")
		linked.Spec.Containers[0].Env = db.Spec.Containers[0].Env
		r.start(linked, kubelet.Mount{Source: conf, Path: "/etc/mysql/conf.d"})
		synctest.Wait()
		require.NotNil(t, r.ended(linked), "it says that it cannot read it")
		o.unmoved(r.logs(linked, corev1.PodLogOptions{}), "option file")

		found, err := os.ReadDir(parent)
		require.NoError(t, err)
		assert.Len(t, found, 1, "nothing is beside the data directory")
	})
}

// Whatever a container connects to, nothing of this machine hears of it.
func TestNothingInAContainerReachesThisMachinesRealNetwork(t *testing.T) {
	l, err := net.Listen("tcp", ":0") // on each address that the machine has
	require.NoError(t, err)
	heard := make(chan net.Addr, 1000)
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			heard <- conn.RemoteAddr()
			conn.Close()
		}
	}()
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	hosts := []string{"127.0.0.1", "127.1.2.3", "localhost", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "2130706433", "0x7f.1", "host.docker.internal"}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	addresses, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addresses {
		hosts = append(hosts, a.(*net.IPNet).IP.String())
	}
	t.Setenv("http_proxy", "http://127.0.0.1:"+port)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+port)
	for _, shares := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.machines.SetAddress("node-1", "172.18.0.2")
			var pods []*corev1.Pod
			for _, image := range []string{"mysql:5.7", copier, "busybox"} {
				p := pod("in-"+image[:3], image, "sleep", "9999999")
				p.Spec.HostNetwork = shares
				pods = append(pods, r.start(p))
			}
			for _, host := range hosts {
				for i, lines := range [][]string{
					{"ncat %s %s", "ncat --recv-only %s %s", "mysql -h %s -P %s -e 'SELECT 1'", "mysqladmin -h %s -P %s ping"},
					{"xtrabackup --backup --stream=xbstream --host=%s --port=%s"},
					{"nc %s %s", "nc -z %s %s", "wget -T 1 -qO- http://%s:%s/", "ping -c 1 -W 1 %s"},
				} {
					for _, line := range lines {
						line = strings.Replace(strings.Replace(line, "%s", host, 1), "%s", port, 1)
						out, _ := r.exec(pods[i], "timeout", "9", "sh", "-c", line+" < /dev/null && echo REACHED")
						if !strings.HasPrefix(line, "ping") {
							assert.NotContains(t, out, "REACHED", line)
						}
					}
				}
			}
			out, _ := r.exec(pods[2], "sh", "-c", "for h in "+strings.Join(hosts, " ")+"; do wget -T 1 -qO- http://$h:"+port+"/; done; echo x > /dev/tcp/127.0.0.1/"+port)
			assert.NotContains(t, out, "200 OK")
			// Nor does this machine reach a port that a container opens.
			server := pod("server", "mysql:5.7", "ncat", "-l", "-k", "1023", "-c", "echo in") // a port that no kernel gives to others
			server.Spec.HostNetwork = shares
			r.start(server)
			synctest.Wait()
			out, _ = r.exec(server, "ncat", "--recv-only", "127.0.0.1", "1023")
			assert.Equal(t, "in\n", out, "it is open there")
			_, err := net.DialTimeout("tcp", "127.0.0.1:1023", 100*time.Millisecond)
			assert.Error(t, err)
		})
	}
	require.NoError(t, l.Close())
	assert.Empty(t, heard, "of those that came")
}
