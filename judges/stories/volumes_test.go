package stories

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/nfs"

	storage "reconcile/chapters/05-storage"
)

// looksAgain is the interval at which Kubernetes' controller of volumes looks
// at all of them: only then does a claim find a volume that is younger than
// itself.
const looksAgain = 15 * time.Second

// Kubernetes' controllers and chapter 5's do the same in each story, but for
// what apart says.
func TestVolumesAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(volumeStories)) {
		t.Run(name, func(t *testing.T) {
			kubernetes := playVolumes(t, name, ofVolumes)
			golden(t, filepath.Join("testdata", "volumes", name+".txt"), kubernetes)
			compare(t, name, withoutUse(kubernetes), playVolumes(t, name, chapter5))
		})
	}
}

// playVolumes plays a story over some controllers.
func playVolumes(t *testing.T, name string, by controllers) string {
	t.Helper()
	p := &play{pause: looksAgain + time.Second}
	return news(perform(t, by, p, func(p *play) { volumeStories[name](p) }))
}

// news leaves out events that the same step has already, or that were
// the last about an object: of a claim that waits, Kubernetes says so
// every time that it looks.
func news(text string) string {
	last, step := map[string]string{}, map[string]bool{}
	var lines []string
	for line := range strings.Lines(text) {
		switch about, said, _ := strings.Cut(line, ": "); {
		case strings.HasPrefix(line, "> "):
			clear(step)
		case strings.HasPrefix(line, "  "):
			if step[line] || last[about] == said {
				continue
			}
			last[about], step[line] = said, true
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

var unused = regexp.MustCompile(`(?m)^status PersistentVolumeClaim \S+: status\.conditions.* type=Unused\}\n`)

// withoutUse leaves out that Kubernetes notes on each claim since when no Pod
// uses it, from 1.37 on: the book does not.
func withoutUse(text string) string { return unused.ReplaceAllString(text, "") }

// chapter5 starts the book's: no other controller provisions or deletes
// anything.
func chapter5(ctx context.Context, c *cluster) {
	c.book(ctx, storage.NewBinder, storage.NewClaimProtection, storage.NewVolumeProtection)
}

// ofVolumes starts Kubernetes' controllers of volumes and claims, and those
// that protect the ones in use.
func ofVolumes(ctx context.Context, c *cluster) {
	factory, start := c.informed(ctx)
	core := factory.Core().V1()
	var plugins []volume.VolumePlugin
	plugins = append(plugins, hostpath.ProbeVolumePlugins(volume.VolumeConfig{})...)
	plugins = append(plugins, nfs.ProbeVolumePlugins(volume.VolumeConfig{})...)
	binder, err := persistentvolume.NewController(ctx, persistentvolume.ControllerParameters{
		KubeClient: c.client, SyncPeriod: looksAgain, VolumePlugins: plugins,
		VolumeInformer: core.PersistentVolumes(), ClaimInformer: core.PersistentVolumeClaims(),
		ClassInformer: factory.Storage().V1().StorageClasses(),
		PodInformer:   core.Pods(), NodeInformer: core.Nodes(),
		EnableDynamicProvisioning: true,
	})
	require.NoError(c.t, err)
	claims, err := pvcprotection.NewPVCProtectionController(klog.FromContext(ctx),
		core.PersistentVolumeClaims(), core.Pods(), c.client)
	require.NoError(c.t, err)
	volumes, err := pvprotection.NewPVProtectionController(klog.FromContext(ctx),
		core.PersistentVolumes(), c.client)
	require.NoError(c.t, err)
	start()
	c.done.Go(func() { binder.Run(ctx) })
	c.done.Go(func() { claims.Run(ctx, 1) })
	c.done.Go(func() { volumes.Run(ctx, 1) })
}
