package lab_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/lab"
)

// placed returns a Pod that is bound to a node already, and tolerates all of
// its taints.
func placed(name, node string) *corev1.Pod {
	p := pod("default", name)
	p.Spec.NodeName = node
	p.Spec.Containers[0].Image = "nginx:1.27"
	p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	return p
}

// pass lets time pass, and waits until all is quiet.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// pod returns a Pod of the default namespace, or nil when it is gone.
func (f fixture) pod(name string) *corev1.Pod {
	f.t.Helper()
	obj, err := f.Store.Get(f.t.Context(), controlloop.PodKind,
		controlloop.Key{Namespace: "default", Name: name})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(f.t, err)
	return obj.(*corev1.Pod)
}

// on returns the Pods of the default namespace that a node has.
func (f fixture) on(node string) (pods []*corev1.Pod) {
	for _, p := range f.pods("default") {
		if p.Spec.NodeName == node {
			pods = append(pods, p)
		}
	}
	return pods
}

func (f fixture) restarts(name string) int {
	return int(f.pod(name).Status.ContainerStatuses[0].RestartCount)
}

func TestAMachineThatIsAddedTakesPods(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		name, err := f.AddNode()
		require.NoError(f.t, err)
		synctest.Wait() // until the scheduler has heard of it
		assert.Equal(f.t, "node-2", name)
		assert.Equal(f.t, "10.244.2.0/24", f.node("node-2").Spec.PodCIDR)
		f.create(three("default"))
		assert.NotEmpty(f.t, f.on("node-2"))
		for _, p := range f.pods("default") {
			assert.Equal(f.t, corev1.PodRunning, p.Status.Phase)
		}
		assert.NotNil(f.t, f.Controller("kubelet node-2"))
	})
}

func TestTheFirstMachineBringsItsVolumesAlong(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		_, err := f.AddNode()
		require.NoError(f.t, err)
		_, err = f.AddNode()
		require.NoError(f.t, err)
		p := placed("web", "node-1")
		p.Spec.Volumes = []corev1.Volume{{Name: "data"}}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
		f.create(p)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
		assert.NotNil(f.t, f.Controller("provisioner"))
	})
}

func TestThereIsRoomFor254Machines(t *testing.T) {
	l, err := lab.New(lab.Options{Nodes: 253})
	require.NoError(t, err)
	defer l.Close()
	_, err = l.AddNode()
	require.NoError(t, err)
	_, err = l.AddNode()
	assert.EqualError(t, err, "a lab has 254 machines at most")
}

func TestNothingOfAMachineThatIsCutOffReachesTheAPI(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.create(placed("stays", "node-1"))
		f.create(placed("ends", "node-1"))
		require.NoError(f.t, f.Cut("node-1"))
		f.delete(controlloop.PodKind, "default", "ends")
		f.create(placed("comes", "node-1"))
		told := f.toldBy("node-1")
		pass(30 * time.Minute)
		assert.NotNil(f.t, f.pod("ends"))
		assert.Equal(f.t, corev1.PodPending, f.pod("comes").Status.Phase)
		assert.Equal(f.t, told, f.toldBy("node-1"))
		assert.Equal(f.t, corev1.ConditionUnknown, readiness(f.node("node-1")).Status)

		require.NoError(f.t, f.Start("node-1"))
		pass(time.Minute)
		assert.Nil(f.t, f.pod("ends"))
		assert.Equal(f.t, corev1.PodRunning, f.pod("comes").Status.Phase)
		assert.Zero(f.t, f.restarts("stays"))
		assert.Equal(f.t, corev1.ConditionTrue, readiness(f.node("node-1")).Status)
	})
}

// toldBy counts the events that come from a machine.
func (f fixture) toldBy(node string) (n int) {
	for _, obj := range f.list(eventKind, "") {
		if obj.(*corev1.Event).Source.Host == node {
			n++
		}
	}
	return n
}

// A container takes its time to start; when it has, its kubelet cannot tell the
// API.
func TestWhatIsUnderWayWhenTheCableIsPulledIsNotTold(t *testing.T) {
	running(t, lab.Options{Nodes: 1, Pace: 3 * time.Second}, func(f fixture) {
		f.create(placed("web", "node-1"))
		pass(time.Second)
		require.NoError(f.t, f.Cut("node-1"))
		pass(time.Minute)
		assert.Equal(f.t, corev1.PodPending, f.pod("web").Status.Phase)
		for _, obj := range f.list(eventKind, "default") {
			assert.NotEqual(f.t, "Started", obj.(*corev1.Event).Reason)
		}
		require.NoError(f.t, f.Start("node-1"))
		pass(time.Second)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
		assert.Zero(f.t, f.restarts("web"))
	})
}

func TestAMachineThatIsSwitchedOffWhileAContainerStartsHasNone(t *testing.T) {
	running(t, lab.Options{Nodes: 1, Pace: 3 * time.Second}, func(f fixture) {
		f.create(placed("web", "node-1"))
		pass(time.Second)
		require.NoError(f.t, f.Stop("node-1"))
		pass(time.Minute)
		require.NoError(f.t, f.Start("node-1"))
		pass(time.Second)
		assert.Equal(f.t, corev1.PodPending, f.pod("web").Status.Phase)
		pass(3 * time.Second)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
	})
}

func TestAMachineThatWasOffStartsItsContainersAnew(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		once := placed("once", "node-1")
		once.Spec.RestartPolicy = corev1.RestartPolicyNever
		f.create(once)
		f.create(placed("web", "node-1"))
		f.create(placed("ends", "node-1"))
		booted := f.node("node-1").Status.NodeInfo.BootID
		for boots := 1; boots <= 2; boots++ {
			pass(time.Minute)
			require.NoError(f.t, f.Stop("node-1"))
			if boots == 1 {
				f.delete(controlloop.PodKind, "default", "ends")
			}
			pass(time.Minute)
			assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase, "nobody says otherwise")
			require.NoError(f.t, f.Start("node-1"))
			pass(time.Second)
			assert.Equal(f.t, boots, f.restarts("web"))
		}
		status := f.pod("web").Status.ContainerStatuses[0]
		require.NotNil(f.t, status.State.Running)
		assert.EqualValues(f.t, 255, status.LastTerminationState.Terminated.ExitCode)
		assert.Equal(f.t, "Unknown", status.LastTerminationState.Terminated.Reason)
		assert.Nil(f.t, f.pod("ends"))
		assert.Equal(f.t, corev1.PodFailed, f.pod("once").Status.Phase)
		assert.NotEqual(f.t, booted, f.node("node-1").Status.NodeInfo.BootID)
		assert.Contains(f.t, f.reasons("Node"), "Rebooted")
	})
}

// reasons returns the reasons of the events about objects of a kind.
func (f fixture) reasons(kind string) (reasons []string) {
	for _, obj := range f.list(eventKind, "") {
		if e := obj.(*corev1.Event); e.InvolvedObject.Kind == kind {
			reasons = append(reasons, e.Reason)
		}
	}
	return reasons
}

func TestANodeThatIsDeletedComesBackWhenItsMachineIsStarted(t *testing.T) {
	for name, before := range map[string]func(f fixture) error{
		"running": func(fixture) error { return nil },
		"cut":     func(f fixture) error { return f.Cut("node-1") },
		"off":     func(f fixture) error { return f.Stop("node-1") },
	} {
		t.Run(name, func(t *testing.T) {
			running(t, lab.Options{Nodes: 1}, func(f fixture) {
				require.NoError(f.t, before(f))
				f.delete(nodeKind, "", "node-1")
				pass(time.Hour)
				require.Empty(f.t, f.list(nodeKind, ""))
				require.NoError(f.t, f.Start("node-1"))
				assert.Equal(f.t, corev1.ConditionTrue, readiness(f.node("node-1")).Status)
				f.create(placed("web", "node-1"))
				assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
			})
		})
	}
}

func TestACordonOutlivesAStart(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		node := f.node("node-1")
		node.Spec.Unschedulable = true
		f.update(node)
		require.NoError(f.t, f.Stop("node-1"))
		require.NoError(f.t, f.Start("node-1"))
		assert.True(f.t, f.node("node-1").Spec.Unschedulable)
	})
}

func TestWhatCannotBeDoneToAMachineIsTold(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		assert.EqualError(f.t, f.Start("node-1"), "node-1 is running already")
		assert.EqualError(f.t, f.Cut("node-3"), `there is no machine "node-3"; there are node-1 to node-2`)
		require.NoError(f.t, f.Cut("node-1"))
		assert.EqualError(f.t, f.Cut("node-1"), "node-1 is cut off already")
		require.NoError(f.t, f.Stop("node-1"))
		assert.EqualError(f.t, f.Cut("node-1"), "node-1 is switched off")
		assert.EqualError(f.t, f.Stop("node-1"), "node-1 is switched off already")
	})
}

// New controllers begin with the machines that exist, and their state.
func TestARestartKnowsWhichMachinesAreOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(lab.Options{Nodes: 2})
		require.NoError(t, err)
		defer l.Close()
		f := fixture{l, t}
		stop := run(l)
		synctest.Wait()
		_, err = l.AddNode()
		require.NoError(t, err)
		require.NoError(t, l.Cut("node-1"))
		require.NoError(t, l.Stop("node-2"))
		stop()
		l.Restart()
		defer run(l)()
		synctest.Wait()
		for _, name := range []string{"node-1", "node-2", "node-3"} {
			f.create(placed(name, name))
		}
		assert.Equal(t, corev1.PodPending, f.pod("node-1").Status.Phase)
		assert.Equal(t, corev1.PodPending, f.pod("node-2").Status.Phase)
		assert.Equal(t, corev1.PodRunning, f.pod("node-3").Status.Phase)
		require.NoError(t, l.Start("node-1"))
		require.NoError(t, l.Start("node-2"))
		synctest.Wait()
		assert.Equal(t, corev1.PodRunning, f.pod("node-1").Status.Phase)
		assert.Equal(t, corev1.PodRunning, f.pod("node-2").Status.Phase)
	})
}

// A lab that is stepped comes to rest, whatever the state of its machines.
func TestALabThatStepsComesToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(lab.Options{Nodes: 1})
		require.NoError(t, err)
		defer l.Close()
		f := fixture{l, t}
		rest := func() {
			for range 1000 {
				synctest.Wait()
				more, err := l.Step(context.Background(), controlloop.InOrder)
				require.NoError(t, err)
				if !more {
					return
				}
			}
			require.Fail(t, "it runs in circles")
		}
		_, err = l.AddNode()
		require.NoError(t, err)
		for _, name := range []string{"node-1", "node-2"} {
			f.create(placed(name, name))
			rest()
			require.Equal(t, corev1.PodRunning, f.pod(name).Status.Phase)
			require.NoError(t, l.Cut(name))
			f.delete(controlloop.PodKind, "default", name)
			rest()
			require.NotNil(t, f.pod(name))
			require.NoError(t, l.Start(name))
			rest()
			require.Nil(t, f.pod(name))
			f.create(placed(name, name))
			rest()
			require.NoError(t, l.Stop(name))
			rest()
			require.NoError(t, l.Start(name))
			rest()
			require.Equal(t, 1, f.restarts(name))
		}
		due, any := l.NextDue()
		require.True(t, any, "events are forgotten")
		assert.True(t, due.After(time.Now()))
	})
}

// asker returns a Pod that asks an address every ten seconds, and prints who
// answered.
func asker(name, node, address string) *corev1.Pod {
	p := placed(name, node)
	p.Spec.Containers[0].Image = "busybox:1.36"
	p.Spec.Containers[0].Command = []string{"sh", "-c",
		"while true; do wget -q -O /dev/null " + address + " && echo yes || echo no; sleep 10; done"}
	return p
}

func (f fixture) log(name string) string {
	f.t.Helper()
	log, err := f.Machines.Logs(f.t.Context(), f.pod(name), &corev1.PodLogOptions{Container: "web"})
	require.NoError(f.t, err)
	defer log.Close()
	text, err := io.ReadAll(log)
	require.NoError(f.t, err)
	return string(text)
}

func TestACableReachesAsFarAsItsMachine(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.create(placed("one", "node-1"))
		f.create(placed("two", "node-2"))
		f.create(asker("within", "node-1", "10.244.1.2"))
		f.create(asker("out", "node-1", "10.244.2.2"))
		f.create(asker("in", "node-2", "10.244.1.2"))
		pass(15 * time.Second)
		require.NoError(f.t, f.Cut("node-1"))
		pass(20 * time.Second) // the asker waits three seconds for an answer
		require.NoError(f.t, f.Start("node-1"))
		pass(20 * time.Second)
		assert.Equal(f.t, "yes\nyes\nyes\nyes\nyes\nyes\n", f.log("within"))
		const no = "wget: can't connect to remote host (10.244.%d.2): No route to host\nno\n"
		assert.Equal(f.t, "yes\nyes\n"+fmt.Sprintf(no, 2)+"yes\nyes\n", f.log("out"))
		assert.Equal(f.t, "yes\nyes\n"+fmt.Sprintf(no, 1)+"yes\nyes\n", f.log("in"))
	})
}

// kubectl prints the API server's words: see pkg/registry/core/pod.
func TestNobodyLooksIntoAMachineThatIsCutOff(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(placed("web", "node-1"))
		require.NoError(f.t, f.Cut("node-1"))
		const refused = `"https://172.18.0.2:10250/%s/default/web/web%s": dial tcp 172.18.0.2:10250: connect: no route to host`
		began := time.Now()
		_, err := f.Machines.Logs(f.t.Context(), f.pod("web"),
			&corev1.PodLogOptions{Container: "web", TailLines: new(int64(3)), Previous: true})
		assert.EqualError(f.t, err, "Get "+fmt.Sprintf(refused, "containerLogs", "?previous=true&tailLines=3"))
		assert.Equal(f.t, 3*time.Second, time.Since(began))
		var out bytes.Buffer
		_, err = f.Machines.Exec(f.t.Context(), f.pod("web"), "web", []string{"ls", "-l"}, streams.IO{Stdout: &out})
		assert.EqualError(f.t, err, "Internal error occurred: error sending request: Post "+
			fmt.Sprintf(refused, "exec", "?command=ls&command=-l&output=1"))
		_, err = f.Machines.Attach(f.t.Context(), f.pod("web"), "web", streams.IO{Stdout: &out, TTY: true})
		assert.EqualError(f.t, err, "Internal error occurred: error sending request: Post "+
			fmt.Sprintf(refused, "attach", "?output=1&tty=1"))
		_, err = f.Machines.Dial(f.t.Context(), f.pod("web"), 80)
		assert.EqualError(f.t, err, "dial tcp 10.244.1.2:80: connect: no route to host")
		require.NoError(f.t, f.Start("node-1"))
		assert.Contains(f.t, f.log("web"), "nginx/1.27")
	})
}
