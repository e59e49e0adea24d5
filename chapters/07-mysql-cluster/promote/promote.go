// Package promote is an operator: when the master has been gone for a while,
// the slave that is furthest on takes its place. Writers reach the master,
// whichever it is, through a Service that names one Pod.
//
//	promote.go    the operator, and how it asks a server
//	reconcile.go  what it decides
//	name.go       the word in the Service, and what Events tell
//	status.go     how far a slave is, and whom it follows
//	lead.go       the other slaves are taken along
//	account.go    as whom it logs in
package promote

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// Named is the label by which a Service can mean one Pod of a StatefulSet; Role
// is on the Services that are looked after. The annotation Server has the server id
// of the Pod that the Service names: a slave says by that number whom it follows.
// Config names the ConfigMap, if there is one, whose key BeginEmpty lets the first
// server begin without data.
const (
	Named  = "statefulset.kubernetes.io/pod-name"
	Role   = "reconcile.example/role"
	Server = "reconcile.example/server-id"
	Config = "reconcile.example/config-map"

	BeginEmpty = "begin-empty"
)

// Promoter looks after Services with the label Role: master.
type Promoter struct {
	Client   controlloop.Client
	Pods     *controlloop.Indexer
	Dial     Dial
	Recorder controlloop.Recorder
	Patience time.Duration // for a master that is not ready

	missing map[controlloop.Key]time.Time // since when, by Service
	told    map[types.UID]string          // the last that was said of an object
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
		Recorder: s.RecorderFor("promoter", ""), Patience: patience,
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

// ask asks the server of a Pod.
func (p *Promoter) ask(
	ctx context.Context, pod *corev1.Pod, statement string,
) (*sql.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := p.Dial(ctx, pod, 3306)
	if err != nil {
		return nil, err
	}
	password, err := p.password(ctx, pod)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	client, err := wire.Connect(ctx, conn, account, password, "")
	if err != nil {
		p.tellRefused(pod, "", err)
		return nil, err
	}
	defer client.Close()
	result, err := client.Query(statement)
	p.tellRefused(pod, statement, err)
	return result, err
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
