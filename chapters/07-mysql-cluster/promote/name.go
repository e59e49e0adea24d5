package promote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/sql"
)

// name has a Service name a Pod, and that Pod's server, in one write, and reports
// whether that was needed.
func (p *Promoter) name(
	ctx context.Context, service *corev1.Service, pod *corev1.Pod,
) (wrote bool, err error) {
	answer, err := p.ask(ctx, pod, "SELECT @@server_id")
	if err != nil {
		return false, err
	}
	was, id := service.Spec.Selector[Named], sql.Text(answer.Rows[0][0])
	last := service.Annotations[Server]
	if was == pod.Name && last == id {
		return false, nil
	}
	if was == pod.Name && last != "" {
		if still := p.still(ctx, pod, last); still != nil {
			p.Recorder.Eventf(service, corev1.EventTypeWarning, "StillMaster",
				"%s is named, and %s is still the master", pod.Name, still.Name)
			pod, id = still, last
		}
	}
	if err := p.begun(ctx, service); err != nil {
		return false, err
	}
	next := controlloop.Copy(service)
	next.Spec.Selector[Named] = pod.Name
	metav1.SetMetaDataAnnotation(&next.ObjectMeta, Server, id)
	if _, err := p.Client.Update(ctx, next); err != nil {
		return false, err
	}
	delete(p.told, service.UID)
	if pod.Name != was && id != last {
		p.Recorder.Eventf(service, corev1.EventTypeNormal, "Promoted",
			"%s takes the place of %s", pod.Name, was)
	}
	return true, nil
}

// still returns the Pod beside another whose server has this id and follows nobody,
// nil if none is there. A manifest that is applied again names the first master.
func (p *Promoter) still(
	ctx context.Context, beside *corev1.Pod, id string,
) *corev1.Pod {
	for _, pod := range p.others(beside) {
		answer, err := p.ask(ctx, pod, "SELECT @@server_id")
		if err != nil || sql.Text(answer.Rows[0][0]) != id {
			continue
		}
		if follows, err := p.status(ctx, pod); err == nil && follows == nil {
			return pod
		}
	}
	return nil
}

// begun sees to it, before there is a first master, that no server begins without data
// any more: a disk that is lost later would look like one that never was.
func (p *Promoter) begun(ctx context.Context, service *corev1.Service) error {
	name := service.Annotations[Config]
	if name == "" {
		return nil
	}
	obj, err := p.Client.Get(ctx, corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		controlloop.Key{Namespace: service.Namespace, Name: name})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	next := controlloop.Copy(obj.(*corev1.ConfigMap))
	if _, there := next.Data[BeginEmpty]; !there {
		return nil
	}
	delete(next.Data, BeginEmpty)
	_, err = p.Client.Update(ctx, next)
	return err
}

// tellNobody says that nobody can take the master's place, and how a person names a
// Pod all the same.
func (p *Promoter) tellNobody(service *corev1.Service) {
	who := "the last master, whose server id is not known"
	if id := service.Annotations[Server]; id != "" {
		who = "server " + id
	}
	p.tellOnce(service, service.UID, "NoCandidate", fmt.Sprintf(
		"%s is gone, and no slave of %s answers; to name a Pod that lacks orders: "+
			`kubectl patch service %s -p '{"spec":{"selector":{"%s":"<pod>"}}}'`,
		service.Spec.Selector[Named], who, service.Name, Named))
}

// tellBehind says that a slave has not executed what it has read.
func (p *Promoter) tellBehind(pod *corev1.Pod, s *slave) {
	message := "has read more than it has executed, and executes that first"
	if s.failure != "" {
		message = "cannot execute what it has read: " + s.failure
	}
	p.tellOnce(pod, pod.UID, "NotYetPromoted", message)
}

// tellRefused says which statement a server refuses, or that it lets nobody in, if it
// does: then a promotion does not come to its end.
func (p *Promoter) tellRefused(pod *corev1.Pod, statement string, err error) {
	if refused := (*sql.Error)(nil); errors.As(err, &refused) {
		p.tellOnce(pod, pod.UID, "Refused", strings.TrimPrefix(
			fmt.Sprintf("%s: ERROR %d (%s): %s", statement,
				refused.Code, refused.State, refused.Message), ": "))
	}
}

// tellOnce says something of an object, unless that was said last.
func (p *Promoter) tellOnce(
	of controlloop.Object, uid types.UID, reason, message string,
) {
	if p.told[uid] == message {
		return
	}
	if p.told == nil {
		p.told = map[types.UID]string{}
	}
	p.told[uid] = message
	p.Recorder.Eventf(of, corev1.EventTypeWarning, reason, "%s", message)
}
