package kubelet_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// questions notes when a container is asked, and answers as it is told to.
type questions struct {
	start  time.Time
	at     []time.Duration
	answer func(n int) bool // to the n-th question, from 1; nil: yes
}

// program returns one that is asked by exec: any command that it is
// told to run is a question.
func (q *questions) program() simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		q.start = time.Now()
		return kubetest.Answers(func(context.Context, []string) int {
			q.at = append(q.at, time.Since(q.start))
			if q.answer == nil || q.answer(len(q.at)) {
				return 0
			}
			return 1
		})(ctx, p)
	}
}

// probedPod returns a Pod of one container with this readiness probe.
func probedPod(probe *corev1.Probe) *corev1.Pod {
	app := kubetest.Container("app", "app")
	app.ReadinessProbe = probe
	return kubetest.Pod("web", app)
}

// timeline returns how long after its start a Pod turned ready, and unready
// again.
func timeline(c *kubetest.Cluster, name string) (turns []time.Duration) {
	ready := false
	start := time.Duration(-1)
	for _, w := range c.Writes() {
		pod, isPod := w.Object.(*corev1.Pod)
		if !isPod || pod.Name != name {
			continue
		}
		if start < 0 {
			start = w.At
		}
		if kubetest.Ready(pod) != ready {
			ready = !ready
			turns = append(turns, w.At-start)
		}
	}
	return turns
}

func TestAProbeIsAskedAfterItsDelayAndOnceAPeriod(t *testing.T) {
	t.Parallel()
	q := &questions{}
	in(t, oneNode(simulated.Images{"app": q.program()}), func(c *kubetest.Cluster) {
		probe := kubetest.Exec("ready")
		probe.InitialDelaySeconds, probe.PeriodSeconds = 7, 4
		kubetest.Create(c, probedPod(probe))
		c.Advance(20 * time.Second)
		assert.Equal(t, seconds(7, 11, 15, 19), q.at)
		assert.Equal(t, seconds(7), timeline(c, "web"))
	})
}

func TestReadinessFollowsItsThresholds(t *testing.T) {
	answers := "nyynyynnynnnyyy" // one a second
	q := &questions{answer: func(n int) bool {
		return n > len(answers) || answers[n-1] == 'y'
	}}
	in(t, oneNode(simulated.Images{"app": q.program()}), func(c *kubetest.Cluster) {
		probe := kubetest.Exec("ready")
		probe.PeriodSeconds, probe.SuccessThreshold, probe.FailureThreshold = 1, 2, 3
		kubetest.Create(c, probedPod(probe))
		c.Advance(time.Minute)
		assert.Equal(t, seconds(3, 12, 14), timeline(c, "web"),
			"two in a row make it ready, three make it unready")
		assert.Zero(t, c.Pod("web").Status.ContainerStatuses[0].RestartCount,
			"readiness only takes a Pod out")
	})
}

func TestHTTPProbes(t *testing.T) {
	server := kubetest.Serves(8080, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
		case "/moved":
			http.Redirect(w, r, "/broken", http.StatusFound)
		case "/header":
			if r.Header.Get("X-Probe") != "yes" {
				w.WriteHeader(http.StatusForbidden)
			}
		case "/slow":
			select {
			case <-time.After(1500 * time.Millisecond):
			case <-r.Context().Done():
			}
		default:
			http.NotFound(w, r)
		}
	})
	for name, test := range map[string]struct {
		path    string
		port    intstr.IntOrString
		timeout int32
		want    bool
	}{
		"200":                          {"/ok", intstr.FromInt32(8080), 1, true},
		"302 is not followed":          {"/moved", intstr.FromInt32(8080), 1, true},
		"404":                          {"/none", intstr.FromInt32(8080), 1, false},
		"a port by its name":           {"/ok", intstr.FromString("web"), 1, true},
		"a port where nobody is":       {"/ok", intstr.FromInt32(81), 1, false},
		"a header":                     {"/header", intstr.FromInt32(8080), 1, true},
		"slow, and there is no time":   {"/slow", intstr.FromInt32(8080), 1, false},
		"slow, and there is time":      {"/slow", intstr.FromInt32(8080), 2, true},
		"a name that no port has":      {"/ok", intstr.FromString("admin"), 1, false},
		"200 from a path with a query": {"/ok?deep=true", intstr.FromInt32(8080), 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, oneNode(simulated.Images{"app": server}), func(c *kubetest.Cluster) {
				probe := kubetest.HTTPGet(test.path, test.port)
				probe.TimeoutSeconds = test.timeout
				probe.HTTPGet.HTTPHeaders = []corev1.HTTPHeader{{Name: "X-Probe", Value: "yes"}}
				pod := probedPod(probe)
				pod.Spec.Containers[0].Ports = []corev1.ContainerPort{
					{Name: "web", ContainerPort: 8080}}
				kubetest.Create(c, pod)
				c.Advance(5 * time.Second)
				assert.Equal(t, test.want, kubetest.Ready(c.Pod("web")))
			})
		})
	}
}

func TestTCPProbes(t *testing.T) {
	images := simulated.Images{"app": kubetest.Serves(5432, nil)}
	for port, want := range map[int32]bool{5432: true, 5433: false} {
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			kubetest.Create(c, probedPod(kubetest.TCPSocket(intstr.FromInt32(port))))
			c.Advance(5 * time.Second)
			assert.Equal(t, want, kubetest.Ready(c.Pod("web")), port)
		})
	}
}

func TestAnAnswerThatComesTooLateIsNone(t *testing.T) {
	for name, answer := range map[string]func(context.Context, []string) int{
		"it hangs": func(ctx context.Context, _ []string) int {
			<-ctx.Done()
			return 0
		},
		"it does not listen": func(context.Context, []string) int {
			time.Sleep(3 * time.Second)
			return 0
		},
	} {
		images := simulated.Images{"app": kubetest.Answers(answer)}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			probe := kubetest.Exec("ready")
			probe.TimeoutSeconds = 2
			kubetest.Create(c, probedPod(probe))
			c.Advance(time.Minute)
			assert.Empty(t, timeline(c, "web"), name)
		})
	}
}

func TestAProgramWithoutCommandsFailsAnExecProbe(t *testing.T) {
	in(t, oneNode(simulated.Images{"app": kubetest.Sleeps(0)}), func(c *kubetest.Cluster) {
		kubetest.Create(c, probedPod(kubetest.Exec("ready")))
		c.Advance(time.Minute)
		assert.Empty(t, timeline(c, "web"))
	})
}

func TestOneOfTwoContainersIsNotReady(t *testing.T) {
	q := &questions{answer: func(n int) bool { return n > 2 }}
	images := simulated.Images{"app": q.program(), "other": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := probedPod(kubetest.Exec("ready"))
		pod.Spec.Containers = append(pod.Spec.Containers, kubetest.Container("other", "other"))
		kubetest.Create(c, pod)
		c.Advance(20 * time.Second)
		now := c.Pod("web")
		assert.Equal(t, "Running: Running, Ready", looks(now))
		assert.Equal(t, "False ContainersNotReady containers with unready status: [app]",
			conditions(now)[corev1.PodReady], "a Pod is ready when all of it is")
		c.Advance(time.Second)
		assert.Equal(t, "True", conditions(c.Pod("web"))[corev1.PodReady])
	})
}

func TestAnAttemptIsCountedFromNothing(t *testing.T) {
	q := &questions{answer: func(int) bool { return false }}
	in(t, oneNode(simulated.Images{"app": q.program()}), func(c *kubetest.Cluster) {
		app := kubetest.Container("app", "app")
		app.LivenessProbe = kubetest.Exec("alive")
		app.LivenessProbe.InitialDelaySeconds, app.LivenessProbe.PeriodSeconds = 2, 1
		kubetest.Create(c, kubetest.Pod("web", app))
		c.Advance(30 * time.Second)
		assert.Equal(t, seconds(2, 3, 4, 2, 3, 4, 2, 3, 4), q.at,
			"three questions to each attempt, after its delay")
	})
}

// A port that is open, but whose calls are not taken, is as good as closed.
func TestAConnectionThatNobodyTakesTimesOut(t *testing.T) {
	images := simulated.Images{
		"app": func(ctx context.Context, p *simulated.Process) int {
			_, err := p.Listen(80)
			if err != nil {
				return 1
			}
			<-ctx.Done()
			return 0
		},
	}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, probedPod(kubetest.TCPSocket(intstr.FromInt32(80))))
		kubetest.Create(c, kubetest.Pod("other"))
		c.Advance(time.Minute)
		assert.Equal(t, "Running: Running", looks(c.Pod("web")))
	})
}

func TestAProbeThatHangsHoldsUpNoOtherPod(t *testing.T) {
	images := simulated.Images{
		"app": kubetest.Answers(func(ctx context.Context, _ []string) int {
			<-ctx.Done()
			return 1
		}),
	}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		c.Run()
		probe := kubetest.Exec("ready")
		probe.TimeoutSeconds = 600
		kubetest.Create(c, probedPod(probe))
		c.Advance(5 * time.Second)
		kubetest.Create(c, kubetest.Pod("other"))
		c.Settle()
		assert.True(t, kubetest.Ready(c.Pod("other")), "it waits behind another Pod's probe")
	})
}
