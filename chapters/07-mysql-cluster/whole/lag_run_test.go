package whole_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// line is one of a plot's.
type line struct {
	Name   string   `json:"name"`
	Points [][2]any `json:"points"`
}

// An absence is from the last second with an answer to the next that has one.
type absence struct {
	Name string `json:"name"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// note adds a second without an answer.
func (a *absence) note(second int) {
	if a.To == 0 {
		a.From = second - 1
	}
	a.To = second + 1
}

// lives are lanes of Pods, one for each ordinal.
type lives struct {
	began time.Time
	lanes []*lane
}

type lane struct {
	Name    string `json:"name"`
	Ordinal int    `json:"ordinal"`
	Phases  []turn `json:"phases"`
}

type turn struct {
	At time.Duration `json:"at"`
	Is string        `json:"is"`
}

// livesOf begins with Pods that are ready.
func livesOf(pods int) *lives {
	l := &lives{began: time.Now()}
	for i := range pods {
		l.lanes = append(l.lanes, &lane{fmt.Sprintf("mysql-%d", i), i, []turn{{0, "ready"}}})
	}
	return l
}

// note adds what a Pod is after a write.
func (l *lives) note(w controlloop.Write) {
	pod := w.Object.(*corev1.Pod)
	var ordinal int
	if n, _ := fmt.Sscanf(pod.Name, "mysql-%d", &ordinal); n == 0 {
		return
	}
	is := "created"
	switch {
	case w.Type == watch.Deleted:
		is = "gone"
	case pod.DeletionTimestamp != nil:
		is = "ending"
	case kubetest.Ready(pod):
		is = "ready"
	}
	lane := l.lanes[ordinal]
	last := &lane.Phases[len(lane.Phases)-1]
	switch now := time.Since(l.began); {
	case last.Is == is:
	case last.At == now: // nobody saw what it was
		last.Is = is
	default:
		lane.Phases = append(lane.Phases, turn{now, is})
	}
}

// Orders are inserted, and counted at the master and at a slave, of which first
// the one and then the other is deleted.
func TestRunOfTwoDeletions(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		b.until(5*time.Minute, "all are ready", func() bool { return b.areReady(3) })
		b.must(0, "CREATE DATABASE shop")
		b.must(0, "CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, at DATETIME)")
		time.Sleep(10 * time.Second)
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1300 * time.Millisecond)))

		l := livesOf(3)
		b.records.Lock()
		b.records.heard = l.note
		b.records.Unlock()
		acknowledged := 0
		lines := []line{{Name: "acknowledged"}, {Name: "mysql-2 has"}}
		slave, master := absence{Name: "mysql-2 is away"}, absence{Name: "mysql-0 is away"}
		for second := range 121 {
			if _, err := b.ask(0, "INSERT INTO shop.orders (at) VALUES (NOW()), (NOW())"); err == nil {
				acknowledged += 2
			} else {
				master.note(second)
			}
			lines[0].Points = append(lines[0].Points, [2]any{second, acknowledged})
			time.Sleep(400 * time.Millisecond)
			if r, err := b.ask(2, "SELECT COUNT(*) FROM shop.orders"); err == nil {
				lines[1].Points = append(lines[1].Points, [2]any{second, r.Rows[0][0]})
			} else {
				slave.note(second)
			}
			time.Sleep(200 * time.Millisecond)
			switch second {
			case 20:
				exDeletePod(b, "mysql-2")
			case 70:
				exDeletePod(b, "mysql-0")
			}
			time.Sleep(400 * time.Millisecond)
		}
		b.records.Lock()
		defer b.records.Unlock()
		kubetest.RecordedJSON(t, "../../testdata/lives.json", map[string]any{
			"until":  120 * time.Second,
			"groups": []any{map[string]any{"label": "Pods", "lanes": l.lanes}},
		})
		kubetest.RecordedJSON(t, "../../testdata/lag.json", map[string]any{
			"x":      map[string]any{"label": "seconds", "unit": "s"},
			"y":      map[string]any{"label": "orders"},
			"series": lines, "absences": []absence{slave, master}, "lack": "orders that mysql-2 lacks",
		})
	})
}
