package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// story is what a user does with kubectl in a namespace of the story's own, one
// step after the other; after each all comes to rest.
type story struct {
	chapter int
	name    string
	steps   []string // kubectl's arguments; "apply F" is of the chapter's manifests
}

// stories are told of the chapters' own manifests.
var stories = []story{
	{2, "a ReplicaSet", []string{
		"apply 02-deployment/manifests/web-rs.yaml",
		"delete pod -l app=web --wait=false",
		"scale rs web --replicas=5",
		"scale rs web --replicas=1",
		"delete rs web --cascade=orphan",
		"apply 02-deployment/manifests/web-rs.yaml",
		"delete rs web",
	}},
	{2, "a ReplicationController", []string{
		"apply 02-deployment/manifests/web-rc.yaml",
		"scale rc web --replicas=5",
		"label pods --all app=other --overwrite",
		"delete rc web",
	}},
	{2, "Recreate", []string{
		"apply 02-deployment/manifests/nginx-deployment.yaml",
		"set image deployment nginx-deployment nginx=nginx:1.28",
		"scale deployment nginx-deployment --replicas=5",
		"delete deployment nginx-deployment",
	}},
	{3, "a rolling update", []string{
		"apply 03-rolling-update/manifests/nginx-deployment.yaml",
		"apply 03-rolling-update/manifests/service.yaml",
		"set image deployment nginx nginx=nginx:1.28",
		"rollout undo deployment nginx",
		"rollout pause deployment nginx",
		"set image deployment nginx nginx=nginx:1.29",
		"rollout resume deployment nginx",
		"scale deployment nginx --replicas=8",
	}},
	{3, "an image that does not exist", []string{
		"apply 03-rolling-update/manifests/nginx-deployment.yaml",
		"set image deployment nginx nginx=nginx:0.0",
		"rollout undo deployment nginx",
	}},
	{4, "a StatefulSet", []string{
		"apply 04-statefulset/manifests/web.yaml",
		"apply 04-statefulset/manifests/first.yaml",
		"scale sts web --replicas=4",
		"delete pod web-1 --wait=false",
		"scale sts web --replicas=1",
		"delete sts web --cascade=orphan",
		"apply 04-statefulset/manifests/web.yaml",
	}},
	{5, "a claim and a volume", []string{
		"apply 05-storage/manifests/nfs-claim.yaml",
		"apply 05-storage/manifests/nfs.yaml",
		"delete pvc nfs --wait=false",
		"delete pv nfs --wait=false",
	}},
	{6, "a DaemonSet", []string{
		"apply 06-daemonset/manifests/fluentd.yaml",
		"set image ds fluentd-elasticsearch fluentd-elasticsearch=quay.io/fluentd_elasticsearch/fluentd:v4.7.0",
		"rollout undo ds fluentd-elasticsearch",
		"delete pod -l name=fluentd-elasticsearch --wait=false",
	}},
	{6, "a partition", []string{
		"apply 06-daemonset/manifests/web.yaml",
		`patch sts web -p {"spec":{"updateStrategy":{"rollingUpdate":{"partition":2}}}}`,
		"set image sts web nginx=nginx:1.28",
		`patch sts web -p {"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}`,
		"rollout undo sts web",
	}},
	{6, "a budget", []string{
		"apply 06-daemonset/manifests/shop.yaml",
		"apply 06-daemonset/manifests/budget.yaml",
		"set image deployment shop shop=nginx:1.28",
		"scale deployment shop --replicas=3",
	}},
}

func (s story) String() string { return fmt.Sprintf("chapter %d: %s", s.chapter, s.name) }

// stage is a cluster on which stories are told.
type stage struct {
	kubectl    string
	kubeconfig string
	chapters   string // the folder of their manifests
	client     kubernetes.Interface
}

// play plays a story, and returns the state after each step.
func (at stage) play(ctx context.Context, n int, s story) (string, error) {
	namespace := fmt.Sprintf("story-%d", n+1)
	if _, err := at.run(ctx, "default", "create", "namespace", namespace); err != nil {
		return "", err
	}
	var told strings.Builder
	for _, step := range s.steps {
		arguments, input, err := at.arguments(step)
		if err != nil {
			return "", err
		}
		if out, err := at.kubectlIn(ctx, namespace, input, arguments...); err != nil {
			return "", fmt.Errorf("%s: kubectl %s: %w\n%s", s, step, err, out)
		}
		now, err := at.rest(ctx, namespace)
		if err != nil {
			return "", fmt.Errorf("%s: after kubectl %s: %w", s, step, err)
		}
		fmt.Fprintf(&told, "$ kubectl %s\n%s\n\n", step, now)
	}
	_, err := at.run(ctx, "default", "delete", "namespace", namespace, "--wait=false")
	return told.String(), err
}

// arguments reads a step. Manifests lose the namespace that they name.
func (at stage) arguments(step string) (arguments []string, input string, err error) {
	file, applies := strings.CutPrefix(step, "apply ")
	if !applies {
		return strings.Fields(step), "", nil
	}
	text, err := os.ReadFile(filepath.Join(at.chapters, file))
	return []string{"apply", "-f", "-"},
		strings.ReplaceAll(string(text), "\n  namespace: kube-system\n", "\n"), err
}

func (at stage) run(ctx context.Context, namespace string, arguments ...string) (string, error) {
	return at.kubectlIn(ctx, namespace, "", arguments...)
}

// quiet is how long nothing may change for all to be at rest: longer than a
// probe, a retry and a heartbeat of this scale take. A claim that waits may have
// to wait for the look that kube-controller-manager takes every 15 s.
func quiet(state string) time.Duration {
	if waiting.MatchString(state) {
		return 20 * time.Second
	}
	return 4 * time.Second
}

var waiting = regexp.MustCompile(`(?m)^PersistentVolumeClaim .*: Pending`)

// rest waits until nothing has changed for a while, and returns the state.
func (at stage) rest(ctx context.Context, namespace string) (string, error) {
	const patience = 3 * time.Minute
	begun, since, last := time.Now(), time.Now(), "?"
	for time.Since(since) < quiet(last) {
		if time.Since(begun) > patience {
			return last, fmt.Errorf("no rest after %s:\n%s", patience, last)
		}
		now, err := state(ctx, at.client, namespace)
		if err != nil {
			return "", err
		}
		if now != last {
			last, since = now, time.Now()
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(300 * time.Millisecond):
		}
	}
	return last, nil
}

// tellAll plays all stories, three at a time.
func (at stage) tellAll(ctx context.Context) ([]string, error) {
	told, errs := make([]string, len(stories)), make([]error, len(stories))
	var playing sync.WaitGroup
	places := make(chan struct{}, 3)
	for n, s := range stories {
		playing.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			told[n], errs[n] = at.play(ctx, n, s)
		})
	}
	playing.Wait()
	for _, err := range errs {
		if err != nil {
			return told, err
		}
	}
	return told, nil
}

// free waits for so many nodes, and lets Pods of every kind onto them: here are
// no others.
func (at stage) free(ctx context.Context, count int) error {
	nodes, err := at.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		if len(node.Spec.Taints) == 0 {
			count--
			continue
		}
		node.Spec.Taints = nil
		if _, err := at.client.CoreV1().Nodes().Update(ctx, &node, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if count > 0 {
		return fmt.Errorf("%d nodes are not there yet", count)
	}
	return nil
}

// kubectlIn runs kubectl in a namespace, and returns what it prints.
func (at stage) kubectlIn(ctx context.Context, namespace, input string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, at.kubectl, append([]string{
		"--kubeconfig", at.kubeconfig, "--namespace", namespace}, arguments...)...)
	command.Stdin = strings.NewReader(input)
	out, err := command.CombinedOutput()
	return string(out), err
}
