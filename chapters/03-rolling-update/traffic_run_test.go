package rollingupdate_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// An update of three Pods under twenty requests a second, in four ways.
type crossing struct {
	name   string
	how    func(*appsv1.Deployment)
	linger time.Duration
}

var crossings = []crossing{
	{"recreate", recreates, 0},
	{"no-probe", unprobed, 0},
	{"probe", func(*appsv1.Deployment) {}, 0},
	{"graceful", func(*appsv1.Deployment) {}, 2 * time.Second},
}

func recreates(d *appsv1.Deployment) {
	d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
}

func unprobed(d *appsv1.Deployment) {
	d.Spec.Template.Spec.Containers[0].ReadinessProbe = nil
}

// cross updates a Deployment five seconds after requests begin to be made, and
// returns the answers of half a minute, and the end of the first Pod to go.
func cross(t *testing.T, how crossing) (all rollingupdate.Answers, first *farewell) {
	server := rollingupdate.Web{
		WarmUp: 3 * time.Second, Work: 15 * time.Millisecond, Linger: how.linger,
	}
	withTraffic(t, server, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 3, how.how))
		c.Advance(10 * time.Second)
		tables := c.tables()
		began := c.Elapsed()
		end := c.begin(s, 20)
		c.Advance(5 * time.Second)
		edit(c.Cluster, "web", image("web:v2"))
		c.Advance(25 * time.Second)
		all = end()
		require.Len(t, all, 600)
		first = farewellOf(t, c.Writes(), tables(), all, began)
	})
	return all, first
}

// outcome says how some requests fared.
type outcome struct {
	Asked int `json:"asked"`
	V1    int `json:"v1"`
	V2    int `json:"v2"`
	Lost  int `json:"lost"`
}

func sum(answers rollingupdate.Answers) outcome {
	count := answers.ByVersion()
	return outcome{len(answers), count["v1"], count["v2"], answers.Lost()}
}

// within returns the answers to the requests from one time to another.
func within(all rollingupdate.Answers, from, to time.Duration) (some rollingupdate.Answers) {
	for _, answer := range all {
		if answer.At >= from && answer.At < to {
			some = append(some, answer)
		}
	}
	return some
}

func TestRunOfLostRequests(t *testing.T) {
	var log bytes.Buffer
	totals, farewells := map[string]outcome{}, map[string]*farewell{}
	for _, how := range crossings {
		all, first := cross(t, how)
		farewells[how.name] = first
		totals[how.name] = sum(all)
		fmt.Fprintf(&log, "# part: %s\nsecond   v1   v2   lost\n", how.name)
		for second := range 30 {
			at := time.Duration(second) * time.Second
			now := sum(within(all, at, at+time.Second))
			if second < 4 || now.V2 == now.Asked {
				continue // nothing has begun; all is over
			}
			fmt.Fprintf(&log, "%6d %4d %4d %6s\n", second, now.V1, now.V2, some(now.Lost))
		}
		fmt.Fprintf(&log, "%6s %4d %4d %6d\n", "all", totals[how.name].V1,
			totals[how.name].V2, totals[how.name].Lost)
	}
	kubetest.Recorded(t, "lost.txt", log.Bytes())
	kubetest.RecordedJSON(t, "lost.json", totals)
	kubetest.RecordedJSON(t, "farewell.json", map[string]*farewell{
		"at-once": farewells["probe"], "graceful": farewells["graceful"],
	})
	assert.Zero(t, totals["graceful"].Lost)
}

func some(n int) string {
	if n == 0 {
		return "."
	}
	return fmt.Sprint(n)
}

// Two Deployments behind one Service: the share of each is its share of Pods.
func TestRunOfACanary(t *testing.T) {
	shares := map[string]outcome{}
	withTraffic(t, brisk, func(c traffic) {
		c.proxy.Choose = rand.New(rand.NewPCG(3, 0)).IntN
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("stable", 9, labelled("web")))
		kubetest.Create(c.Cluster, web("canary", 1, labelled("web"), image("web:v2")))
		c.Advance(10 * time.Second)
		shares["one"] = sum(c.ask(s, 50, 20*time.Second))
		edit(c.Cluster, "canary", sized(3))
		edit(c.Cluster, "stable", sized(7))
		c.Advance(10 * time.Second)
		shares["three"] = sum(c.ask(s, 50, 20*time.Second))
		edit(c.Cluster, "canary", sized(0))
		edit(c.Cluster, "stable", sized(10))
		c.Advance(10 * time.Second)
		shares["none"] = sum(c.ask(s, 50, 20*time.Second))
	})
	kubetest.RecordedJSON(t, "canary.json", shares)
}

// Two Deployments side by side, and a Service that points to one, then to the
// other, then back.
func TestRunOfBlueAndGreen(t *testing.T) {
	var log bytes.Buffer
	colour := func(name string) map[string]string { return map[string]string{"app": "web", "track": name} }
	var all rollingupdate.Answers
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", colour("blue")))
		kubetest.Create(c.Cluster, web("blue", 3, labelled("web")))
		kubetest.Create(c.Cluster, web("green", 3, labelled("web"), image("web:v2")))
		c.Advance(10 * time.Second)
		end := c.begin(s, 20)
		for _, name := range []string{"green", "blue"} {
			c.Advance(2 * time.Second)
			kubetest.Edit(c.Cluster, s, func(s *corev1.Service) { s.Spec.Selector = colour(name) })
		}
		c.Advance(2 * time.Second)
		all = end()
	})
	fmt.Fprintln(&log, "from      v1   v2   lost")
	for at := time.Duration(0); at < 6*time.Second; at += 500 * time.Millisecond {
		now := sum(within(all, at, at+500*time.Millisecond))
		fmt.Fprintf(&log, "%4.1f s %5d %4d %6s\n", at.Seconds(), now.V1, now.V2, some(now.Lost))
	}
	kubetest.Recorded(t, "blue-green.txt", log.Bytes())
	kubetest.RecordedJSON(t, "blue-green.json", sum(all))
	assert.Zero(t, all.Lost())
}

// Two Services, and a front before them that knows each user.
func TestRunOfAAndB(t *testing.T) {
	shares := map[string]outcome{}
	withTraffic(t, brisk, func(c traffic) {
		a := kubetest.Create(c.Cluster, service("web-a", map[string]string{"track": "a"}))
		b := kubetest.Create(c.Cluster, service("web-b", map[string]string{"track": "b"}))
		kubetest.Create(c.Cluster, web("a", 2, labelled("web")))
		kubetest.Create(c.Cluster, web("b", 2, labelled("web"), image("web:v2")))
		c.SetImage("front:v1", front(a, b))
		kubetest.Create(c.Cluster, web("front", 1, image("front:v1"), unprobed))
		door := kubetest.Create(c.Cluster, service("front", app("front")))
		c.Advance(10 * time.Second)
		end := c.begin(door, 30)
		beta := c.beginAt(door, 10, "/?beta")
		c.Advance(20 * time.Second)
		shares["others"], shares["beta"] = sum(end()), sum(beta())
	})
	kubetest.RecordedJSON(t, "a-and-b.json", shares)
}

// front returns a program that asks one Service for people who want to try the
// new version, and another for all others.
func front(a, b *corev1.Service) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		client := &http.Client{Transport: &http.Transport{
			DialContext: p.Dial, DisableKeepAlives: true,
		}}
		serve := func(w http.ResponseWriter, r *http.Request) {
			s := a
			if r.URL.Query().Has("beta") {
				s = b
			}
			page, err := client.Get("http://" + s.Spec.ClusterIP)
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			defer page.Body.Close()
			io.Copy(w, page.Body)
		}
		return kubetest.Serves(80, serve)(ctx, p)
	}
}
