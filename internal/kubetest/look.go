package kubetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"reconcile/internal/openexercises"
	"reconcile/internal/trace"
)

// records are those that clusters make while openexercises.LookEnv is set.
var records struct {
	sync.Mutex
	last map[string]int       // cluster of a test, by the folder and the test
	live map[*Cluster]leaving // that have left none yet
}

// leaving is a record that is to be left in a folder.
type leaving struct {
	folder string
	openexercises.Record
}

// allAtOnce is told when controllers begin to run: from then on, what happens at one
// instant happens in any order.
const allAtOnce = "from here on all loops run at once"

// record makes the cluster record its loops, if LookEnv asks for it.
func (c *Cluster) record() {
	folder := os.Getenv(openexercises.LookEnv)
	if folder == "" {
		return
	}
	c.look = trace.New()
	c.look.Other, c.look.Calls = "the test", calls
	c.look.Begin()
	records.Lock()
	defer records.Unlock()
	if records.live == nil {
		records.last, records.live = map[string]int{}, map[*Cluster]leaving{}
	}
	test := filepath.Join(folder, c.t.Name())
	records.last[test]++
	records.live[c] = leaving{folder, openexercises.Record{Test: c.t.Name(), Cluster: records.last[test]}}
}

// calls returns the chapters' functions that are being called, the innermost first, and
// the line of each: "Roll recreate.go:31".
func calls() (all []string) {
	var places [50]uintptr
	frames := runtime.CallersFrames(places[:runtime.Callers(2, places[:])])
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		file := path.Base(frame.File)
		if strings.Contains(frame.Function, "/chapters/") && !strings.HasSuffix(file, "_test.go") {
			name := frame.Function[strings.LastIndex(frame.Function, ".")+1:]
			all = append(all, fmt.Sprintf("%s %s:%d", name, file, frame.Line))
		}
	}
	return all
}

// told notes in the record what was done to a loop; "": to the one that steps, or to all.
func (c *Cluster) told(of, verb, text string) {
	if c.look != nil {
		if of == "" && c.stepping {
			of = c.loop
		}
		c.look.Told(of, verb, text)
	}
}

// leaveRecord writes the record of a cluster, if it has controllers.
func (c *Cluster) leaveRecord() {
	records.Lock()
	defer records.Unlock()
	record, ok := records.live[c]
	if !ok {
		return
	}
	delete(records.live, c)
	if len(c.controllers) == 0 {
		return
	}
	text, err := json.Marshal(c.look.Record(record.Test))
	if err == nil {
		err = os.WriteFile(filepath.Join(record.folder, record.File()), text, 0o644)
	}
	if err != nil {
		c.t.Errorf("%s: the record of this cluster is not written: %v", openexercises.LookEnv, err)
	}
}

// leaveRecordsWhenTold makes the clusters of a test that comes to no end leave their
// records when package openexercises ends it by SIGQUIT. Its goroutine belongs to no
// bubble, where it would wait with the others.
func leaveRecordsWhenTold() {
	if os.Getenv(openexercises.LookEnv) == "" {
		return
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGQUIT)
	go func() {
		<-told
		records.Lock()
		var live []*Cluster
		for c := range records.live {
			live = append(live, c)
		}
		records.Unlock()
		for _, c := range live {
			c.leaveRecord()
		}
		signal.Reset(syscall.SIGQUIT)
		if here, err := os.FindProcess(os.Getpid()); err == nil {
			here.Signal(syscall.SIGQUIT) // it says where everything stands
		}
	}()
}
