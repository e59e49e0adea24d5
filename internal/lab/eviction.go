package lab

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/events"
)

// evictor stands before a kubelet and ends Pods that have had their time or fill
// their disk; of those the kubelet sees nothing until they have ended. All
// others it leaves to the kubelet.
type evictor struct {
	kubelet *kubelet.Kubelet
	folder  string // of the node's Pods

	mu      sync.Mutex
	verdict map[types.UID]eviction
	looked  map[types.UID]time.Time // at its disk
}

// eviction says why a Pod is to end, and how much time it has for that.
type eviction struct {
	eventtype, reason, message string
	grace                      int64
}

// diskAgain is how often the disks of Pods are looked at (Kubernetes:
// evictionMonitoringPeriod in pkg/kubelet/kubelet.go).
const diskAgain = 10 * time.Second

// kubelet returns the controller that runs the Pods of a machine.
func (l *Lab) kubelet(
	s *controlloop.System, m kubelet.Machine,
) *controlloop.Controller {
	c := kubelet.New(s, m)
	c.Reconciler = &evictor{
		kubelet: c.Reconciler.(*kubelet.Kubelet),
		folder:  filepath.Join(l.folder, "pods", m.Node),
		verdict: map[types.UID]eviction{}, looked: map[types.UID]time.Time{},
	}
	return c
}

// Reconcile implements controlloop.Reconciler.
func (e *evictor) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := e.kubelet.Pods.Get(key)
	if !ok {
		return e.kubelet.Reconcile(ctx, key)
	}
	pod := obj.(*corev1.Pod)
	if pod.DeletionTimestamp != nil || controlloop.HasEnded(pod) || pod.Status.StartTime == nil {
		e.forget(pod.UID)
		return e.kubelet.Reconcile(ctx, key)
	}
	why, again := e.judge(pod)
	if why == nil {
		result, err := e.kubelet.Reconcile(ctx, key)
		result.After = controlloop.Sooner(result.After, again)
		return result, err
	}
	return controlloop.Result{}, e.end(ctx, pod, why)
}

func (e *evictor) forget(pod types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.verdict, pod)
	delete(e.looked, pod)
}

// judge returns why a Pod is to end, or nil and when to look again. What was
// decided stays: a Pod does not escape by removing files.
func (e *evictor) judge(pod *corev1.Pod) (*eviction, time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if said, ok := e.verdict[pod.UID]; ok {
		return &said, 0
	}
	left, late := deadline(pod)
	why, again := late, left
	if why == nil {
		why, again = e.full(pod)
		again = controlloop.Sooner(again, left)
	}
	if why != nil {
		e.verdict[pod.UID] = *why
		e.recordEviction(pod, why)
	}
	return why, again
}

func (e *evictor) recordEviction(pod *corev1.Pod, why *eviction) {
	e.kubelet.Recorder.Eventf(pod, why.eventtype, why.reason, "%s", why.message)
	actual := e.kubelet.Runtime.Containers(pod.UID)
	for _, name := range slices.Sorted(maps.Keys(actual)) {
		if actual[name].State.Running != nil {
			e.kubelet.Recorder.Eventf(events.OfContainer(pod, name),
				corev1.EventTypeNormal, "Killing", "Stopping container %s", name)
		}
	}
}

// deadline returns how much time a Pod has left, or that it has had its time
// (Kubernetes: pkg/kubelet/active_deadline.go).
func deadline(pod *corev1.Pod) (left time.Duration, late *eviction) {
	if pod.Spec.ActiveDeadlineSeconds == nil {
		return 0, nil
	}
	end := pod.Status.StartTime.Add(
		time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second)
	if left := time.Until(end); left > 0 {
		return left, nil
	}
	return 0, &eviction{
		corev1.EventTypeNormal, "DeadlineExceeded",
		"Pod was active on the node longer than the specified deadline",
		*pod.Spec.TerminationGracePeriodSeconds,
	}
}

// systemCritical is the least priority of Pods that the cluster can't do without.
const systemCritical = 2_000_000_000

// full returns that an emptyDir holds more than its limit, or when to look again
// (Kubernetes: emptyDirLimitEviction in pkg/kubelet/eviction). In Kubernetes a
// volume in memory can't outgrow its size; here it is on disk like all others.
func (e *evictor) full(pod *corev1.Pod) (*eviction, time.Duration) {
	var again time.Duration
	if ptr.Deref(pod.Spec.Priority, 0) >= systemCritical {
		return nil, 0
	}
	due := time.Until(e.looked[pod.UID].Add(diskAgain))
	for _, v := range pod.Spec.Volumes {
		if v.EmptyDir == nil || v.EmptyDir.SizeLimit == nil || v.EmptyDir.SizeLimit.Sign() != 1 {
			continue
		}
		if again = diskAgain; due > 0 {
			return nil, due
		}
		used := resource.NewQuantity(
			sizeBelow(filepath.Join(e.folder, string(pod.UID), v.Name)), resource.BinarySI)
		if used.Cmp(*v.EmptyDir.SizeLimit) > 0 {
			return &eviction{
				corev1.EventTypeWarning, "Evicted",
				fmt.Sprintf("Usage of EmptyDir volume %q exceeds the limit %q. ",
					v.Name, v.EmptyDir.SizeLimit.String()),
				1,
			}, 0
		}
	}
	if again > 0 {
		e.looked[pod.UID] = time.Now()
	}
	return nil, again
}

// sizeBelow returns how many bytes the files below a folder have. What cannot be
// read has none.
func sizeBelow(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, file fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// end stops what runs of a Pod and, when all of it has ended, says that the Pod
// has failed.
func (e *evictor) end(ctx context.Context, pod *corev1.Pod, why *eviction) error {
	runtime, running := e.kubelet.Runtime, false
	for name, status := range runtime.Containers(pod.UID) {
		if status.State.Running == nil {
			continue
		}
		running = true
		if err := runtime.Stop(pod.UID, name, why.grace); err != nil {
			return fmt.Errorf("stop %s of %s: %w", name, controlloop.KeyOf(pod), err)
		}
	}
	if running {
		return nil // the last to end brings us back
	}
	next := controlloop.Copy(pod)
	next.Status.Phase, next.Status.Reason, next.Status.Message = corev1.PodFailed, why.reason, why.message
	actual := runtime.Containers(pod.UID)
	for _, all := range [][]corev1.ContainerStatus{
		next.Status.InitContainerStatuses, next.Status.ContainerStatuses,
		next.Status.EphemeralContainerStatuses,
	} {
		for i := range all {
			if now, ok := actual[all[i].Name]; ok {
				all[i] = now
			}
			all[i].Ready, all[i].Started = false, new(false)
		}
	}
	for i := range next.Status.Conditions {
		c := &next.Status.Conditions[i]
		if c.Type != corev1.PodReady && c.Type != corev1.ContainersReady {
			continue
		}
		if c.Status == corev1.ConditionTrue {
			c.Status, c.LastTransitionTime = corev1.ConditionFalse, controlloop.Now()
		}
		c.Reason, c.Message = "PodFailed", ""
	}
	_, err := e.kubelet.Client.UpdateStatus(ctx, next)
	return err
}
