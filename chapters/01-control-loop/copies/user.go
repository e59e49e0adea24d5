package main

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// user is whoever types: each change is told, and has a second to take effect.
type user struct {
	cluster controlloop.Client
	out     io.Writer
}

func (u user) wait() { time.Sleep(time.Second) }

// create asks for n Pods.
func (u user) create(name string, n int32) {
	fmt.Fprintf(u.out, "you create %s, of %d\n", name, n)
	labels := map[string]string{"app": name}
	_, err := u.cluster.Create(context.Background(), &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: corev1.ReplicationControllerSpec{
			Replicas: &n, Selector: labels,
			Template: &corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "nginx", Image: "nginx:1.27"}},
				},
			},
		},
	})
	u.done(err)
}

// remove deletes n Pods.
func (u user) remove(n int) {
	ctx := context.Background()
	list, err := u.cluster.List(ctx, controlloop.PodKind, controlloop.ListOptions{})
	for _, pod := range list.Items[:min(n, len(list.Items))] {
		fmt.Fprintln(u.out, "you delete a Pod")
		if err == nil {
			err = u.cluster.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod), metav1.DeleteOptions{})
		}
	}
	u.done(err)
}

// scale asks for n Pods from now on.
func (u user) scale(name string, n int32) {
	fmt.Fprintf(u.out, "you scale %s to %d\n", name, n)
	ctx := context.Background()
	key := controlloop.Key{Namespace: metav1.NamespaceDefault, Name: name}
	obj, err := u.cluster.Get(ctx, controlloop.RCKind, key)
	if err == nil {
		next := controlloop.Copy(obj.(*corev1.ReplicationController))
		next.Spec.Replicas = &n
		_, err = u.cluster.Update(ctx, next)
	}
	u.done(err)
}

func (u user) done(err error) {
	if err != nil {
		panic(err)
	}
	u.wait()
}
