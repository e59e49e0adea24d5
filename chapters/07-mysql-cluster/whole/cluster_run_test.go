package whole_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/internal/kubetest"
)

// What three Pods of one template are: by what their servers say, and by who
// sent whom a copy.
func TestRunOfTheCluster(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		var mu sync.Mutex
		var sender string
		cloned := map[string]string{}
		b.sidecar.send = func(p *simulated.Process, out io.Writer) io.Writer {
			mu.Lock()
			defer mu.Unlock()
			sender = p.Pod.Name
			return out
		}
		b.sidecar.disk = func(p *simulated.Process, data folder.Folder) folder.Folder {
			mu.Lock()
			defer mu.Unlock()
			cloned[p.Pod.Name] = sender
			return data
		}
		b.until(5*time.Minute, "all are ready", func() bool { return b.areReady(3) })

		mu.Lock()
		defer mu.Unlock()
		type member struct {
			Name   string `json:"name"`
			Server any    `json:"server"`
			Port   int32  `json:"port"`
			Copies int32  `json:"copies"`
			Claim  string `json:"claim"`
			From   string `json:"from,omitempty"`
			Source string `json:"source,omitempty"`
		}
		var members []member
		for i := range 3 {
			pod := b.pod(i)
			m := member{
				Name:   pod.Name,
				Server: b.must(i, "SELECT @@server_id").Rows[0][0],
				Port:   pod.Spec.Containers[0].Ports[0].ContainerPort,
				Copies: pod.Spec.Containers[1].Ports[0].ContainerPort,
				From:   cloned[pod.Name],
			}
			for _, v := range pod.Spec.Volumes {
				if v.PersistentVolumeClaim != nil {
					m.Claim = v.PersistentVolumeClaim.ClaimName
				}
			}
			if status := b.must(i, "SHOW SLAVE STATUS"); len(status.Rows) > 0 {
				m.Source = sql.Text(status.Rows[0][1])
				require.Equal(t, "Master_Host", status.Columns[1])
			}
			members = append(members, m)
		}
		address := map[string]string{}
		for _, name := range []string{"mysql", "mysql-read"} {
			obj, err := b.Store.Get(t.Context(), corev1.SchemeGroupVersion.WithKind("Service"),
				controlloop.Key{Namespace: "default", Name: name})
			require.NoError(t, err)
			address[name] = obj.(*corev1.Service).Spec.ClusterIP
		}
		kubetest.RecordedJSON(t, "../../testdata/cluster.json", map[string]any{
			"headless": address["mysql"], "read": address["mysql-read"], "pods": members})
	})
}

// What the sidecar's script does in each Pod when it starts for the first time,
// by what its shell prints: which note it finds, and the commands, in order.
func TestRunOfTheSidecarsScript(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		b.until(5*time.Minute, "all are ready", func() bool { return b.areReady(3) })
		type path struct {
			Pod  string `json:"pod"`
			Note string `json:"note,omitempty"`
			Did  string `json:"did"`
		}
		var paths []path
		for i := range 3 {
			p := path{Pod: b.pod(i).Name}
			for line := range strings.Lines(b.log(b.pod(i), "xtrabackup")) {
				words := strings.Fields(strings.TrimPrefix(line, "+ "))
				switch {
				case !strings.HasPrefix(line, "+ ") || words[0] == "cd" || words[0] == "cat" || words[0] == "[[":
					continue
				case words[0] == "exec":
					words[0] = strings.TrimPrefix(words[1], "'")
				case words[0] == "echo" && !strings.Contains(line, "CHANGE MASTER"):
					continue
				case words[0] == "rm" && p.Note == "" || words[0] == "mv" && p.Note == "":
					p.Note = words[1]
				}
				if !strings.HasPrefix(words[0], "/") {
					p.Did = strings.TrimSpace(p.Did + " " + words[0])
				}
			}
			paths = append(paths, p)
		}
		kubetest.RecordedJSON(t, "../../testdata/sidecar.json", map[string]any{"paths": paths})
	})
}

// The connection of the first clone is lost after so many bytes. What has become
// of mysql-1 in ten minutes?
func TestRunOfAClonesEnd(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintln(&log, "# part: bytes")
	said := ""
	for _, left := range []int{0, 100, 200, 500, 1000, 1 << 20} {
		bringInBubble(t, bringManifest(t), func(b *brought) {
			var struck atomic.Bool
			var whole atomic.Int64
			b.sidecar.send = func(_ *simulated.Process, out io.Writer) io.Writer {
				if struck.Swap(true) {
					return out
				}
				return &endsAfter{&counting{out, &whole}, left}
			}
			b.until(time.Minute, "the first is ready", func() bool { return b.areReady(1) })
			time.Sleep(10 * time.Minute)
			fmt.Fprintf(&log, "%4d bytes   %s\n", min(int64(left), whole.Load()), columns(b.pod(1)))
			if left == 200 {
				lines := strings.SplitAfter(b.log(b.pod(1), "mysql"), "\n")
				for line := range strings.Lines(b.log(b.pod(1), "clone-mysql")) {
					said += "clone-mysql  " + line
				}
				said += "mysql        " + lines[len(lines)-3]
			}
		})
	}
	fmt.Fprint(&log, "# part: logs\n", said)
	kubetest.Recorded(t, "../../testdata/cutoff.txt", log.Bytes())
}

// counting counts what is written.
type counting struct {
	io.Writer
	n *atomic.Int64
}

func (c *counting) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.Writer.Write(p)
}

// columns are those of kubectl get pods.
func columns(pod *corev1.Pod) string {
	var ready int
	var restarts int32
	status := string(pod.Status.Phase)
	for _, s := range pod.Status.InitContainerStatuses {
		restarts += s.RestartCount
	}
	for _, s := range pod.Status.ContainerStatuses {
		restarts += s.RestartCount
		if s.Ready {
			ready++
		}
		if s.State.Waiting != nil {
			status = s.State.Waiting.Reason
		}
	}
	return strings.TrimRight(fmt.Sprintf("%s   %d/2   %-18s %d restarts", pod.Name, ready, status, restarts), " ")
}
