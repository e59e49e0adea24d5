package promote

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// Reconcile sees to it that the Pod which a Service names is a master, and that
// the Service names a Pod that is there.
//
//book:exercise 7k
func (p *Promoter) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, err := p.Client.Get(ctx,
		corev1.SchemeGroupVersion.WithKind("Service"), key)
	if apierrors.IsNotFound(err) {
		delete(p.missing, key)
		return controlloop.Result{}, nil
	}
	if err != nil {
		return controlloop.Result{}, err
	}
	service := obj.(*corev1.Service)
	master := p.pod(key.Namespace, service.Spec.Selector[Named])
	if isReady(master) {
		delete(p.missing, key)
		if wrote, err := p.name(ctx, service, master); wrote || err != nil {
			return controlloop.Result{}, err
		}
		return p.appoint(ctx, master)
	}
	if left := p.left(key); left > 0 {
		return controlloop.Result{After: left}, nil
	}
	best := p.furthest(ctx, service)
	if best == nil {
		p.tellNobody(service)
		return controlloop.Result{After: time.Second}, nil
	}
	_, err = p.name(ctx, service, best)
	return controlloop.Result{}, err
}

// appoint makes a slave a master, unless it is one. What it has read it executes
// first.
//
//book:exercise 7k
func (p *Promoter) appoint(
	ctx context.Context, pod *corev1.Pod,
) (result controlloop.Result, err error) {
	answer, err := p.ask(ctx, pod, "SELECT @@read_only")
	if err != nil || number(answer.Rows[0][0]) == 0 {
		return result, err
	}
	if _, err := p.ask(ctx, pod, "STOP SLAVE IO_THREAD"); err != nil {
		return result, err
	}
	s, err := p.status(ctx, pod)
	if err != nil {
		return result, err
	}
	if s != nil && s.executed != s.read {
		p.tellBehind(pod, s)
		_, err := p.ask(ctx, pod, "START SLAVE SQL_THREAD")
		return controlloop.Result{After: time.Second}, err
	}
	if _, err := p.ask(ctx, pod, "STOP SLAVE"); err != nil {
		return result, err
	}
	p.lead(ctx, pod)
	for _, sql := range []string{
		"RESET SLAVE ALL", "SET GLOBAL read_only = 0",
	} {
		if _, err := p.ask(ctx, pod, sql); err != nil {
			return result, err
		}
	}
	return result, nil
}

// left returns how long a master that is missing is waited for yet.
func (p *Promoter) left(key controlloop.Key) time.Duration {
	if p.missing == nil {
		p.missing = map[controlloop.Key]time.Time{}
	}
	if p.missing[key].IsZero() {
		p.missing[key] = time.Now()
	}
	return p.Patience - time.Since(p.missing[key])
}

// furthest returns the slave of the last master that has read the most of what it
// told, of those that answer; nil: none does.
//
//book:exercise 7k
func (p *Promoter) furthest(
	ctx context.Context, service *corev1.Service,
) (best *corev1.Pod) {
	var furthest place
	for _, obj := range p.Pods.List() {
		pod := obj.(*corev1.Pod)
		if pod.Namespace != service.Namespace || !isReady(pod) ||
			pod.Labels["app"] != service.Spec.Selector["app"] {
			continue
		}
		s, err := p.status(ctx, pod)
		if err != nil || s == nil || s.master == "0" ||
			s.master != service.Annotations[Server] {
			continue
		}
		further := s.read.compare(furthest)
		if best == nil || further > 0 || further == 0 && pod.Name < best.Name {
			best, furthest = pod, s.read
		}
	}
	return best
}
