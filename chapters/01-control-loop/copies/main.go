// Command copies is a controller in one file, with its main.
//
// Its files, in reading order: main.go, user.go.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

func main() { play(os.Stdout) }

// play is a day of a cluster with one user and one controller.
func play(out io.Writer) {
	cluster := controlloop.NewStore(controlloop.CoreKinds())
	you := user{cluster, out}

	stop := start(cluster, out)
	you.create("web", 3)
	you.remove(1)
	stop()

	you.remove(2)
	you.scale("web", 4)
	stop = start(cluster, out)
	you.wait()
	stop()
}

// start runs the controller, and returns the function that stops it.
func start(cluster controlloop.Client, out io.Writer) (stop func()) {
	fmt.Fprintln(out, "the controller is started")
	system := &controlloop.System{Client: cluster}
	owners := system.Informer(controlloop.RCKind, controlloop.ListOptions{})
	pods := system.Informer(controlloop.PodKind, controlloop.ListOptions{})

	c := controlloop.NewController("copies",
		&copies{cluster, owners.Cache, pods.Cache, out})
	c.Watch(owners, controlloop.Self)
	c.Watch(pods, ownerOf)
	system.Add(c)

	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { system.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
		fmt.Fprintln(out, "the controller is stopped")
	}
}

// copies keeps as many Pods as a ReplicationController wants.
type copies struct {
	cluster      controlloop.Client
	owners, pods *controlloop.Indexer
	out          io.Writer
}

// Reconcile implements controlloop.Reconciler.
func (c *copies) Reconcile(
	ctx context.Context, key controlloop.Key,
) (done controlloop.Result, err error) {
	obj, found := c.owners.Get(key)
	if !found || obj.GetDeletionTimestamp() != nil {
		return done, nil
	}
	rc := obj.(*corev1.ReplicationController)
	if len(owned(rc, c.pods.List())) == int(*rc.Spec.Replicas) {
		return done, nil
	}
	list, err := c.cluster.List(ctx, controlloop.PodKind,
		controlloop.ListOptions{Namespace: rc.Namespace})
	if err != nil {
		return done, err
	}
	return done, c.act(ctx, rc, owned(rc, list.Items))
}

// act creates the Pods that rc lacks, or deletes those that are too many.
func (c *copies) act(
	ctx context.Context, rc *corev1.ReplicationController,
	pods []controlloop.Object,
) (err error) {
	want, has := int(*rc.Spec.Replicas), len(pods)
	if has != want {
		fmt.Fprintf(c.out, "    %s has %d of %d: %+d\n",
			rc.Name, has, want, want-has)
	}
	for ; err == nil && has < want; has++ {
		pod := controlloop.PodFrom(rc.Spec.Template, rc, controlloop.RCKind)
		_, err = c.cluster.Create(ctx, pod)
	}
	for ; err == nil && has > want; has-- {
		err = c.cluster.Delete(ctx, controlloop.PodKind,
			controlloop.KeyOf(pods[has-1]), metav1.DeleteOptions{})
	}
	return err
}

// owned returns those of a list that rc controls, and that are to stay.
func owned(rc controlloop.Object, of []controlloop.Object) []controlloop.Object {
	return slices.DeleteFunc(of, func(obj controlloop.Object) bool {
		leaves := obj.GetDeletionTimestamp() != nil
		return leaves || !metav1.IsControlledBy(obj, rc)
	})
}

// ownerOf returns the key of the ReplicationController that controls a Pod.
func ownerOf(pod controlloop.Object) (keys []controlloop.Key) {
	if key, ok := controlloop.ControllerKey(pod, controlloop.RCKind); ok {
		keys = append(keys, key)
	}
	return keys
}
