package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/takeover/proof/servers"
)

// taken are the controllers that change hands.
var taken = []string{
	"deployment-controller", "replicaset-controller", "replicationcontroller-controller",
	"statefulset-controller", "daemonset-controller", "endpointslice-controller",
	"persistentvolume-binder-controller", "persistentvolumeclaim-protection-controller",
	"persistentvolume-protection-controller", "disruption-controller",
}

// typed is how a reader starts the controllers that are taken.
var typed = []string{
	"controllers", "--yes", "--switched-off",
	"--controllers", "deployment,replicaset,replicationcontroller,statefulset,daemonset",
	"--controllers", "endpointslice,disruption,persistentvolume-binder,pv-protection,pvc-protection",
}

// take starts ours, by the name of a user, and with the rates of the command.
func (p *proof) take(ctx context.Context, user string) (*servers.Process, error) {
	return p.takeWith(ctx, user, "--qps", fmt.Sprint(p.qps), "--burst", fmt.Sprint(p.qps))
}

func (p *proof) takeWith(ctx context.Context, user string, more ...string) (*servers.Process, error) {
	p.copies++
	log := fmt.Sprintf("%s-%d.log", user, p.copies)
	return p.place.start(ctx, filepath.Dir(p.cluster.AuditLog()), log, slices.Concat(typed,
		[]string{"--kubeconfig", p.cluster.Kubeconfig(user), "--listen="}, more)...)
}

// started keeps how ours was started, and what it said until it worked. The times are
// left out.
func (p *proof) started() {
	var told strings.Builder
	fmt.Fprintf(&told, "$ go run ./cmd/lab %s\n", strings.ReplaceAll(strings.Join(typed, " "), " --controllers ", " \\\n    --controllers "))
	for line := range strings.SplitSeq(p.ours.Words(100), "\n") {
		if head.MatchString(line) {
			told.WriteString(head.ReplaceAllString(line, "") + "\n")
		}
		if strings.Contains(line, "msg=working") {
			break
		}
	}
	p.result.Walk = append(p.result.Walk, Part{"start", told.String()})
}
