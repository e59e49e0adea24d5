package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"reconcile/takeover/proof/servers"
)

// group is a row of the table: specs of Kubernetes' conformance suite.
type group struct {
	name  string
	specs *regexp.Regexp // of their names; the first group that matches has them
}

// kinds are the book's six.
var kinds = []group{
	{"Deployment", regexp.MustCompile(`^\[sig-apps\] Deployment `)},
	{"ReplicaSet", regexp.MustCompile(`^\[sig-apps\] ReplicaSet `)},
	{"ReplicationController", regexp.MustCompile(`^\[sig-apps\] ReplicationController `)},
	{"StatefulSet", regexp.MustCompile(`^\[sig-apps\] StatefulSet `)},
	{"DaemonSet", regexp.MustCompile(`^\[sig-apps\] Daemon set `)},
	{"ControllerRevision", regexp.MustCompile(`^\[sig-apps\] ControllerRevision `)},
}

// others are the groups of docs/conformance.md that the book has no chapter of.
var others = []group{
	{"DisruptionController", regexp.MustCompile(`^\[sig-apps\] DisruptionController`)},
	{"Jobs, CronJobs", regexp.MustCompile(`^\[sig-apps\]`)},
	{"Scheduling, preemption, LimitRange", regexp.MustCompile(`^\[sig-scheduling\]`)},
	{"Volumes", regexp.MustCompile(`^\[sig-storage\] (ConfigMap|Secrets|Projected|Downward|EmptyDir|Subpath)`)},
	{"CSI, PersistentVolumes and other storage", regexp.MustCompile(`^\[sig-storage\]`)},
	{"Init containers, variables, ConfigMap, Secret, downward API, Lease, Node", regexp.MustCompile(`^\[sig-node\] (InitContainer|Variable|ConfigMap|Secrets|Downward|Lease|Node )`)},
	{"Probes", regexp.MustCompile(`^\[sig-node\] Probing`)},
	{"Pods, ephemeral containers", regexp.MustCompile(`^\[sig-node\] (Pods|Ephemeral)`)},
	{"Container runtime, commands, kubelet, security context", regexp.MustCompile(`^\[sig-node\] (Container Runtime|Containers|Kubelet |Security)`)},
	{"Lifecycle hooks", regexp.MustCompile(`^\[sig-node\] (Container Lifecycle|PreStop)`)},
	{"RuntimeClass, PodTemplate, sysctls and the rest of sig-node", regexp.MustCompile(`^\[sig-node\]`)},
	{"Watches, Namespaces, version", regexp.MustCompile(`^\[sig-api-machinery\] (Watchers|Namespaces|OrderedNamespace|server version)`)},
	{"Garbage collector, ResourceQuota", regexp.MustCompile(`^\[sig-api-machinery\] (Garbage|ResourceQuota)`)},
	{"The rest of sig-api-machinery", regexp.MustCompile(`^\[sig-api-machinery\]`)},
	{"Services", regexp.MustCompile(`^\[sig-network\] Services`)},
	{"DNS", regexp.MustCompile(`^\[sig-network\] DNS`)},
	{"Networking between Pods", regexp.MustCompile(`^\[sig-network\] Networking`)},
	{"The rest of sig-network", regexp.MustCompile(`^\[sig-network\]`)},
	{"kubectl", regexp.MustCompile(`^\[sig-cli\]`)},
	{"Accounts and certificates", regexp.MustCompile(`^\[sig-auth\]`)},
	{"Events, architecture", regexp.MustCompile(`^\[sig-(instrumentation|architecture)\]`)},
}

// Spec is one of them, and what became of it.
type Spec struct {
	Group   string  `json:"group"`
	Name    string  `json:"name"`
	State   string  `json:"state"` // as ginkgo has it: passed, failed, skipped
	Seconds float64 `json:"seconds"`
	Why     string  `json:"why,omitempty"` // it failed
}

// Conformance is what a run of the suite came to.
type Conformance struct {
	Kubernetes string `json:"kubernetes"` // of the suite
	Server     string `json:"server"`     // what the API server says it is
	Against    string `json:"against"`
	Specs      []Spec `json:"specs"`
}

// suite is the unmodified program of Kubernetes' end-to-end tests.
type suite struct {
	program, kubectl string
	words            io.Writer
}

// play plays the specs of groups against a cluster, and says how each ends.
func (s suite) play(ctx context.Context, kubeconfig string, groups []group, folder string) ([]Spec, error) {
	report := filepath.Join(folder, "report.json")
	if err := os.RemoveAll(report); err != nil { // of the run before
		return nil, err
	}
	var names []string
	for _, g := range groups {
		names = append(names, "("+strings.TrimPrefix(g.specs.String(), "^")+")")
	}
	log, err := os.Create(filepath.Join(folder, "e2e.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, s.program, "--kubeconfig="+kubeconfig,
		"--provider=skeleton", "--kubectl-path="+s.kubectl, "--disable-log-dump",
		"--prepull-images=false", "--ginkgo.no-color", "--ginkgo.timeout=24h",
		"--ginkgo.focus=("+strings.Join(names, "|")+`).*\[Conformance\]`,
		"--ginkgo.json-report="+report)
	command.Stdout, command.Stderr, command.Dir = log, log, folder
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = time.Minute // it tidies up
	failed := command.Run()
	specs, err := readReport(report, groups)
	if err == nil && len(specs) == 0 {
		err = cmp.Or(failed, fmt.Errorf("no spec was played"))
	}
	if err != nil {
		return nil, fmt.Errorf("%w; the suite's log is %s", err, log.Name())
	}
	return specs, nil
}

// readReport reads what ginkgo reports, and leaves out what was not asked for.
func readReport(file string, groups []group) ([]Spec, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var reports []struct {
		SpecReports []struct {
			ContainerHierarchyTexts []string
			LeafNodeType            string
			LeafNodeText            string
			State                   string
			RunTime                 time.Duration
			Failure                 struct{ Message string }
		}
	}
	if err := json.Unmarshal(text, &reports); err != nil {
		return nil, err
	}
	var specs []Spec
	for _, report := range reports {
		for _, r := range report.SpecReports {
			name := strings.Join(append(r.ContainerHierarchyTexts, r.LeafNodeText), " ")
			if r.LeafNodeType != "It" || r.State == "skipped" && r.RunTime == 0 || r.State == "pending" {
				continue
			}
			why, _, _ := strings.Cut(r.Failure.Message, "\n")
			specs = append(specs, Spec{
				Group: groupOf(name, groups), Name: name, State: r.State,
				Seconds: r.RunTime.Round(100 * time.Millisecond).Seconds(), Why: why,
			})
		}
	}
	return specs, nil
}

func groupOf(name string, groups []group) string {
	for _, g := range groups {
		if g.specs.MatchString(name) {
			return g.name
		}
	}
	return "?"
}

// passed reports whether all specs did.
func (c Conformance) passed() bool {
	for _, spec := range c.Specs {
		if spec.State != "passed" {
			return false
		}
	}
	return len(c.Specs) > 0
}

// print writes the table: each group, then each spec.
func (c Conformance) print(out io.Writer, groups []group) error {
	fmt.Fprintf(out, "# part: kinds\nKubernetes' end-to-end tests, %s, unmodified, against %s (%s)\n\n", c.Kubernetes, c.Against, c.Server)
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "KIND\tSPECS\tPASSED\tSECONDS")
	specs, all, passed := 0, 0.0, 0
	for _, g := range groups {
		n, good, took := 0, 0, 0.0
		for _, spec := range c.Specs {
			if spec.Group != g.name {
				continue
			}
			n, took = n+1, took+spec.Seconds
			if spec.State == "passed" {
				good++
			}
		}
		fmt.Fprintf(rows, "%s\t%d\t%d\t%.1f\n", g.name, n, good, took)
		specs, passed, all = specs+n, passed+good, all+took
	}
	fmt.Fprintf(rows, "all\t%d\t%d\t%.1f\n", specs, passed, all)
	if err := rows.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, "\n# part: specs\n")
	for _, spec := range c.Specs {
		fmt.Fprintf(out, "%-6s  %6.1fs  %s\n", spec.State, spec.Seconds, plain(spec.Name))
		if spec.Why != "" {
			fmt.Fprintf(out, "         %s\n", spec.Why)
		}
	}
	return nil
}

// marks are what names carry for machines.
var marks = regexp.MustCompile(` \[[A-Za-z-]+\]`)

func plain(name string) string {
	return marks.ReplaceAllString(strings.TrimPrefix(name, "[sig-apps] "), "")
}

// conformance is the command.
type conformance struct {
	kubeconfig, record string
	all                bool
	nodes              int
}

func (o conformance) run(ctx context.Context, out, words io.Writer) error {
	at, err := here()
	if err != nil {
		return err
	}
	if o.kubeconfig != "" { // better now than after minutes
		if o.kubeconfig, err = filepath.Abs(o.kubeconfig); err != nil {
			return err
		}
		if _, err := serverOf(o.kubeconfig); err != nil {
			return err
		}
	}
	fmt.Fprintln(words, "building Kubernetes' end-to-end tests; the first time that takes some minutes")
	programs, err := servers.Build(ctx, at.module, words)
	if err != nil {
		return err
	}
	tests, err := servers.BuildTests(ctx, at.module, words)
	if err != nil {
		return err
	}
	s := suite{program: tests, kubectl: programs.Kubectl(), words: words}
	folder, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return err
	}
	groups := kinds
	if o.all {
		groups = append(groups, others...)
	}
	result := Conformance{Kubernetes: programs.Kubernetes, Against: "the cluster of " + o.kubeconfig}
	for _, some := range o.rounds(groups) {
		specs, server, err := o.round(ctx, at, s, some, folder)
		if err != nil {
			return err
		}
		result.Specs, result.Server = append(result.Specs, specs...), server
	}
	if o.kubeconfig == "" {
		result.Against = fmt.Sprintf("lab up --nodes %d", o.nodes)
	}
	if err := result.print(out, groups); err != nil {
		return err
	}
	if err := o.write(result, groups); err != nil {
		return err
	}
	if !result.passed() {
		return fmt.Errorf("not all passed; the last log is in %s", folder)
	}
	return os.RemoveAll(folder)
}

// rounds returns what is played against one cluster: all of it, or each group
// against a lab of its own, for some leave traces that others stumble over.
func (o conformance) rounds(groups []group) (rounds [][]group) {
	if o.kubeconfig != "" || !o.all {
		return [][]group{groups}
	}
	for _, g := range groups {
		rounds = append(rounds, []group{g})
	}
	return rounds
}

// round plays groups against the cluster that is given, or against a lab.
func (o conformance) round(ctx context.Context, at place, s suite, groups []group, folder string) (specs []Spec, server string, err error) {
	kubeconfig := o.kubeconfig
	if kubeconfig == "" {
		lab, err := at.startLab(ctx, folder, o.nodes)
		if err != nil {
			return nil, "", err
		}
		defer func() { err = cmp.Or(err, lab.Stop()) }()
		kubeconfig = filepath.Join(folder, "lab.kubeconfig")
	}
	if server, err = serverOf(kubeconfig); err != nil {
		return nil, "", err
	}
	specs, err = s.play(ctx, kubeconfig, groups, folder)
	return specs, server, err
}

// serverOf asks a cluster for its version.
func serverOf(kubeconfig string) (string, error) {
	client, err := clientOf(kubeconfig)
	if err != nil {
		return "", err
	}
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return "", fmt.Errorf("ask the cluster of %s: %w", kubeconfig, err)
	}
	return version.GitVersion, nil
}

func (o conformance) write(result Conformance, groups []group) error {
	if o.record == "" {
		return nil
	}
	var text strings.Builder
	if err := result.print(&text, groups); err != nil {
		return err
	}
	return record(o.record, result, text.String())
}
