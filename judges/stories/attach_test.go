package stories

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"
	"k8s.io/kubernetes/pkg/volume/csi"

	storage "reconcile/chapters/05-storage"
)

// Kubernetes' controller that attaches volumes and detaches them does in each
// story the same as chapter 5's, but for what apart says.
func TestAttachingIsKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(attachStories)) {
		t.Run(name, func(t *testing.T) {
			kubernetes := playAttaching(t, name, ofAttachments)
			golden(t, filepath.Join("testdata", "attach", name+".txt"), kubernetes)
			compare(t, name, kubernetes, playAttaching(t, name, attacher))
		})
	}
}

// playAttaching plays a story over one side's controller. Of a volume that cannot
// be attached Kubernetes says so each time that it tries: once is enough.
func playAttaching(t *testing.T, name string, by controllers) string {
	t.Helper()
	s := &attachPlay{play: &play{pause: 5 * time.Second, rename: attachmentNames()}, by: by}
	return news(perform(t, s.start, s.play, func(*play) {
		defer s.end()
		attachStories[name](s)
	}))
}

// attacher starts the book's.
func attacher(ctx context.Context, c *cluster) { c.book(ctx, storage.NewAttacher) }

// ofAttachments starts Kubernetes', as its controller manager does: each minute it
// asks whether what is attached still is.
func ofAttachments(ctx context.Context, c *cluster) {
	factory, start := c.informed(ctx)
	core, storage := factory.Core().V1(), factory.Storage().V1()
	controller, err := attachdetach.NewAttachDetachController(ctx, c.client,
		core.Pods(), core.Nodes(), core.PersistentVolumeClaims(), core.PersistentVolumes(),
		storage.CSINodes(), storage.CSIDrivers(), storage.VolumeAttachments(),
		csi.ProbeVolumePlugins(), nil, false, time.Minute, false,
		attachdetach.DefaultTimerConfig)
	require.NoError(c.t, err)
	start()
	c.done.Go(func() { controller.Run(ctx) })
}
