package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

// machine is what lab doctor has said of this one.
var machine struct {
	once sync.Once
	says string
	can  bool
}

// realNeeds skips a test on a machine that cannot have real
// containers, or lacks the files that images are assembled from; if
// they are required it fails.
func realNeeds(t *testing.T, images ...string) {
	t.Helper()
	if os.Getenv("RECONCILE_REAL") == "no" {
		t.Skip("RECONCILE_REAL=no: nothing shall really run")
	}
	slow.Test(t, "it starts real containers")
	machine.once.Do(func() {
		says, err := newHome(t).command("doctor").CombinedOutput()
		machine.says, machine.can = string(says), err == nil
	})
	can := machine.can
	for _, image := range images {
		can = can && !strings.Contains(machine.says, "missing  image "+image)
	}
	if can {
		return
	}
	cannot := "this machine cannot have real containers:\n" + machine.says
	if os.Getenv("RECONCILE_REAL") == "required" {
		t.Fatal(cannot)
	}
	t.Skip(cannot)
}

// realUp starts a lab with real containers, in which the Pod web runs.
func realUp(t *testing.T, h home, arguments ...string) *process {
	t.Helper()
	realNeeds(t, "busybox")
	lab := h.up(append([]string{"--runtime", "runc", "--nodes", "2"}, arguments...)...)
	h.lab(0, "kubectl", "run", "web", "--image=busybox", "--",
		"sh", "-c", "echo hello; echo page > index.html; httpd -f -p 8080")
	h.lab(0, "kubectl", "wait", "--for=condition=Ready", "pod/web", "--timeout=60s")
	return lab
}

func TestRealContainersDoWhatKubectlAsks(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := realUp(t, h)
	assert.Equal(t, "hello\n", h.lab(0, "kubectl", "logs", "web"))
	assert.Equal(t, "web\n", h.lab(0, "kubectl", "exec", "web", "--", "hostname"))
	assert.Contains(t, h.lab(7, "kubectl", "exec", "web", "--", "sh", "-c", "exit 7"), "exit code 7")
	assert.Regexp(t, `runc://\d+\.\d+\.\d+`, h.lab(0, "kubectl", "get", "nodes", "-o", "wide"))

	h.lab(0, "kubectl", "expose", "pod", "web", "--port=80", "--target-port=8080")
	// It reads first: a text that is printed before kubectl is attached may be
	// lost.
	assert.Contains(t, h.lab(0, "kubectl", "run", "ada", "--image=busybox", "-i", "--rm", "--restart=Never",
		"--", "sh", "-c", "read go; until wget -qO- http://web; do sleep 0.1; done"), "page\n")

	h.lab(0, "kubectl", "run", "powerful", "--privileged", "--image=busybox", "--", "true")
	events := h.start("kubectl", "get", "events", "--watch")
	events.prints("Error: securityContext.privileged: real containers of this lab do not have that")
	events.end(syscall.SIGINT)

	require.NoError(t, os.WriteFile(h.file("there"), []byte("of the machine"), 0o644))
	h.lab(0, "kubectl", "cp", "there", "web:/tmp/there")
	h.lab(0, "kubectl", "cp", "web:/tmp/there", "back")
	back, err := os.ReadFile(h.file("back"))
	require.NoError(t, err)
	assert.Equal(t, "of the machine", string(back))
	assert.Contains(t, h.lab(1, "kubectl", "cp", "web:/nosuch", "back"),
		"command terminated with exit code 1\n")

	forward := h.start("kubectl", "port-forward", "web", ":8080")
	forward.prints("Forwarding from 127.0.0.1:")
	port := regexp.MustCompile(`127\.0\.0\.1:(\d+)`).FindStringSubmatch(forward.printed())[1]
	page, err := http.Get("http://127.0.0.1:" + port)
	require.NoError(t, err)
	text, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	assert.Equal(t, "page\n", string(text))
	page.Body.Close()
	forward.end(syscall.SIGINT)

	assert.Equal(t, "node-1 is cut off\n", h.lab(0, "node", "cut", "node-1"))
	assert.Contains(t, h.lab(1, "kubectl", "exec", "web", "--", "hostname"), "no route to host")
	h.lab(0, "node", "start", "node-1")
	assert.Equal(t, "web\n", h.lab(0, "kubectl", "exec", "web", "--", "hostname"))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

// room is a lab's on the machine, seen from outside.
type realRoom struct {
	inner      string // its process
	namespaces map[string]bool
	uid        string // of the Pod
}

func realLookAt(t *testing.T, h home, lab *process) realRoom {
	t.Helper()
	r := realRoom{namespaces: map[string]bool{}}
	pid := lab.command.Process.Pid
	for thread := range realThreads(t, pid) {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread))
		if err == nil && len(children) > 0 {
			r.inner = strings.Fields(string(children))[0]
		}
	}
	require.NotEmpty(t, r.inner)
	for _, kind := range []string{"net", "mnt", "pid"} {
		own, err := os.Readlink("/proc/self/ns/" + kind)
		require.NoError(t, err)
		its, err := os.Readlink("/proc/" + r.inner + "/ns/" + kind)
		require.NoError(t, err)
		require.NotEqual(t, own, its)
		r.namespaces[its] = true
	}
	r.uid = h.lab(0, "kubectl", "get", "pod", "web", "-o", "jsonpath={.metadata.uid}")
	return r
}

func realThreads(t *testing.T, pid int) map[string]bool {
	t.Helper()
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	require.NoError(t, err)
	threads := map[string]bool{}
	for _, thread := range all {
		threads[thread.Name()] = true
	}
	return threads
}

// inIt returns the processes that are in one of the room's namespaces.
func (r realRoom) inIt() (pids []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/ns/*")
	for _, link := range links {
		if in, err := os.Readlink(link); err == nil && r.namespaces[in] {
			pids = append(pids, link)
		}
	}
	return pids
}

// groups returns the control groups of the Pod's container.
func (r realRoom) groups() (all []string) {
	for _, version := range []string{"", "*/"} {
		found, _ := filepath.Glob("/sys/fs/cgroup/" + version + "reconcile-*" + r.uid + "*")
		all = append(all, found...)
	}
	return all
}

func TestNothingIsLeftOfALabWithRealContainers(t *testing.T) {
	t.Parallel()
	before, err := net.Interfaces()
	require.NoError(t, err)
	labs := 1
	for name, end := range map[string]func(*testing.T, *process, realRoom){
		"Ctrl-C": func(t *testing.T, lab *process, _ realRoom) {
			assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
		},
		"kill -9 of the lab": func(t *testing.T, lab *process, _ realRoom) {
			assert.Equal(t, -1, lab.end(syscall.SIGKILL))
		},
		"kill -9 of the lab in the room": func(t *testing.T, lab *process, r realRoom) {
			var pid int
			_, err := fmt.Sscan(r.inner, &pid)
			require.NoError(t, err)
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			<-lab.ended
			lab.command.Wait()
			assert.Equal(t, 1, lab.command.ProcessState.ExitCode())
			assert.Contains(t, lab.printed(), "signal: killed; its containers have ended with it")
		},
	} {
		labs++
		seed := fmt.Sprint(labs) // of the uids, by which its control groups are told from others
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			lab := realUp(t, h, "--seed", seed)
			room := realLookAt(t, h, lab)
			assert.NotEmpty(t, room.inIt(), "there was something to end")
			assert.Equal(t, os.Getuid() == 0, len(room.groups()) > 0, "root has limits")
			end(t, lab, room)
			assert.Eventually(t, func() bool { return len(room.inIt()) == 0 },
				limit, 10*time.Millisecond, "processes in its namespaces: %v", room.inIt())
			mounts, err := os.ReadFile("/proc/self/mountinfo")
			require.NoError(t, err)
			assert.NotContains(t, string(mounts), h.folder)
			after, err := net.Interfaces()
			require.NoError(t, err)
			assert.Len(t, after, len(before))

			again := h.up("--runtime", "runc", "--nodes", "1")
			assert.Empty(t, room.groups())
			assert.Contains(t, h.lab(0, "kubectl", "get", "pods"), "No resources found")
			assert.Equal(t, 0, again.end(syscall.SIGINT), again.printed())
			left, err := filepath.Glob(h.file("reconcile/lab/*-run"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestALabThatCannotHaveRealContainersSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	h := newHome(t, "PATH="+t.TempDir())
	out := h.lab(1, "up", "--runtime", "runc")
	if !strings.Contains(out, "missing  go") {
		assert.Contains(t, out, "missing  Linux")
	}
	assert.NotContains(t, out, "The lab is up")
	assert.Contains(t, h.lab(1, "up", "--runtime", "docker"),
		`lab: --runtime: there is no runtime "docker"; there are simulated, runc, crun`)
}

func TestALabThatFailsInItsRoomSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ program, script, says string }{
		"a runtime that does not run": {"runc", "exit 3",
			"lab: --runtime runc: runc --version: exit status 3\n"},
		"a compiler that does not compile": {"go", "echo it is too old; exit 2",
			"lab: --runtime runc: build the init of containers: exit status 2: it is too old\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			realNeeds(t)
			h.realProgram(c.program, c.script)
			assert.Contains(t, h.lab(1, "up", "--runtime", "runc"), c.says)
			assert.NoDirExists(t, h.file("reconcile/lab/kubeconfig-run"))
		})
	}
}

func TestCtrlCWhileALabStartsIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, whom := range map[string]func(pid int) int{
		"the lab":                   func(pid int) int { return pid },
		"all that the terminal has": func(pid int) int { return -pid },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			realNeeds(t)
			h.begun = &syscall.SysProcAttr{Setpgid: true}
			h.realProgram("go", "touch $HOME/building; exec sleep 60")
			lab := h.start("up", "--runtime", "runc")
			require.Eventually(t, func() bool {
				_, err := os.Stat(h.file("building"))
				return err == nil
			}, limit, time.Millisecond)
			require.NoError(t, syscall.Kill(whom(lab.command.Process.Pid), syscall.SIGINT))
			<-lab.ended
			lab.command.Wait()
			assert.Equal(t, 130, lab.command.ProcessState.ExitCode(), lab.printed())
			assert.Equal(t, "lab: interrupted; nothing is lost\n", lab.printed())
			assert.NoDirExists(t, h.file("reconcile/lab/kubeconfig-run"))
		})
	}
}

func TestLabsWithRealContainersStandSideBySide(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := realUp(t, h)
	assert.Equal(t, os.Getuid() != 0, strings.Contains(lab.printed(),
		"It was not root who started it: limits of memory and CPU do not hold.\n"))
	assert.Contains(t, h.lab(1, "doctor"), "missing  no other lab  one runs already")
	assert.Contains(t, h.lab(1, "up", "--runtime", "runc"), "missing  no other lab")
	other := h.file("other")
	h.lab(0, "doctor", "--kubeconfig", other)
	second := h.up("--runtime", "runc", "--nodes", "1", "--kubeconfig", other)
	assert.Contains(t, h.lab(0, "kubectl", "--kubeconfig", other, "get", "pods"), "No resources")
	assert.Contains(t, h.lab(1, "doctor", "--kubeconfig", other), "one runs already")
	assert.Equal(t, 0, second.end(syscall.SIGINT), second.printed())
	assert.Equal(t, "web\n", h.lab(0, "kubectl", "exec", "web", "--", "hostname"))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

func TestOnlyWhatMakesContainersRealIsExamined(t *testing.T) {
	for _, name := range []string{"docker", "simulated", ""} {
		assert.Contains(t, runLab(t, 1, "doctor", "--runtime", name),
			fmt.Sprintf("lab: --runtime: containers are made real by runc or crun, not by %q\n", name))
	}
}
