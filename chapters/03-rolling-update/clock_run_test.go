package rollingupdate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// The clock of a deadline, second by second, while four Pods are updated one
// after the other: to a version that needs forty seconds to start, and to one
// whose image no registry has.
func TestRunOfTheClockOfADeadline(t *testing.T) {
	type line struct {
		Name   string       `json:"name"`
		Points [][2]float64 `json:"points"`
	}
	var lines []line
	for _, to := range []struct{ name, image string }{{"slow", "web:v2"}, {"stuck", "web:none"}} {
		in(t, rolled(), func(c *kubetest.Cluster) {
			c.SetImage("web:v2", rollingupdate.Web{WarmUp: 40 * time.Second}.Serve)
			kubetest.Create(c, web("web", 4, bounds("0", "1"), deadline(60)))
			c.Advance(10 * time.Minute)
			since := transitionTime(get(c, "web"))
			edit(c, "web", image(to.image))
			c.Settle()
			now := line{Name: to.name}
			for at := 0.0; ; at++ {
				d := get(c, "web")
				left, runs := rollingupdate.UntilStuck(d, &d.Status)
				if !runs {
					break
				}
				if to.name == "slow" {
					assert.Equal(t, since, transitionTime(d), "the status has been true all the time")
				}
				now.Points = append(now.Points, [2]float64{at, left.Seconds()})
				c.Advance(time.Second)
			}
			lines = append(lines, now)
		})
	}
	kubetest.RecordedJSON(t, "clock.json", map[string]any{
		"x": map[string]any{"label": "seconds after the edit"}, "y": map[string]any{"label": "until stuck", "unit": "seconds"},
		"series": lines,
	})
}

func transitionTime(d *appsv1.Deployment) time.Time {
	return deployment.FindCondition(&d.Status, appsv1.DeploymentProgressing).LastTransitionTime.Time
}
