package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/judges/chaos"
)

// violated prints and keeps what must not be.
func (s *storm) violated(all ...chaos.Violation) {
	for _, v := range all {
		if s.report.Violated(v) {
			s.say("VIOLATED  %s", v)
		}
	}
}

// startJudging judges while it storms: what watches say, and what kube-apiserver notes of writes.
func (s *storm) startJudging(ctx context.Context, eyes *sync.WaitGroup, cancel context.CancelCauseFunc) {
	eyes.Go(func() { s.follow(ctx, s.watchPods) })
	eyes.Go(func() { s.follow(ctx, s.watchDeployments) })
	eyes.Go(func() { s.follow(ctx, s.watchSets) })
	eyes.Go(func() {
		for pause(ctx, 300*time.Millisecond) {
			if err := s.readAudit(); err != nil {
				cancel(err)
			}
			s.eyes.Lock()
			due := s.judge.Due(time.Now())
			s.eyes.Unlock()
			s.violated(due...)
		}
	})
}

// follow watches, and begins anew whenever a watch has ended.
func (s *storm) follow(ctx context.Context, watch func(context.Context) error) {
	for {
		_ = watch(ctx) // while the server is away it has an error each time
		if !pause(ctx, 100*time.Millisecond) {
			return
		}
	}
}

func (s *storm) watchPods(ctx context.Context) error {
	pods := s.client.CoreV1().Pods(shop)
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	s.eyes.Lock()
	seen := s.judge.Anew(time.Now(), list.Items)
	s.eyes.Unlock()
	s.violated(seen...)
	stream, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer stream.Stop()
	for event := range stream.ResultChan() {
		if p, ok := event.Object.(*corev1.Pod); ok {
			s.eyes.Lock()
			seen := s.judge.Pod(time.Now(), p, event.Type == watch.Deleted)
			s.eyes.Unlock()
			s.violated(seen...)
		}
	}
	s.eyes.Lock()
	s.judge.Blind()
	s.eyes.Unlock()
	return errors.New("the watch has ended")
}

func (s *storm) watchSets(ctx context.Context) error {
	stream, err := s.client.AppsV1().ReplicaSets(shop).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer stream.Stop()
	s.eyes.Lock()
	s.judge.Sets() // all come again
	s.eyes.Unlock()
	for event := range stream.ResultChan() {
		if set, ok := event.Object.(*appsv1.ReplicaSet); ok {
			s.eyes.Lock()
			s.judge.ReplicaSet(time.Now(), set, event.Type == watch.Deleted)
			s.eyes.Unlock()
		}
	}
	return errors.New("the watch has ended")
}

func (s *storm) watchDeployments(ctx context.Context) error {
	stream, err := s.client.AppsV1().Deployments(shop).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer stream.Stop()
	for event := range stream.ResultChan() {
		if d, ok := event.Object.(*appsv1.Deployment); ok {
			s.eyes.Lock()
			s.judge.Deployment(time.Now(), d)
			s.eyes.Unlock()
		}
	}
	return errors.New("the watch has ended")
}

// readAudit hands on what the copies have written since it was read last.
func (s *storm) readAudit() (err error) {
	lease := "lab-controllers"
	if s.theirs {
		lease = "kube-controller-manager"
	}
	var seen []chaos.Violation
	s.eyes.Lock()
	s.read, err = scan(s.cluster.AuditLog(), s.read, func(a audited) {
		if w, ok := a.write(lease); ok {
			for _, c := range s.copies {
				if c.from == w.From {
					seen = append(seen, s.holders.Note(w)...)
				}
			}
		}
	})
	s.eyes.Unlock()
	s.violated(seen...)
	return err
}

// write returns what the judge of a lease has to know, unless it is a question, of which
// nothing is stored. lab controllers asks also by objects of its own who is at work. It
// takes them away again in any case, also when the lease was lost meanwhile.
func (a audited) write(lease string) (chaos.Write, bool) {
	tidies := a.Verb == "delete" && strings.HasPrefix(a.ObjectRef.Name, "lab-asks-") // what it has asked by, itself
	if len(a.SourceIPs) == 0 || a.isQuestion() || tidies {
		return chaos.Write{}, false
	}
	return chaos.Write{
		From: a.SourceIPs[0], What: a.what(), Done: a.ResponseStatus.Code < 300,
		Lease:    a.ObjectRef.Resource == "leases" && a.ObjectRef.Namespace == home && a.ObjectRef.Name == lease,
		Received: a.Received, Answered: a.Answered,
	}, true
}

// end makes a last change of each object, and waits until all is as it has to be, or
// should be by now.
func (s *storm) end(ctx context.Context) error {
	s.healed(settling)
	s.last(ctx)
	s.say("all faults are over; all has to be right within %s", time.Until(s.settle).Round(time.Second))
	begun := time.Now()
	for {
		cluster, err := s.state(ctx)
		if err != nil && ctx.Err() == nil {
			s.say("cannot look: %v", err)
		}
		var wrong []chaos.Violation
		if err == nil {
			if wrong = cluster.Judge(s.ledger); len(wrong) == 0 {
				s.say("all is right")
				s.report.Note("all was right %.0f s after the end", time.Since(begun).Seconds())
				break
			}
		}
		if time.Now().After(s.settle) {
			s.violated(wrong...)
			s.report.Note("all was not right %.0f s after the end", time.Since(begun).Seconds())
			if err != nil {
				return err
			}
			break
		}
		if err := s.revive(ctx); err != nil {
			return err
		}
		if !pause(ctx, 2*time.Second) {
			return context.Cause(ctx)
		}
	}
	s.logs()
	return s.readAudit()
}

// state lists all that is judged.
func (s *storm) state(ctx context.Context) (c chaos.Cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	apps, core, all := s.client.AppsV1(), s.client.CoreV1(), metav1.ListOptions{}
	var errs []error
	failed := func(err error) { errs = append(errs, err) }
	deployments, err := apps.Deployments(shop).List(ctx, all)
	failed(err)
	sets, err := apps.ReplicaSets(shop).List(ctx, all)
	failed(err)
	stateful, err := apps.StatefulSets(shop).List(ctx, all)
	failed(err)
	daemons, err := apps.DaemonSets(shop).List(ctx, all)
	failed(err)
	revisions, err := apps.ControllerRevisions(shop).List(ctx, all)
	failed(err)
	pods, err := core.Pods(shop).List(ctx, all)
	failed(err)
	nodes, err := core.Nodes().List(ctx, all)
	failed(err)
	if err := errors.Join(errs...); err != nil {
		return c, fmt.Errorf("look at the end: %w", err)
	}
	c = chaos.Cluster{
		Deployments: deployments.Items, ReplicaSets: sets.Items, Stateful: stateful.Items,
		Daemons: daemons.Items, Revisions: revisions.Items, Pods: pods.Items,
	}
	for _, n := range nodes.Items {
		c.Nodes = append(c.Nodes, n.Name)
	}
	return c, nil
}
