package onstage_test

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"
	"k8s.io/kubernetes/pkg/volume/csi"

	"reconcile/internal/lab"
)

// program is one of Kubernetes' while a scene is played.
type program struct {
	ctx        context.Context
	clients    clientbuilder.SimpleControllerClientBuilder
	neverForce bool // takes no disk from a silent node
	loops      []func(context.Context)
	running    sync.WaitGroup
}

// fill fills the caches of kube-controller-manager's controllers of these names, and
// of kube-scheduler if it is among them. NeverForce is a flag of theirs.
func fill(chosen []string, api http.RoundTripper, neverForce bool) (run, end func(), err error) {
	// The other handlers make a caller that reports one error soon after another
	// wait, by a clock that does not start anew with every bubble.
	utilruntime.ErrorHandlers = nil
	ctx, cancel := context.WithCancel(logr.NewContext(context.Background(), logr.Discard()))
	p := &program{ctx: ctx, neverForce: neverForce}
	p.clients.ClientConfig = &rest.Config{
		Host: "http://lab", Transport: api, QPS: -1, WarningHandler: rest.NoWarnings{},
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
	}
	run = func() {
		for _, loop := range p.loops {
			p.running.Go(func() { loop(ctx) })
		}
	}
	end = func() {
		cancel()
		p.running.Wait()
		time.Sleep(5 * time.Minute) // until every waiter has looked once more
	}
	if i := slices.Index(chosen, lab.SchedulerName); i >= 0 {
		chosen = slices.Delete(slices.Clone(chosen), i, i+1)
		err = p.schedule()
	}
	return run, end, cmp.Or(err, p.manage(chosen))
}

// manage builds controllers as kube-controller-manager does when it has no flags
// but --controllers. (CreateControllerContext and Run in its app.)
func (p *program) manage(chosen []string) error {
	shared, err := p.context(slices.Contains(chosen, names.GarbageCollectorController))
	if err != nil {
		return err
	}
	for _, name := range chosen {
		build := app.NewControllerDescriptors()[name].BuildController
		if name == lab.AttacherName {
			build = attacher
		}
		controller, err := build(p.ctx, shared)
		if err != nil {
			return err
		}
		p.loops = append(p.loops, controller.Run)
	}
	shared.InformerFactory.Start(p.ctx.Done())
	shared.ObjectOrMetadataInformerFactory.Start(p.ctx.Done())
	close(shared.InformersStarted)
	return nil
}

// attacher builds the controller that attaches volumes, with the drivers that
// the lab has: kube-controller-manager's looks for others in a folder, and is told
// of its changes from outside of the bubble.
func attacher(ctx context.Context, shared app.ControllerContext) (app.Controller, error) {
	client, err := shared.NewClient("attachdetach-controller")
	if err != nil {
		return nil, err
	}
	core, storage := shared.InformerFactory.Core().V1(), shared.InformerFactory.Storage().V1()
	config := shared.ComponentConfig.AttachDetachController
	controller, err := attachdetach.NewAttachDetachController(ctx, client,
		core.Pods(), core.Nodes(), core.PersistentVolumeClaims(), core.PersistentVolumes(),
		storage.CSINodes(), storage.CSIDrivers(), storage.VolumeAttachments(),
		csi.ProbeVolumePlugins(), nil,
		config.DisableAttachDetachReconcilerSync, config.ReconcilerSyncLoopPeriod.Duration,
		config.DisableForceDetachOnTimeout, attachdetach.DefaultTimerConfig)
	return attaches{controller}, err
}

// attaches is an app.Controller.
type attaches struct {
	attachdetach.AttachDetachController
}

// Name implements app.Controller.
func (attaches) Name() string { return lab.AttacherName }

// context returns what the controllers share, of which the collector has a part.
func (p *program) context(collects bool) (shared app.ControllerContext, err error) {
	shared.ClientBuilder = p.clients
	if shared.ComponentConfig, err = options.NewDefaultComponentConfig(); err != nil {
		return shared, err
	}
	// A millisecond more than five seconds: it looks at nodes while nothing else happens.
	// Where it looked as it taints one, it would wait for a lock, and time in a bubble
	// for that.
	shared.ComponentConfig.NodeLifecycleController.NodeMonitorPeriod.Duration += time.Millisecond
	shared.ComponentConfig.AttachDetachController.DisableForceDetachOnTimeout = p.neverForce
	client, err := p.clients.Client("shared-informers")
	if err != nil {
		return shared, err
	}
	config, err := p.clients.Config("metadata-informers")
	if err != nil {
		return shared, err
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		return shared, err
	}
	period := shared.ComponentConfig.Generic.MinResyncPeriod.Duration
	shared.ResyncPeriod = func() time.Duration { return period }
	shared.InformerFactory = informers.NewSharedInformerFactory(client, period)
	whole := metadatainformer.NewSharedInformerFactory(partial, period)
	p.running.Go(func() { <-p.ctx.Done(); shared.InformerFactory.Shutdown(); whole.Shutdown() })
	shared.ObjectOrMetadataInformerFactory = informerfactory.NewInformerFactory(shared.InformerFactory, whole)
	shared.InformersStarted = make(chan struct{})
	shared.RESTMapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	if !collects {
		return shared, nil
	}
	shared.GraphBuilder = garbagecollector.NewDependencyGraphBuilder(p.ctx, partial, shared.RESTMapper,
		garbagecollector.DefaultIgnoredResources(), shared.ObjectOrMetadataInformerFactory, shared.InformersStarted)
	return shared, nil
}

// played lists whose place Kubernetes' own take: all that a scene's lab has.
func played() []string {
	return []string{
		lab.SchedulerName, lab.AttacherName,
		names.NamespaceController, names.ServiceAccountController,
		names.RootCACertificatePublisherController, names.DeploymentController,
		names.ReplicaSetController, names.ReplicationControllerController,
		names.StatefulSetController, names.DaemonSetController,
		names.PersistentVolumeBinderController, names.PersistentVolumeClaimProtectionController,
		names.PersistentVolumeProtectionController, names.EndpointSliceController,
		names.ResourceQuotaController, names.NodeLifecycleController,
		names.TaintEvictionController, names.DisruptionController,
		names.GarbageCollectorController, names.PodGarbageCollectorController,
	}
}
