package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"reconcile/judges/servers"
)

// nothingMoves creates a Deployment of which no controller makes anything.
func (p *proof) nothingMoves(ctx context.Context) (string, error) {
	const patience = 15 * time.Second
	r, err := startRollout(ctx, p.client, "first", 3)
	if err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(patience):
	}
	sets, err := p.client.AppsV1().ReplicaSets("first").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(sets.Items) + len(r.pods); n > 0 || r.last.Status.ObservedGeneration > 0 {
		return "", fmt.Errorf("there are %d ReplicaSets and Pods, status %+v", n, r.last.Status)
	}
	return fmt.Sprintf("%s after its creation a Deployment of 3 has no ReplicaSet, no Pod and no status", patience), nil
}

// firstRollout waits for the same Deployment.
func (p *proof) firstRollout(ctx context.Context) (string, error) {
	r := newRollout(p.client, "first", 3)
	if err := r.watch(ctx); err != nil {
		return "", err
	}
	if err := r.until(ctx, patience, r.done); err != nil {
		return "", err
	}
	begun := time.Now()
	if err := r.roll(ctx, "nginx:1.28"); err != nil {
		return "", err
	}
	if err := r.until(ctx, time.Minute, r.done); err != nil {
		return "", err
	}
	return fmt.Sprintf("3 of 3; rolled to another image within %.1f s", time.Since(begun).Seconds()), r.kept()
}

// large creates a Deployment, rolls it, and counts what that costs.
func (p *proof) large(
	ctx context.Context, namespace string, pods int, by *servers.Process, users func(string) bool, probe bool,
) (f Figures, err error) {
	from, err := endOf(p.cluster.AuditLog())
	if err != nil {
		return f, err
	}
	used := processor(by.ID())
	begun := time.Now()
	r, err := startRollout(ctx, p.client, namespace, int32(pods))
	if err != nil {
		return f, err
	}
	if err := r.until(ctx, 15*time.Minute, r.done); err != nil {
		return f, err
	}
	f.Created = tenth(time.Since(begun))
	begun = time.Now()
	if err := r.roll(ctx, "nginx:1.28"); err != nil {
		return f, err
	}
	if probe {
		if p.result.Busy, err = latencies(ctx, p.client); err != nil {
			return f, err
		}
	}
	if err := r.until(ctx, 15*time.Minute, r.done); err != nil {
		return f, err
	}
	f.Rolled = tenth(time.Since(begun))
	f.Processor = tenth(processor(by.ID()) - used)
	if f.Writes, _, err = count(p.cluster.AuditLog(), from, users); err != nil {
		return f, err
	}
	scheduling, _, err := count(p.cluster.AuditLog(), from, is("system:kube-scheduler"))
	f.Scheduling = scheduling.Done
	r.mu.Lock()
	f.Fewest, f.Most, f.Live, f.Above = r.fewest, r.most, r.live, tenth(r.above)
	r.mu.Unlock()
	return f, errors.Join(err, r.kept(), r.end(ctx))
}

// middle creates a Deployment, rolls it, does something when a third of the Pods are
// new, and waits for the end.
func (p *proof) middle(
	ctx context.Context, namespace string, pods int32, do func() error,
) (seen string, err error) {
	r, err := startRollout(ctx, p.client, namespace, pods)
	if err != nil {
		return "", err
	}
	if err := r.until(ctx, 3*time.Minute, r.done); err != nil {
		return "", err
	}
	if err := r.roll(ctx, "nginx:1.28"); err != nil {
		return "", err
	}
	third := func() bool { return r.updated() >= pods/3 && !r.done() }
	if err := r.until(ctx, 3*time.Minute, third); err != nil {
		return "", err
	}
	if err := do(); err != nil {
		return "", err
	}
	begun := time.Now()
	if err := r.until(ctx, 5*time.Minute, r.done); err != nil {
		return "", err
	}
	seen = fmt.Sprintf("done %.1f s later; %s", time.Since(begun).Seconds(), r.seen())
	return seen, errors.Join(r.kept(), r.end(ctx))
}

const hundred = 100

func (p *proof) killed(ctx context.Context) (string, error) {
	return p.middle(ctx, "killed", hundred, func() (err error) {
		if err := p.ours.Kill(); err != nil {
			return err
		}
		p.ours, err = p.startOurs(ctx, user)
		return err
	})
}

func (p *proof) serverKilled(ctx context.Context) (string, error) {
	return p.middle(ctx, "server-killed", hundred, func() error {
		if err := p.cluster.KillServer(); err != nil {
			return err
		}
		return p.cluster.StartServer(ctx)
	})
}

// twoCopies starts a second copy, which has to wait until the first has died.
func (p *proof) twoCopies(ctx context.Context) (string, error) {
	from, err := endOf(p.cluster.AuditLog())
	if err != nil {
		return "", err
	}
	second, err := p.startOurs(ctx, "second")
	if err != nil {
		return "", err
	}
	if err := second.Until(ctx, patience, func() error { return says(second, "lease") }); err != nil {
		return "", err
	}
	var waiting Writes
	seen, err := p.middle(ctx, "two-copies", hundred, func() error {
		if waiting, from, err = count(p.cluster.AuditLog(), from, is("second")); err != nil {
			return err
		}
		return p.ours.Kill()
	})
	if err != nil {
		return "", err
	}
	after, _, err := count(p.cluster.AuditLog(), from, is("second"))
	p.ours, p.as = second, "second"
	if waiting.Done > 0 {
		return "", fmt.Errorf("the second copy wrote while the first had the lease: %s", numbers(waiting.What))
	}
	return fmt.Sprintf("the second wrote nothing while the first lived, then %d times; %s", after.Done, seen), err
}

// says reports that a process has not said a word yet.
func says(p *servers.Process, word string) error {
	if strings.Contains(p.Words(100), word) {
		return nil
	}
	return fmt.Errorf("it has not said %q", word)
}

// spoiled starts ours behind a server that spoils a request in twenty from the
// first on.
func (p *proof) spoiled(ctx context.Context) (seen string, err error) {
	if err := p.ours.Stop(); err != nil {
		return "", err
	}
	if p.spoiler, err = p.cluster.Spoil("spoiled", p.seed); err != nil {
		return "", err
	}
	p.spoiler.Share(0.05)
	if p.ours, err = p.startOurs(ctx, "spoiled"); err != nil {
		return "", err
	}
	err = p.ours.Until(ctx, patience, func() error { return says(p.ours, "msg=working") })
	return fmt.Sprintf("at work after %d requests, of which %d failed",
		p.spoiler.Spoiled.Load()+p.spoiler.Passed.Load(), p.spoiler.Spoiled.Load()), err
}

// stillSpoiled rolls a Deployment behind the same server.
func (p *proof) stillSpoiled(ctx context.Context) (string, error) {
	if p.spoiler == nil {
		return "", errors.New("ours is not behind a server that spoils")
	}
	seen, err := p.middle(ctx, "spoiled", hundred, func() error { return nil })
	return fmt.Sprintf("%d requests failed, %d passed; %s", p.spoiler.Spoiled.Load(), p.spoiler.Passed.Load(), seen), err
}

// granted looks whether something was denied to ours, or more is allowed than the
// manifest says.
func (p *proof) granted(ctx context.Context) (string, error) {
	denied := map[string]int{}
	done := 0
	if _, err := scan(p.cluster.AuditLog(), 0, func(a audited) {
		if a.User.Username != user {
			return
		}
		if done++; a.Annotations["authorization.k8s.io/decision"] != "allow" {
			denied[a.Verb+" "+a.ObjectRef.Resource]++
		}
	}); err != nil {
		return "", err
	}
	if len(denied) > 0 || done == 0 {
		return "", fmt.Errorf("%d writes, denied: %s", done, numbers(denied))
	}
	for _, more := range [][]string{{"get", "secrets"}, {"create", "deployments.apps"}, {"delete", "nodes"}, {"*", "*"}} {
		said, _ := p.stage().kubectlIn(ctx, "default", "", append([]string{"auth", "can-i", "--as", user}, more...)...)
		if !strings.Contains(said, "no") { // its exit code says it, too
			return "", fmt.Errorf("can it %s? %s", strings.Join(more, " "), said)
		}
	}
	return fmt.Sprintf("%d writes by %s, none denied; RBAC, OwnerReferencesPermissionEnforcement", done, user), nil
}

// walk types what a reader would, and keeps what kubectl says.
func (p *proof) walk(ctx context.Context, part string, lines ...string) error {
	var told strings.Builder
	for _, line := range lines {
		out, err := p.stage().run(ctx, "default", strings.Fields(line)...)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fmt.Fprintf(&told, "$ kubectl %s\n%s", line, out)
		if err != nil && out == "" {
			return err
		}
	}
	p.result.Walk = append(p.result.Walk, Part{part, told.String()})
	return nil
}

// warned starts ours beside those whose place they would take, and keeps what they
// say.
func (p *proof) warned(ctx context.Context) (string, error) {
	lab, err := p.command(ctx, p.folder)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	arguments := []string{"controllers", "--controllers", "deployment,statefulset", "--yes"}
	command := exec.CommandContext(ctx, lab, append(slices.Clone(arguments),
		"--kubeconfig", p.cluster.Kubeconfig(servers.Admin), "--listen=")...)
	command.Dir = p.book
	out, err := command.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return "", fmt.Errorf("ours began beside kube-controller-manager, and said: %s", out)
	}
	_, said, _ := strings.Cut("\n"+string(out), "\nlab: ") // behind the log
	p.result.Walk = append(p.result.Walk, Part{"warned",
		"$ go run ./cmd/lab " + strings.Join(arguments, " ") + "\nlab: " + said})
	first, _, _ := strings.Cut(said, ":")
	return first, nil
}

// refusals does what the book's store lets a controller do, and a real server does
// not.
func (p *proof) refusals(ctx context.Context) (string, error) {
	pods := p.client.CoreV1().Pods("first")
	pod, err := pods.Get(ctx, "plain", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	pod.Spec.NodeName = "node-1"
	_, bound := pods.Update(ctx, pod, metav1.UpdateOptions{})
	if bound == nil {
		return "", errors.New("an update has bound a Pod")
	}
	old := pod
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // the scheduler writes, too
		if old, err = pods.Get(ctx, "plain", metav1.GetOptions{}); err != nil {
			return err
		}
		old.Labels = map[string]string{"touched": "once"}
		_, err := pods.Update(ctx, old, metav1.UpdateOptions{})
		return err
	}); err != nil {
		return "", err
	}
	_, stale := pods.Update(ctx, old, metav1.UpdateOptions{})
	_, twice := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "plain"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}}}, metav1.CreateOptions{})
	if stale == nil || twice == nil {
		return "", errors.New("what is stale, or there twice, was taken")
	}
	for _, refusal := range []error{bound, stale, twice} {
		first, _, _ := strings.Cut(refusal.Error(), "\n")
		p.result.Refusals = append(p.result.Refusals, strings.TrimSpace(first))
	}
	return fmt.Sprintf("%d of 3", len(p.result.Refusals)), nil
}

// admission creates a Pod, and looks what has been added to it.
func (p *proof) admission(ctx context.Context) (string, error) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "plain", Namespace: "first"},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"no": "where"},
			Containers:   []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
		},
	}
	stored, err := p.client.CoreV1().Pods("first").Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	p.result.Admission = fieldsOf(stored)
	return strings.Join(p.result.Admission, ", "), nil
}

// fieldsOf names what of a Pod admission fills, if it has.
func fieldsOf(pod *corev1.Pod) (fields []string) {
	spec := pod.Spec
	if spec.ServiceAccountName != "" {
		fields = append(fields, "spec.serviceAccountName: "+spec.ServiceAccountName)
	}
	if spec.Priority != nil {
		fields = append(fields, fmt.Sprint("spec.priority: ", *spec.Priority))
	}
	if spec.PreemptionPolicy != nil {
		fields = append(fields, fmt.Sprint("spec.preemptionPolicy: ", *spec.PreemptionPolicy))
	}
	for _, t := range spec.Tolerations {
		fields = append(fields, fmt.Sprintf("spec.tolerations: %s for %d s", t.Key, *t.TolerationSeconds))
	}
	for _, v := range spec.Volumes {
		name := v.Name
		if at := strings.LastIndex(name, "-"); v.Projected != nil && at > 0 {
			name = name[:at+1] + "*"
		}
		fields = append(fields, "spec.volumes: "+name)
	}
	for _, m := range spec.Containers[0].VolumeMounts {
		fields = append(fields, "spec.containers[0].volumeMounts: "+m.MountPath)
	}
	return fields
}

// processor returns how much of it a process has used.
func processor(id int) time.Duration {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
	if err != nil {
		return 0
	}
	// The second field is the program's name in brackets, and may hold blanks.
	fields := strings.Fields(string(text[slices.Index(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // hundredths, on any Linux
}

func tenth(d time.Duration) float64 { return d.Round(100 * time.Millisecond).Seconds() }
