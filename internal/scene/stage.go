package scene

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	utilrand "k8s.io/apimachinery/pkg/util/rand"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
	"reconcile/internal/lab"
	"reconcile/internal/script"
	"reconcile/internal/source"
	"reconcile/internal/trace/why"
	"reconcile/internal/wake"
)

// stage is where a scene is played: a lab, and its user.
type stage struct {
	script      *script.Script
	home, cache string // folders of kubectl's
	looks       bool   // what controllers do is recorded
	others      Others // play in the place of controllers
	endOthers   func() // nil: there are none

	lab     *lab.Lab
	faults  *kubetest.Faults // the client of the lab's controllers
	choose  func(n int) int  // picks the next of the keys that wait
	crashed bool             // all controllers have
	limit   time.Duration

	network   *kubetest.Pipes
	server    *http.Server
	transport *http.Transport
	gate      gate // of kubectl's requests
	wings     gate // of the others'
	exits     exits
	trace     *recording
	wake      wake.Signal // there is something to look at

	struck    [][]string   // by step: see Played
	waits     why.Notes    // of all objects; nil: nobody looks
	done      int          // how many steps have been performed
	asked     bool         // the last of them has changed nothing
	step      *script.Step // the one that is performed
	front     *process     // in the foreground, with the command typed behind it
	then      *script.Command
	processes []*process // the foreground's first, then by job
	stray     *stray
}

// play performs the steps that have not been performed yet. Before the first it
// sets the stage.
func (st *stage) play() (played Played, err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case failure:
			err = end.error
		default:
			panic(end)
		}
	}()
	if st.lab == nil {
		st.setUp()
		st.serve()
		st.startOthers()
		st.quiesce()
		if st.looks || st.script.Setting("look", "") != "" || st.script.Setting("acts", "") != "" || st.asksWhy() {
			st.lab.Look.Begin()
			st.waits = why.Notes{}
		}
	}
	for ; st.done < len(st.script.Steps); st.done++ {
		st.perform(st.script.Steps[st.done])
		st.noteWaits()
	}
	return st.played()
}

// noteWaits notes what objects wait for, if somebody looks.
func (st *stage) noteWaits() {
	if st.waits != nil {
		st.lab.NoteWaits(st.waits)
	}
}

// asksWhy reports whether a step wants to know what an object waits for.
func (st *stage) asksWhy() bool {
	return slices.ContainsFunc(st.script.Steps, func(s *script.Step) bool {
		return s.Verb != nil && s.Verb.Name == "why"
	})
}

// failure is the value with which fail panics.
type failure struct{ error }

// fail ends the scene with an error at the step that is performed.
func (st *stage) fail(format string, args ...any) {
	line := 1
	if st.step != nil {
		line = st.step.Line
	}
	st.failAt(line, format, args...)
}

func (st *stage) failAt(line int, format string, args ...any) {
	panic(failure{source.At(st.script.File, line, format, args...)})
}

// setUp puts the lab together as the scene's settings say.
func (st *stage) setUp() {
	st.wake = wake.New()
	st.gate.wake, st.wings.wake, st.exits.wake = st.wake.Send, st.wake.Send, st.wake.Send
	st.trace = newRecording(st.script)
	opts := st.settings()
	opts.Others = st.others.Names
	opts.Trace = st.trace.step
	opts.StoreOptions = []controlloop.Option{controlloop.OnWrite(st.trace.wrote)}
	opts.Runtime = st.exits.runtime
	opts.Client = func(store *controlloop.Store) controlloop.Client {
		st.faults = kubetest.NewFaults(store)
		return traced{st.faults, st.trace}
	}
	utilrand.Seed(int64(opts.Seed)) // kubectl debug names what it makes
	var err error
	if st.lab, err = lab.New(opts); err != nil {
		st.fail("%v", err)
	}
}

// settings returns the lab's options from the scene's settings. A scene that
// does not choose its controllers has all but those that put objects into every
// namespace that no chapter speaks of.
func (st *stage) settings() lab.Options {
	st.limit, st.choose = 10*time.Minute, controlloop.InOrder
	opts := lab.Options{
		Nodes:       1,
		Controllers: []string{"-serviceaccount", "-root-ca-cert-publisher"},
	}
	for _, setting := range st.script.Settings {
		var err error
		switch setting.Name {
		case "nodes":
			opts.Nodes, err = strconv.Atoi(setting.Value)
		case "seed":
			opts.Seed, err = strconv.ParseUint(setting.Value, 10, 64)
			st.choose = rand.New(rand.NewPCG(opts.Seed, 0)).IntN
		case "limit":
			st.limit, err = time.ParseDuration(setting.Value)
		case "controllers":
			opts.Controllers = strings.Split(setting.Value, ",")
		case "with":
			opts.With = strings.Split(setting.Value, ",")
			err = lab.CheckWith(opts.With)
		}
		if err != nil {
			st.failAt(setting.Line, "# %s: %v", setting.Name, err)
		}
	}
	return opts
}

// serve lets kubectl reach the lab.
func (st *stage) serve() {
	if err := os.WriteFile(st.kubeconfig(), []byte(kubeconfig), 0o600); err != nil {
		st.fail("%v", err)
	}
	st.network = kubetest.NewPipes()
	st.server = &http.Server{Handler: st.lab.Handler}
	// A connection for each request: since Go 1.27 a transport that may use one again
	// reads on when a watch's body is closed, waits for a mutex that the watch's
	// reader holds, and so stops the bubble's clock, by which it would give up.
	st.transport = &http.Transport{DialContext: st.network.Dial, DisableKeepAlives: true}
	go st.server.Serve(st.network)
}

func (st *stage) kubeconfig() string { return filepath.Join(st.home, "kubeconfig") }

var kubeconfig = fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: lab
  cluster:
    server: http://%s
users:
- name: lab
contexts:
- name: lab
  context:
    cluster: lab
    user: lab
current-context: lab
`, address)

// close ends everything, so that the bubble can.
func (st *stage) close() {
	for _, p := range st.processes {
		p.cancel()
	}
	st.gate.close(errOver)
	for _, p := range st.processes {
		<-p.ended
	}
	if st.endOthers != nil {
		st.endOthers()
	}
	if st.server != nil {
		st.transport.CloseIdleConnections()
		st.server.Close()
		st.network.Close()
	}
	if st.lab != nil {
		st.lab.Close()
	}
}
