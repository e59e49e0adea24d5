// Package promote is an operator: when the master has been gone for a while,
// the slave that is furthest on takes its place. Writers reach the master,
// whichever it is, through a Service that names one Pod.
package promote

import (
	"cmp"
	"context"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// Named is the label by which a Service can mean one Pod of a StatefulSet; Role
// is on the Services that are looked after.
const (
	Named = "statefulset.kubernetes.io/pod-name"
	Role  = "reconcile.example/role"
)

// Promoter looks after Services with the label Role: master.
type Promoter struct {
	Client   controlloop.Client
	Pods     *controlloop.Indexer
	Dial     Dial
	Patience time.Duration // for a master that is not ready

	missing map[controlloop.Key]time.Time // since when, by Service
}

// Dial connects to a port of a Pod.
type Dial = func(
	ctx context.Context, pod *corev1.Pod, port int32,
) (net.Conn, error)

// New returns the operator as a controller.
func New(
	s *controlloop.System, dial Dial, patience time.Duration,
) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	services := s.Informer(corev1.SchemeGroupVersion.WithKind("Service"),
		controlloop.ListOptions{
			Labels: labels.SelectorFromSet(labels.Set{Role: "master"})})
	c := controlloop.NewController("promoter", &Promoter{
		Client: s.Client, Pods: pods.Cache, Dial: dial,
		Patience: patience,
	})
	c.Watch(services, func(obj controlloop.Object) []controlloop.Key {
		return []controlloop.Key{controlloop.KeyOf(obj)}
	})
	c.Watch(pods, func(obj controlloop.Object) []controlloop.Key {
		var keys []controlloop.Key
		for _, s := range services.Cache.List() {
			if s.GetNamespace() == obj.GetNamespace() {
				keys = append(keys, controlloop.KeyOf(s))
			}
		}
		return keys
	})
	s.Add(c)
	return c
}

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

func nameOf(pod *corev1.Pod) string {
	if pod == nil {
		return ""
	}
	return pod.Name
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

// number returns a value of an answer, which may have come as text.
func number(v sql.Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case string:
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	}
	return 0
}

// appoint makes a slave a master, unless it is one.
//
//book:exercise 7.11
func (p *Promoter) appoint(ctx context.Context, pod *corev1.Pod) error {
	result, err := p.ask(ctx, pod, "SELECT @@read_only")
	if err != nil || number(result.Rows[0][0]) == 0 {
		return err
	}
	for _, sql := range []string{
		"STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0",
	} {
		if _, err := p.ask(ctx, pod, sql); err != nil {
			return err
		}
	}
	return nil
}

// ask asks the server of a Pod.
func (p *Promoter) ask(
	ctx context.Context, pod *corev1.Pod, sql string,
) (*sql.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := p.Dial(ctx, pod, 3306)
	if err != nil {
		return nil, err
	}
	client, err := wire.Connect(ctx, conn, "root", "", "")
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return client.Query(sql)
}

// pod returns a Pod of that name, or nil.
func (p *Promoter) pod(namespace, name string) *corev1.Pod {
	obj, ok := p.Pods.Get(controlloop.Key{Namespace: namespace, Name: name})
	if !ok {
		return nil
	}
	return obj.(*corev1.Pod)
}

func isReady(pod *corev1.Pod) bool {
	return pod != nil && pod.DeletionTimestamp == nil &&
		controlloop.IsReady(pod)
}
