// Site is a controller as it's written over controller-runtime: of each ConfigMap with
// the label site it makes a Deployment of nginx, with as many Pods as its data say.
package main

import (
	"context"
	"os"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2/textlogger"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

type site struct{ client.Client }

func (s site) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var page corev1.ConfigMap
	if err := s.Get(ctx, request.NamespacedName, &page); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	replicas, err := strconv.ParseInt(page.Data["replicas"], 10, 32)
	if err != nil {
		return ctrl.Result{}, err
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: page.Name, Namespace: page.Namespace}}
	_, err = ctrl.CreateOrUpdate(ctx, s.Client, d, func() error {
		labels := map[string]string{"site": page.Name}
		d.Spec.Replicas = ptr.To(int32(replicas))
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		d.Spec.Template.Labels = labels
		if len(d.Spec.Template.Spec.Containers) == 0 { // later they have the server's defaults
			d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx:1.27"}}
		}
		return ctrl.SetControllerReference(&page, d, s.Scheme())
	})
	return ctrl.Result{}, err
}

func main() {
	log := textlogger.NewLogger(textlogger.NewConfig())
	ctrl.SetLogger(log)
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		log.Error(err, "site has stopped")
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	labelled := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetLabels()["site"] != "" })
	err = ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}, builder.WithPredicates(labelled)).
		Owns(&appsv1.Deployment{}).
		Complete(site{manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
