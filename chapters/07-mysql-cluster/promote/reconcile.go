package promote

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// Reconcile sees to it that the Pod which a Service names is a master, and that
// the Service names a Pod that is there.
//
//book:exercise 7.11
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
	name := service.Spec.Selector[Named]
	if master := p.pod(key.Namespace, name); isReady(master) {
		delete(p.missing, key)
		return controlloop.Result{}, p.appoint(ctx, master)
	}
	if left := p.left(key); left > 0 {
		return controlloop.Result{After: left}, nil
	}
	best := p.furthest(ctx, service)
	if best == nil {
		return controlloop.Result{After: time.Second}, nil
	}
	next := controlloop.Copy(service)
	next.Spec.Selector[Named] = best.Name
	_, err = p.Client.Update(ctx, next)
	return controlloop.Result{}, err
}

// appoint makes a slave a master, unless it is one.
//
//book:exercise 7.11
func (p *Promoter) appoint(ctx context.Context, pod *corev1.Pod) error {
	result, err := p.ask(ctx, pod, "SELECT @@read_only")
	if err != nil || number(result.Rows[0][0]) == 0 {
		return err
	}
	if _, err := p.ask(ctx, pod, "STOP SLAVE"); err != nil {
		return err
	}
	p.lead(ctx, pod)
	for _, sql := range []string{
		"RESET SLAVE ALL", "SET GLOBAL read_only = 0",
	} {
		if _, err := p.ask(ctx, pod, sql); err != nil {
			return err
		}
	}
	return nil
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

// furthest returns the slave that has executed the most of what the master
// told, of those that answer; nil: none does.
//
//book:exercise 7.11
func (p *Promoter) furthest(
	ctx context.Context, service *corev1.Service,
) (best *corev1.Pod) {
	var file string
	var position int64
	for _, obj := range p.Pods.List() {
		pod := obj.(*corev1.Pod)
		if pod.Namespace != service.Namespace || !isReady(pod) ||
			pod.Labels["app"] != service.Spec.Selector["app"] {
			continue
		}
		atFile, at, ok := p.executed(ctx, pod)
		further := cmp.Or(cmp.Compare(atFile, file), cmp.Compare(at, position),
			-cmp.Compare(pod.Name, nameOf(best)))
		if ok && (best == nil || further > 0) {
			best, file, position = pod, atFile, at
		}
	}
	return best
}

// executed returns how far a slave is, by its own account.
func (p *Promoter) executed(
	ctx context.Context, pod *corev1.Pod,
) (file string, position int64, ok bool) {
	result, err := p.ask(ctx, pod, "SHOW SLAVE STATUS")
	if err != nil || len(result.Rows) == 0 {
		return "", 0, false
	}
	for i, column := range result.Columns {
		switch column {
		case "Relay_Master_Log_File":
			file, _ = result.Rows[0][i].(string)
		case "Exec_Master_Log_Pos":
			position = number(result.Rows[0][i])
		}
	}
	return file, position, true
}
