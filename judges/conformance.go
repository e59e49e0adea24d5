package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"reconcile/judges/servers"
)

// group is a row of the table: specs of Kubernetes' conformance suite. Each spec
// is of one group.
type group struct {
	name  string
	specs *regexp.Regexp // of their names
	why   string         // some of them do not pass in the lab
}

// sigGroup returns the group of what a special interest group of Kubernetes' has under
// some of its headings.
func sigGroup(name, sig, headings, why string) group {
	return group{name, regexp.MustCompile(`\[sig-` + sig + `\] (` + headings + `)`), why}
}

// kinds are the book's six.
var kinds = []group{
	sigGroup("Deployment", "apps", "Deployment ", ""),
	sigGroup("ReplicaSet", "apps", "ReplicaSet ", ""),
	sigGroup("ReplicationController", "apps", "ReplicationController ", ""),
	sigGroup("StatefulSet", "apps", "StatefulSet ", ""),
	sigGroup("DaemonSet", "apps", "Daemon set ", ""),
	sigGroup("ControllerRevision", "apps", "ControllerRevision ", ""),
}

const notBuilt = "not built"

// others are all that the book has no chapter of. docs/conformance.md has the
// table.
var others = []group{
	sigGroup("DisruptionController", "apps", "DisruptionController", ""),
	sigGroup("Scheduling, preemption, LimitRange", "scheduling", "", ""),
	sigGroup("Volumes: ConfigMap, Secret, projected, downward API, emptyDir, subPath", "storage",
		"ConfigMap|Secrets|Projected|Downward|EmptyDir|Subpath", ""),
	sigGroup("Init containers, variables, ConfigMap, Secret, downward API, Lease, Node", "node",
		"InitContainer|Variable|ConfigMap|Secrets|Downward|Lease|Node ", ""),
	sigGroup("Probes", "node", "Probing", "two want a gRPC server in a container; the one that waits for a restart gets it"),
	sigGroup("Pods, ephemeral containers", "node", "Pods|Ephemeral", "one deletes a Pod and looks once more, and a simulated one is gone by then"),
	sigGroup("Container runtime, commands, kubelet, security context", "node",
		"Container Runtime|Containers|Kubelet |Security", "one image of Kubernetes' tests isn't there"),
	sigGroup("Lifecycle hooks", "node", "Container Lifecycle|PreStop", ""),
	sigGroup("RuntimeClass, PodTemplate, sysctls, images as volumes, resizing, /etc/hosts of the node", "node",
		"RuntimeClass|PodTemplates|Sysctls|ImageVolume|Pod InPlace|KubeletManagedEtcHosts", notBuilt),
	sigGroup("Taint manager", "node", "NoExecuteTaintManager", ""),
	sigGroup("Dynamic resources", "node", `\[DRA\]`, "templates of claims and taints of devices are not built"),
	sigGroup("Watches, Namespaces, version", "api-machinery",
		"Watchers|Namespaces|OrderedNamespace|server version", ""),
	sigGroup("Garbage collector, ResourceQuota", "api-machinery", "Garbage|ResourceQuota", ""),
	sigGroup("Field validation, discovery, API priority", "api-machinery",
		"FieldValidation|Discovery|AggregatedDiscovery|API priority",
		"they ask for CustomResourceDefinitions, admission webhooks and flow schemas: not built"),
	sigGroup("CustomResourceDefinitions, webhooks, policies, aggregation", "api-machinery",
		"AdmissionWebhook|Aggregator|CustomResource|MutatingAdmission|ValidatingAdmission|Servers with support for Table|StorageVersion", notBuilt),
	sigGroup("Lists in chunks", "api-machinery", "Servers with support for API chunking",
		"it is about PodTemplates: not built; the suite breaks off"),
	sigGroup("Services", "network", "Services", "UDP is not built"),
	sigGroup("EndpointSlice, Endpoints, Ingress, API server", "network",
		"EndpointSlice |Endpoints |Ingress |API Server|Service endpoints", ""),
	sigGroup("Endpoints that a controller writes, mirroring, IngressClass, ServiceCIDR, host ports by address, proxy by TLS", "network",
		"EndpointsController|EndpointSliceMirroring|IngressClass|ServiceCIDR|HostPort|Proxy", notBuilt),
	sigGroup("Networking between Pods", "network", "Networking", "UDP is not built"),
	sigGroup("DNS", "network", "DNS", ""),
	sigGroup("kubectl", "cli", "", "images of Kubernetes' tests that aren't there"),
	sigGroup("Events, architecture", "(?:instrumentation|architecture)", "", ""),
	sigGroup("Accounts and certificates", "auth", "", "no tokens, no certificates, no authorization"),
	sigGroup("Jobs, CronJobs", "apps", "Job|CronJob", notBuilt),
	sigGroup("CSI, attachments and classes of volumes", "storage", "CSI|PersistentVolumes|StorageClasses|Volume", "VolumeAttributesClass is not built"),
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
type suite struct{ program, kubectl, kubernetes string }

// buildSuite builds it.
func buildSuite(ctx context.Context, at place, words io.Writer) (suite, error) {
	fmt.Fprintln(words, "building Kubernetes' end-to-end tests; the first time that takes some minutes")
	programs, err := servers.Build(ctx, at.module, words)
	if err != nil {
		return suite{}, err
	}
	tests, err := servers.BuildTests(ctx, at.module, words)
	return suite{tests, programs.Kubectl(), programs.Kubernetes}, err
}

// tidying is how long the suite may take to delete its namespaces when it is
// interrupted.
const tidying = time.Minute

// play plays the specs of groups against a cluster, and says how each ends.
func (s suite) play(ctx context.Context, kubeconfig string, groups []group, folder string) ([]Spec, error) {
	report, log := filepath.Join(folder, "report.json"), filepath.Join(folder, "e2e.log")
	var names []string
	for _, g := range groups {
		names = append(names, g.specs.String())
	}
	tests, err := servers.Start(log, folder, s.program, "--kubeconfig="+kubeconfig,
		"--provider=skeleton", "--kubectl-path="+s.kubectl, "--disable-log-dump",
		"--prepull-images=false", "--ginkgo.no-color", "--ginkgo.timeout=24h",
		"--ginkgo.focus=("+strings.Join(names, "|")+`).*\[Conformance\]`,
		"--ginkgo.json-report="+report)
	if err != nil {
		return nil, err
	}
	select {
	case <-tests.Ended():
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), tests.StopWithin(tidying))
	}
	specs, err := readReport(report, groups)
	if err == nil && len(specs) == 0 {
		err = errors.New("no spec was played")
	}
	if err != nil {
		return nil, fmt.Errorf("%w; the suite's last words:\n%s", err, tests.Words(10))
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

// countSpecs counts the specs of a group that were played.
func (c Conformance) countSpecs(g group) (specs, passed int, seconds float64) {
	for _, spec := range c.Specs {
		if spec.Group != g.name {
			continue
		}
		specs, seconds = specs+1, seconds+spec.Seconds
		if spec.State == "passed" {
			passed++
		}
	}
	return specs, passed, seconds
}

// print writes the table: each group, then each spec.
func (c Conformance) print(out io.Writer, groups []group) error {
	fmt.Fprintf(out, "# part: kinds\nKubernetes' end-to-end tests, %s, unmodified, against %s (%s)\n\n", c.Kubernetes, c.Against, c.Server)
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "KIND\tSPECS\tPASSED\tSECONDS")
	specs, all, passed := 0, 0.0, 0
	for _, g := range groups {
		n, good, took := c.countSpecs(g)
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
	only               []string // groups in whose names this stands; nil: all
	nodes              int

	build func(context.Context, place, io.Writer) (suite, error)
}

func (o conformance) run(ctx context.Context, out, words io.Writer) error {
	groups, err := o.groups()
	if err != nil {
		return err
	}
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
	s, err := o.build(ctx, at, words)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return err
	}
	result := Conformance{Kubernetes: s.kubernetes, Against: "the cluster of " + o.kubeconfig}
	if o.kubeconfig == "" {
		result.Against = fmt.Sprintf("lab up --nodes %d", o.nodes)
		if at.lab, err = at.command(ctx, folder); err != nil {
			return errors.Join(err, os.RemoveAll(folder))
		}
	}
	err = o.play(ctx, at, s, groups, folder, words, &result)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), os.RemoveAll(folder))
	}
	err = errors.Join(err, result.print(out, groups), o.write(result, groups))
	if !result.passed() {
		err = errors.Join(err, errors.New("not all passed"))
	}
	if err != nil {
		return fmt.Errorf("%w; the logs are in %s", err, folder)
	}
	return os.RemoveAll(folder)
}

// groups returns those that were asked for.
func (o conformance) groups() ([]group, error) {
	groups := slices.Clone(kinds)
	if o.all || len(o.only) > 0 {
		groups = append(groups, others...)
	}
	if len(o.only) == 0 {
		return groups, nil
	}
	groups = slices.DeleteFunc(groups, func(g group) bool {
		return !slices.ContainsFunc(o.only, func(part string) bool { return strings.Contains(g.name, part) })
	})
	if len(groups) == 0 {
		return nil, fmt.Errorf("no group has %q in its name", o.only)
	}
	return groups, nil
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

// labs is how many there are at a time: their specs wait more than they work.
const labs = 3

// play plays all rounds. One that fails does not keep the others from being
// played.
func (o conformance) play(ctx context.Context, at place, s suite, groups []group,
	folder string, words io.Writer, result *Conformance,
) error {
	rounds := o.rounds(groups)
	played, errs := make([]Conformance, len(rounds)), make([]error, len(rounds))
	var playing sync.WaitGroup
	places := make(chan struct{}, labs)
	for n, some := range rounds {
		playing.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if ctx.Err() != nil {
				return
			}
			played[n], errs[n] = o.round(ctx, at, s, some, filepath.Join(folder, fmt.Sprint(n+1)))
			if ctx.Err() != nil { // what was cut off says nothing
				return
			}
			if errs[n] != nil {
				fmt.Fprintf(words, "%s: %v\n", some[0].name, errs[n])
			}
			for _, g := range some {
				specs, passed, seconds := played[n].countSpecs(g)
				fmt.Fprintf(words, "%s: %d of %d passed, %.0f s\n", g.name, passed, specs, seconds)
			}
		})
	}
	playing.Wait()
	for n := range rounds {
		result.Specs = append(result.Specs, played[n].Specs...)
		result.Server = cmp.Or(result.Server, played[n].Server)
		if errs[n] != nil {
			errs[n] = fmt.Errorf("%s: %w", rounds[n][0].name, errs[n])
		}
	}
	return errors.Join(errs...)
}

// round plays groups against the cluster that is given, or against a lab.
func (o conformance) round(
	ctx context.Context, at place, s suite, groups []group, folder string,
) (c Conformance, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return c, err
	}
	kubeconfig := o.kubeconfig
	if kubeconfig == "" {
		lab, err := at.startLab(ctx, folder, o.nodes)
		if lab != nil {
			defer func() { err = errors.Join(err, lab.Stop()) }()
		}
		if err != nil {
			return c, err
		}
		kubeconfig = filepath.Join(folder, "lab.kubeconfig")
	}
	if c.Server, err = serverOf(kubeconfig); err != nil {
		return c, err
	}
	c.Specs, err = s.play(ctx, kubeconfig, groups, folder)
	return c, err
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
