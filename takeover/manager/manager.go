package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/lab"
	"reconcile/takeover/remote"
)

// Agent is how a server knows the program, and whom it names as the manager of
// the fields that are written.
const Agent = "lab-controllers"

// Options say what runs where.
type Options struct {
	Config      *rest.Config
	Remote      remote.Options
	Controllers []string // as lab.Choose reads them, and lab.SchedulerName
	With        []string // of lab.Extras, as far as another cluster can have them
	Namespace   string   // the fence; "": all namespaces
	Yes         bool     // may act on the whole cluster
	SwitchedOff bool     // our word for those who cannot be asked
	DryRun      bool

	Home  string // the namespace of the lease, and of what the cluster is asked
	Lease string // its name
	// Listen is where metrics and health are; "": nowhere.
	Listen string
	Log    *slog.Logger
}

// manager is a set of controllers, and what they share.
type manager struct {
	Options
	chosen  []lab.Elsewhere
	kinds   controlloop.Kinds
	api     kubernetes.Interface // for leases and questions about rights
	isLab   bool                 // the server is the API server of a lab
	metrics *metrics
	lease   *lease
	system  atomic.Pointer[controlloop.System] // while this copy works
}

// Run runs the controllers until ctx ends, whenever this copy is the one that
// works. Its error says why it cannot.
func Run(ctx context.Context, opts Options) error {
	m, err := newManager(opts)
	if err != nil {
		return err
	}
	if err := m.reach(ctx); err != nil {
		return err
	}
	if err := m.metrics.serve(ctx, m.Listen, m.Log); err != nil {
		return err
	}
	if m.DryRun {
		m.Log.Info("a dry run: nothing is written, no lease taken, nobody asked who is at work")
		return m.work(ctx)
	}
	for {
		err := m.elect(ctx)
		if ctx.Err() != nil || !errors.Is(err, errLost) {
			return err
		}
		m.Log.Warn("the lease was lost; another copy may work now", "lease", m.Lease)
	}
}

func newManager(opts Options) (*manager, error) {
	chosen, err := opts.Chosen()
	if err != nil {
		return nil, err
	}
	if !opts.DryRun {
		if err := opts.agreed(chosen); err != nil {
			return nil, err
		}
	}
	config := rest.CopyConfig(opts.Config)
	config.QPS, config.Burst = 50, 100 // apart from that of the controllers
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	m := &manager{
		Options: opts, chosen: chosen, kinds: kinds.Store(kinds.All()),
		api: api, metrics: newMetrics(),
	}
	like := likeness(m.names())
	m.lease = &lease{log: m.Log, namespace: m.Home, like: like, Interface: &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: m.Home, Name: m.Lease},
		Client:     api.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + random() + like},
	}}
	m.metrics.health = append(m.metrics.health, m.upToDate)
	m.metrics.readiness = append(m.metrics.readiness, m.lease.check)
	m.metrics.registry.MustRegister(m.watched())
	return m, nil
}

// Chosen returns the controllers that the options name. "*" is all that Kubernetes
// would miss: the scheduler, the garbage collector and exercise 7m's have to be
// named. The book's collector knows the book's kinds alone; it leaves others alone,
// but waits for none of them where a deletion is to be last.
func (o Options) Chosen() ([]lab.Elsewhere, error) {
	if len(o.Controllers) == 0 {
		return nil, fmt.Errorf("--controllers says which shall run; there are: %s",
			strings.Join(Names(), ", "))
	}
	list := slices.Clone(o.Controllers)
	named := func(item string) bool { return !strings.HasPrefix(item, "-") }
	all := slices.Contains(list, "*") || !slices.ContainsFunc(list, named)
	if all && !slices.ContainsFunc(list, isCollector) {
		list = append(list, "-"+collector)
	}
	ca, err := o.ca()
	if err != nil {
		return nil, err
	}
	chosen, err := lab.Options{Controllers: list, With: o.With}.Elsewhere(ca)
	if err == nil && len(chosen) == 0 {
		err = errors.New("none of the controllers shall run")
	}
	if err != nil && strings.HasPrefix(err.Error(), "there is no controller") {
		err = fmt.Errorf("%w, %s, %s", err, lab.SchedulerName, lab.GreetingName)
	}
	for _, c := range chosen {
		if c.Name == rootCA && o.Config != nil && ca == "" {
			return nil, fmt.Errorf("%s has nothing to publish: the kubeconfig "+
				"names no certificate authority; leave it out (-%s)", rootCA, rootCA)
		}
		if o.Namespace != "" && !needs[c.Name].fenced {
			return nil, fmt.Errorf("%s looks after the whole cluster: "+
				"it cannot run behind --namespace", c.Name)
		}
	}
	return chosen, err
}

const collector = "garbage-collector-controller"

// isCollector reports whether an item of a list asks for the garbage collector.
func isCollector(item string) bool {
	name, _ := lab.Named(item)
	return name == collector
}

const rootCA = "root-ca-certificate-publisher-controller"

// ca returns the certificate that the server is known by.
func (o Options) ca() (string, error) {
	if o.Config == nil {
		return "", nil
	}
	if file := o.Config.CAFile; file != "" && len(o.Config.CAData) == 0 {
		text, err := os.ReadFile(file)
		return string(text), err
	}
	return string(o.Config.CAData), nil
}

// Names returns the names of all controllers.
func Names() []string { return append(lab.Names(), lab.SchedulerName, lab.GreetingName) }

// agreed returns an error for what nobody has said yes to.
func (o Options) agreed(chosen []lab.Elsewhere) error {
	if o.Namespace == "" && !o.Yes {
		which := "a cluster"
		if o.Config != nil {
			which = o.Config.Host
		}
		return fmt.Errorf("this would act on all namespaces of %s: say --yes, or "+
			"--namespace for one of them, or --dry-run", which)
	}
	if unasked := unasked(chosen); len(unasked) > 0 && !o.SwitchedOff {
		return fmt.Errorf("whether the cluster's own %s is at work cannot be seen. "+
			"If you have switched it off, say --switched-off.\n%s",
			strings.Join(unasked, ", "), howToSwitchOff(unasked))
	}
	return nil
}

// unasked returns the names of the controllers that cannot be asked for.
func unasked(chosen []lab.Elsewhere) (names []string) {
	for _, c := range chosen {
		if _, ok := questions[c.Name]; !ok && c.Name != lab.GreetingName { // no cluster has its own
			names = append(names, c.Name)
		}
	}
	return names
}

// work runs the controllers until ctx ends.
func (m *manager) work(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	if !m.DryRun {
		if err := m.ask(ctx); ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
	}
	client, err := m.client(m.Remote)
	if err != nil {
		return err
	}
	own := newStatuses(client, m.kinds)
	system := &controlloop.System{Client: own}
	if !m.DryRun {
		events, err := m.client(remote.Options{})
		if err != nil {
			return err
		}
		told := tellBy(ctx, events)
		system.Recorder = told.recorder
	}
	names := map[string]bool{}
	for _, c := range m.chosen {
		controller := c.Add(system)
		controller.Workers = max(controller.Workers, workers)
		if !m.DryRun { // in which no cache ever hears of a write
			if err := own.await(c.Name, controller, system); err != nil {
				return err
			}
		}
		m.observe(c.Name, controller)
		names[c.Name] = true
	}
	m.Log.Info("working", "controllers", slices.Sorted(maps.Keys(names)),
		"namespace", m.Namespace)
	m.run(ctx, system)
	return nil
}

// run runs a system until ctx ends. Metrics and health know of it meanwhile.
func (m *manager) run(ctx context.Context, system *controlloop.System) {
	m.metrics.lead(m.Lease, true)
	defer m.metrics.lead(m.Lease, false)
	m.system.Store(system)
	defer m.system.Store(nil)
	system.Run(ctx)
}

// workers is how many keys a controller reconciles at once: kube-controller-manager
// has five for most. (Kubernetes: --concurrent-deployment-syncs and the like.)
const workers = 5
