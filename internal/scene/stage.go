package scene

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
	"reconcile/internal/lab"
	"reconcile/internal/scene/script"
)

// stage is where a scene is played: a lab, and who uses it.
type stage struct {
	t          *testing.T
	script     *script.Script
	lab        *lab.Lab
	faults     *kubetest.Faults // the client of the lab's controllers
	crashed    bool             // all controllers have
	limit      time.Duration
	kubeconfig string
	cache      string

	network   *network
	server    *http.Server
	transport *http.Transport
	gate      gate
	exits     exits
	trace     *trace
	wake      chan struct{} // holds a token when there is something to look at

	step      *script.Step // that is performed
	processes []*process   // in the order of their jobs; the foreground's first
}

func newStage(t *testing.T, s *script.Script, home, cache string) *stage {
	st := &stage{
		t: t, script: s, cache: cache, limit: 10 * time.Minute,
		network: newNetwork(), wake: make(chan struct{}, 1),
	}
	st.gate.wake, st.exits.wake = st.awake, st.awake
	opts := st.settings()
	st.trace = newTrace(s)
	opts.Trace = st.trace.step
	opts.StoreOptions = []controlloop.Option{controlloop.OnWrite(st.trace.wrote)}
	opts.Client = func(store *controlloop.Store) controlloop.Client {
		st.faults = kubetest.NewFaults(store)
		return st.faults
	}
	opts.Runtime = st.exits.runtime
	var err error
	if st.lab, err = lab.New(opts); err != nil {
		st.fail("%v", err)
	}
	st.kubeconfig = filepath.Join(home, "kubeconfig")
	if err := os.WriteFile(st.kubeconfig, []byte(kubeconfig), 0o600); err != nil {
		st.fail("%v", err)
	}
	st.server = &http.Server{Handler: st.lab.Handler}
	st.transport = &http.Transport{DialContext: st.network.dial}
	go st.server.Serve(st.network)
	st.quiesce()
	return st
}

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: lab
  cluster:
    server: http://127.0.0.1:8001
users:
- name: lab
contexts:
- name: lab
  context:
    cluster: lab
    user: lab
current-context: lab
`

// settings reads the scene's.
func (st *stage) settings() lab.Options {
	opts := lab.Options{Nodes: 1}
	for _, setting := range st.script.Settings {
		var err error
		switch setting.Name {
		case "nodes":
			opts.Nodes, err = strconv.Atoi(setting.Value)
		case "seed":
			opts.Seed, err = strconv.ParseUint(setting.Value, 10, 64)
		case "limit":
			st.limit, err = time.ParseDuration(setting.Value)
		case "controllers":
			opts.Controllers = strings.Split(setting.Value, ",")
		}
		if err != nil {
			st.failAt(setting.Line, "# %s: %v", setting.Name, err)
		}
	}
	return opts
}

// fail ends the test with what is wrong at the step that is performed.
func (st *stage) fail(format string, args ...any) {
	st.t.Helper()
	line := 1
	if st.step != nil {
		line = st.step.Line
	}
	st.failAt(line, format, args...)
}

func (st *stage) failAt(line int, format string, args ...any) {
	st.t.Helper()
	st.t.Fatalf("%s:%d: %s", st.script.File, line, fmt.Sprintf(format, args...))
}

// close ends everything, so that the bubble can.
func (st *stage) close() {
	for _, p := range st.processes {
		p.cancel()
	}
	for _, p := range st.processes {
		<-p.ended
	}
	st.transport.CloseIdleConnections()
	st.server.Close()
	st.network.Close()
	if st.lab != nil {
		st.lab.Close()
	}
}
