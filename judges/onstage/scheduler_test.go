package onstage_test

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
)

// schedule starts kube-scheduler. (Setup and Run in its app.)
func (p *program) schedule() error {
	client, err := p.clients.Client("scheduler")
	if err != nil {
		return err
	}
	profiles, err := firstOfEquals()
	if err != nil {
		return err
	}
	factory := scheduler.NewInformerFactory(client, 0, nil)
	broadcaster := events.NewEventBroadcasterAdapterWithContext(p.ctx, client)
	s, err := scheduler.New(p.ctx, client, factory, nil, broadcaster.NewRecorder,
		scheduler.WithProfiles(profiles...), scheduler.WithFrameworkOutOfTreeRegistry(map[string]func(
			context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error){
			byName: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return first{}, nil },
		}))
	if err != nil {
		return err
	}
	broadcaster.StartRecordingToSink(p.ctx.Done())
	factory.Start(p.ctx.Done())
	p.loops = append(p.loops, func(ctx context.Context) {
		defer broadcaster.Shutdown()
		defer factory.Shutdown()
		s.Run(ctx)
	})
	return nil
}

// byName is the name of the plugin first.
const byName = "ByName"

// first prefers the first by name of nodes that are equal in all else. Kubernetes
// draws one of them; the book takes the first.
type first struct{}

// Name implements fwk.Plugin.
func (first) Name() string { return byName }

// Score implements fwk.ScorePlugin.
func (first) Score(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, nil
}

// ScoreExtensions implements fwk.ScorePlugin.
func (first) ScoreExtensions() fwk.ScoreExtensions { return first{} }

// NormalizeScore implements fwk.ScoreExtensions.
func (first) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	ranked := make([]*fwk.NodeScore, len(scores))
	for i := range scores {
		ranked[i] = &scores[i]
	}
	slices.SortFunc(ranked, func(a, b *fwk.NodeScore) int { return cmp.Compare(b.Name, a.Name) })
	for rank, score := range ranked {
		score.Score = int64(rank)
	}
	return nil
}

// firstOfEquals returns the profiles that kube-scheduler has without any
// configuration, with the plugin first: all other weights are so much larger that
// it decides only among equals.
func firstOfEquals() ([]config.KubeSchedulerProfile, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	for i := range defaults.Profiles {
		enabled := &defaults.Profiles[i].Plugins.MultiPoint.Enabled
		for j := range *enabled {
			(*enabled)[j].Weight = max((*enabled)[j].Weight, 1) * 1000
		}
		*enabled = append(*enabled, config.Plugin{Name: byName, Weight: 1})
	}
	return defaults.Profiles, nil
}
