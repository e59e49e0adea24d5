package admission

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// fill returns a new Pod with the fields that only admission fills in. obj
// stays as it is.
func (r request) fill(ctx context.Context, obj *corev1.Pod) (*corev1.Pod, error) {
	pod := *obj
	if err := r.account(ctx, &pod.Spec); err != nil {
		return nil, err
	}
	if err := r.priority(ctx, &pod.Spec); err != nil {
		return nil, err
	}
	tolerate(&pod.Spec)
	selectAlike(&pod)
	return &pod, nil
}

const defaultAccount = "default"

var accountKind = corev1.SchemeGroupVersion.WithKind("ServiceAccount")

// account does the work of Kubernetes' plugin ServiceAccount, except for the
// volume with the account's token, which no chapter of this lab serves. If a
// namespace's default account isn't there yet, Kubernetes' plugin waits for it;
// this one doesn't, because Pods here mount nothing of it.
func (r request) account(ctx context.Context, spec *corev1.PodSpec) error {
	spec.ServiceAccountName = cmp.Or(spec.ServiceAccountName, defaultAccount)
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	key := controlloop.Key{
		Namespace: r.obj.GetNamespace(), Name: spec.ServiceAccountName,
	}
	obj, err := r.store.Get(ctx, accountKind, key)
	switch {
	case apierrors.IsNotFound(err) && key.Name == defaultAccount:
		return nil
	case apierrors.IsNotFound(err):
		return r.forbidden("error looking up service account %s: "+
			"serviceaccount %q not found", key, key.Name)
	case err != nil:
		return err
	}
	if len(spec.ImagePullSecrets) == 0 {
		spec.ImagePullSecrets = obj.(*corev1.ServiceAccount).ImagePullSecrets
	}
	return nil
}

// tolerate does the work of Kubernetes' plugin DefaultTolerationSeconds: a Pod
// that says nothing stays for five minutes on a node that has gone quiet.
func tolerate(spec *corev1.PodSpec) {
	for _, taint := range []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
	} {
		if slices.ContainsFunc(spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == taint || t.Key == "") &&
				(t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}) {
			continue
		}
		spec.Tolerations = append(slices.Clip(spec.Tolerations), corev1.Toleration{
			Key: taint, Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
		})
	}
}
