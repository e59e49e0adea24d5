package promote

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// account is that of an operator on each server. It has root's password, and may do
// what an operator does: lead slaves, and say which server takes writes. (On a real
// MySQL or MariaDB it has to be created; the lab's images have it.)
const account = "operator"

// password returns the password that a Pod's server was given for root, from where
// the server has it.
func (p *Promoter) password(
	ctx context.Context, pod *corev1.Pod,
) (string, error) {
	for _, c := range pod.Spec.Containers {
		for _, v := range c.Env {
			if v.Name != "MYSQL_ROOT_PASSWORD" {
				continue
			}
			if v.ValueFrom == nil || v.ValueFrom.SecretKeyRef == nil {
				return v.Value, nil
			}
			from := v.ValueFrom.SecretKeyRef
			secret, err := p.Client.Get(ctx,
				corev1.SchemeGroupVersion.WithKind("Secret"),
				controlloop.Key{Namespace: pod.Namespace, Name: from.Name})
			if err != nil {
				return "", err
			}
			return string(secret.(*corev1.Secret).Data[from.Key]), nil
		}
	}
	return "", nil
}
