package promote

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// lead has the other slaves follow a slave that has stopped and will be the
// master, if it keeps a binlog. (MySQL's manual: Switching Masters During
// Failover.) A slave's binlog has nothing that came from its master. So its end
// is where those continue that have executed exactly as much. Any other stays
// behind, and so does one that does not answer: it needs a new copy.
func (p *Promoter) lead(ctx context.Context, next *corev1.Pod) {
	end, err := p.ask(ctx, next, "SHOW MASTER STATUS")
	if err != nil || len(end.Rows) == 0 {
		return
	}
	is, err := p.status(ctx, next)
	if err != nil || is == nil {
		return
	}
	password, err := p.password(ctx, next)
	if err != nil {
		return
	}
	follow := fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s.%s', "+
		"MASTER_USER='root', MASTER_PASSWORD=%s, MASTER_CONNECT_RETRY=10, "+
		"MASTER_LOG_FILE='%v', MASTER_LOG_POS=%v",
		next.Name, next.Spec.Subdomain, sql.Quote(password),
		end.Rows[0][0], end.Rows[0][1])
	for _, other := range p.others(next) {
		if _, err := p.ask(ctx, other, "STOP SLAVE"); err != nil {
			continue
		}
		at, err := p.status(ctx, other)
		if err == nil && at != nil && at.master == is.master &&
			at.executed == is.executed {
			_, _ = p.ask(ctx, other, follow)
		}
		_, _ = p.ask(ctx, other, "START SLAVE")
	}
}

// others returns the ready Pods beside one of the same app.
func (p *Promoter) others(of *corev1.Pod) (others []*corev1.Pod) {
	for _, obj := range p.Pods.List() {
		pod := obj.(*corev1.Pod)
		if pod.Namespace == of.Namespace && pod.Name != of.Name &&
			pod.Labels["app"] == of.Labels["app"] && isReady(pod) {
			others = append(others, pod)
		}
	}
	return others
}
