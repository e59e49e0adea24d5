// Package nodes makes the book's kubelets nodes of a cluster that is somewhere
// else: simulated ones, as kwok has them, on which the images of internal/images
// run. Nothing lands there that does not tolerate it.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/events"
	"reconcile/internal/lab"
	"reconcile/takeover/remote"
)

// Agent is how a server knows the program.
const Agent = "lab-nodes"

// Mark is the key of a label and of a taint that every simulated node has; their
// value is "true".
const Mark = "reconcile.example/simulated"

// Most is how many nodes there can be: their Pods have addresses of 198.18.0.0/15,
// which is kept for measurements and is nobody's (RFC 2544).
const Most = 500

// Options say how many nodes there are, and of which cluster.
type Options struct {
	Config *rest.Config
	Remote remote.Options
	Count  int
	Prefix string // of their names
	Log    *slog.Logger
}

// Run registers the nodes, runs them until ctx ends, and takes them away again.
func Run(ctx context.Context, opts Options) error {
	if opts.Count < 1 || opts.Count > Most {
		return fmt.Errorf("%d nodes: there can be between 1 and %d", opts.Count, Most)
	}
	if why := validation.IsDNS1123Label(opts.Prefix); len(why) > 0 {
		return fmt.Errorf("nodes cannot be called %s-1: %s", opts.Prefix, why[0])
	}
	client, err := remote.New(opts.Config, kinds.Store(kinds.All()), opts.Remote)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "reconcile-nodes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	system := &controlloop.System{
		Client: client, Recorder: events.NewJournal(client).Recorder,
	}
	fleet := lab.NewFleet(system, filepath.Join(folder, "volumes"))
	defer fleet.Close()
	var all []*corev1.Node
	for n := 1; n <= opts.Count; n++ {
		name := fmt.Sprintf("%s-%d", opts.Prefix, n)
		node := fleet.Add(n, name, subnet(n))
		mark(node, subnet(n)+".255")
		all = append(all, node)
	}
	defer remove(ctx, client, all, opts.Log)
	for _, node := range all {
		if err := register(ctx, client, node); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("register %s at %s: %w", node.Name, opts.Config.Host, err)
		}
	}
	opts.Log.Info("registered", "nodes", opts.Count, "server", opts.Config.Host,
		"tolerate", Mark)
	system.Run(ctx)
	return nil
}

// subnet returns what the addresses of a node's Pods begin with.
func subnet(n int) string { return fmt.Sprintf("198.%d.%d", 18+n/256, n%256) }

// mark keeps everything away from a node that does not tolerate it. What
// tolerates everything, as kube-proxy does, comes nevertheless, and finds no
// image.
func mark(node *corev1.Node, address string) {
	node.Labels[Mark] = "true"
	node.Labels["type"] = "simulated"
	node.Spec.Taints = []corev1.Taint{{
		Key: Mark, Value: "true", Effect: corev1.TaintEffectNoSchedule,
	}}
	node.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: address},
		{Type: corev1.NodeHostName, Address: node.Name},
	}
	// Its heartbeat says more, within a moment.
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionUnknown,
	}}
}

// register stores a Node. One that is there already is taken over if it is one of
// ours, which an end by force has left.
func register(ctx context.Context, client controlloop.Client, node *corev1.Node) error {
	_, err := client.Create(ctx, node)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	obj, err := client.Get(ctx, controlloop.NodeKind, controlloop.KeyOf(node))
	if err != nil {
		return err
	}
	if obj.GetLabels()[Mark] == "" {
		return errors.New("there is a node of this name that is none of ours: " +
			"give ours another --prefix")
	}
	return nil
}

// goodbye is how long the nodes may take to go.
const goodbye = 30 * time.Second

// remove takes the nodes away, and what is bound to them: no kubelet will say that
// it has ended.
func remove(
	ctx context.Context, client controlloop.Client, all []*corev1.Node,
	log *slog.Logger,
) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	var failed error
	for _, node := range all {
		if err := removeOne(ctx, client, node.Name); err != nil {
			failed = err
		}
	}
	if failed != nil {
		log.Error("nodes are left", "error", failed,
			"remove them with", "kubectl delete nodes -l "+Mark)
		return
	}
	log.Info("removed", "nodes", len(all))
}

func removeOne(ctx context.Context, client controlloop.Client, name string) error {
	key := controlloop.Key{Name: name}
	obj, err := client.Get(ctx, controlloop.NodeKind, key)
	if err != nil || obj.GetLabels()[Mark] == "" {
		return gone(err)
	}
	if err := client.Delete(ctx, controlloop.NodeKind, key, metav1.DeleteOptions{}); gone(err) != nil {
		return err
	}
	lease := controlloop.Key{Namespace: corev1.NamespaceNodeLease, Name: name}
	if err := client.Delete(ctx, daemonset.LeaseKind, lease, metav1.DeleteOptions{}); gone(err) != nil {
		return err
	}
	pods, err := client.List(ctx, controlloop.PodKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", name)})
	for _, pod := range pods.Items {
		err := client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
			metav1.DeleteOptions{
				GracePeriodSeconds: new(int64),
				Preconditions:      metav1.NewUIDPreconditions(string(pod.GetUID())),
			})
		if gone(err) != nil && !apierrors.IsConflict(err) {
			return err
		}
	}
	return err
}

// gone returns err unless it says that what is to go has gone.
func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
