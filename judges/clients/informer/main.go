// Informer follows Pods over client-go: what an informer hears of one that the program
// creates, labels and deletes.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	heard := make(chan string, 10)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	pods := factory.Core().V1().Pods()
	_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { heard <- "added" },
		UpdateFunc: func(old, new any) {
			if phase := new.(*corev1.Pod).Status.Phase; phase != old.(*corev1.Pod).Status.Phase {
				heard <- string(phase)
			}
		},
		DeleteFunc: func(any) { heard <- "deleted" },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return life(ctx, client, heard)
}

// life creates a Pod, labels it when it runs, and deletes it.
func life(ctx context.Context, client kubernetes.Interface, heard <-chan string) error {
	pods := client.CoreV1().Pods("default")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "from-go"}}
	pod.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx:1.27"}}
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event := <-heard:
			fmt.Println(event)
			switch event {
			case "Running":
				if err := label(ctx, client); err != nil {
					return err
				}
				if err := pods.Delete(ctx, "from-go", metav1.DeleteOptions{}); err != nil {
					return err
				}
			case "deleted":
				return nil
			}
		}
	}
}

// label begins with a Pod that's out of date, and so has to read it anew.
func label(ctx context.Context, client kubernetes.Interface) error {
	pods, stale := client.CoreV1().Pods("default"), true
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod, err := pods.Get(ctx, "from-go", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if stale {
			pod.ResourceVersion, stale = "1", false
		}
		pod.Labels = map[string]string{"seen": "yes"}
		_, err = pods.Update(ctx, pod, metav1.UpdateOptions{})
		fmt.Println("update:", err)
		return err
	})
}
