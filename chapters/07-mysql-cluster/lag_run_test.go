package mysqlcluster_test

import (
	"testing"
	"time"

	"reconcile/internal/kubetest"
)

// line is one of a plot's.
type line struct {
	Name   string   `json:"name"`
	Points [][2]any `json:"points"`
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

		acknowledged := 0
		lines := []line{{Name: "acknowledged"}, {Name: "mysql-2 has"}}
		for second := range 121 {
			if _, err := b.ask(0, "INSERT INTO shop.orders (at) VALUES (NOW()), (NOW())"); err == nil {
				acknowledged += 2
			}
			lines[0].Points = append(lines[0].Points, [2]any{second, acknowledged})
			time.Sleep(400 * time.Millisecond)
			if r, err := b.ask(2, "SELECT COUNT(*) FROM shop.orders"); err == nil {
				lines[1].Points = append(lines[1].Points, [2]any{second, r.Rows[0][0]})
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
		kubetest.RecordedJSON(t, "lag.json", map[string]any{
			"x":      map[string]any{"label": "seconds", "unit": "s"},
			"y":      map[string]any{"label": "orders"},
			"series": lines,
		})
	})
}
