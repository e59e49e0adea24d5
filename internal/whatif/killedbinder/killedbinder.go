// Package killedbinder kills chapter 5's binder after one of the writes of a
// binding, has something else happen, and starts the next binder.
package killedbinder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// Writes is how many a binding has.
const Writes = 4

// Asked is what a run hangs on.
type Asked struct {
	After     int    // which write the binder is killed; 0: before the first
	Meanwhile string // one of Meanwhiles
}

// What may happen while no binder runs.
const (
	Nothing = "nothing"
	Deleted = "Ada deletes her claim"
	Renewed = "Ada deletes her claim and makes it again"
	Taken   = "Barend deletes the volume"
	Rival   = "somebody else makes a claim"
)

// Meanwhiles are all that may happen.
var Meanwhiles = []string{Nothing, Deleted, Renewed, Taken, Rival}

// Recorded is what is asked in the run that the chapter's page shows.
var Recorded = Asked{After: 2, Meanwhile: Rival}

// Run is what stands in the store, from the kill on.
type Run struct {
	Moments []Moment `json:"moments"`
}

// Moment is what stands there when something has happened.
type Moment struct {
	When   string  `json:"when"`
	Volume Thing   `json:"volume"`
	Claims []Thing `json:"claims"` // in the order in which they were made
}

// Thing is a volume or a claim, and which one of the others it names: a claim
// that was made again has another name than the first.
type Thing struct {
	Name  string `json:"name"`
	Phase string `json:"phase"` // or gone
	To    string `json:"to"`
}

// Kill has a binder bind a claim to a volume, and kills it.
func Kill(a Asked) (*Run, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	c := &cluster{ctx: context.Background()}
	c.store = controlloop.NewStore(kinds, controlloop.OnWrite(c.wrote))
	err := errors.Join(c.create(volume()), c.bind(c.store))
	if err != nil {
		return nil, err
	}
	if err := c.claim("data", "data"); err != nil {
		return nil, err
	}
	if err := c.bind(&mortal{Client: c.store, left: a.After}); err != nil {
		return nil, err
	}
	when := fmt.Sprintf("killed after write %d", a.After)
	if a.After == 0 {
		when = "killed before write 1"
	}
	if err := c.look(when); err != nil {
		return nil, err
	}
	if a.Meanwhile != Nothing {
		if err := errors.Join(c.meanwhile(a.Meanwhile), c.look(a.Meanwhile)); err != nil {
			return nil, err
		}
	}
	before := c.writes
	if err := c.bind(c.store); err != nil {
		return nil, err
	}
	return &c.run, c.look("the next binder: " + counted(c.writes-before))
}

func (a Asked) check() error {
	if a.After < 0 || a.After > Writes {
		return fmt.Errorf("a binding has %d writes, and none with the number %d", Writes, a.After)
	}
	if !slices.Contains(Meanwhiles, a.Meanwhile) {
		return fmt.Errorf("there is no %q: there are %s", a.Meanwhile, strings.Join(Meanwhiles, ", "))
	}
	return nil
}

// counted says how many writes there were.
func counted(writes int) string {
	if writes == 1 {
		return "1 write"
	}
	return fmt.Sprintf("%d writes", writes)
}

// kinds are those of which a binder hears.
var kinds = controlloop.CoreKinds().With(storage.Kinds()...)

// cluster is a store, and what was seen there.
type cluster struct {
	ctx    context.Context
	store  *controlloop.Store
	claims []known
	writes int // to volumes and claims
	run    Run
}

// known is a claim that there is or was.
type known struct {
	*corev1.PersistentVolumeClaim
	called string
}

// wrote counts the writes to volumes and claims; others are Events.
func (c *cluster) wrote(w controlloop.Write) {
	switch w.Object.(type) {
	case *corev1.PersistentVolume, *corev1.PersistentVolumeClaim:
		c.writes++
	}
}

// bind has a new binder work until it has no work, or is killed.
func (c *cluster) bind(client controlloop.Client) error {
	system := &controlloop.System{Client: client}
	var failed error
	storage.NewBinder(system).OnError = func(_ controlloop.Key, err error) {
		failed = errors.Join(failed, err)
	}
	for {
		if m, ok := client.(*mortal); ok && m.left == 0 {
			return nil
		}
		if more, err := system.Step(c.ctx, controlloop.InOrder); !more || err != nil {
			return errors.Join(failed, err)
		}
	}
}

// mortal is the client of a process that is killed after so many writes.
type mortal struct {
	controlloop.Client
	left int
}

var errKilled = errors.New("the process was killed")

// Update implements controlloop.Client.
func (m *mortal) Update(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	if m.left == 0 {
		return nil, errKilled
	}
	m.left--
	return m.Client.Update(ctx, obj)
}

// UpdateStatus implements controlloop.Client.
func (m *mortal) UpdateStatus(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	if m.left == 0 {
		return nil, errKilled
	}
	m.left--
	return m.Client.UpdateStatus(ctx, obj)
}

// meanwhile has something happen.
func (c *cluster) meanwhile(what string) error {
	data := controlloop.Key{Namespace: metav1.NamespaceDefault, Name: "data"}
	switch what {
	case Deleted:
		return c.store.Delete(c.ctx, claimKind, data, metav1.DeleteOptions{})
	case Renewed:
		return errors.Join(
			c.store.Delete(c.ctx, claimKind, data, metav1.DeleteOptions{}), c.claim("data", "new data"))
	case Taken:
		return c.store.Delete(c.ctx, volumeKind, controlloop.Key{Name: "nfs"}, metav1.DeleteOptions{})
	}
	return c.claim("logs", "logs")
}

var (
	claimKind  = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	volumeKind = corev1.SchemeGroupVersion.WithKind("PersistentVolume")
)

// look notes what stands in the store.
func (c *cluster) look(when string) error {
	m := Moment{When: when, Volume: Thing{Name: "nfs", Phase: "gone"}}
	obj, err := c.store.Get(c.ctx, volumeKind, controlloop.Key{Name: "nfs"})
	if err == nil {
		v := obj.(*corev1.PersistentVolume)
		m.Volume.Phase = string(v.Status.Phase)
		for _, one := range c.claims {
			if v.Spec.ClaimRef != nil && v.Spec.ClaimRef.UID == one.UID {
				m.Volume.To = one.called
			}
		}
	} else if !apierrors.IsNotFound(err) {
		return err
	}
	for _, one := range c.claims {
		is := Thing{Name: one.called, Phase: "gone"}
		obj, err := c.store.Get(c.ctx, claimKind, controlloop.KeyOf(one))
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		if err == nil && obj.GetUID() == one.UID {
			mine := obj.(*corev1.PersistentVolumeClaim)
			is.Phase, is.To = string(mine.Status.Phase), mine.Spec.VolumeName
		}
		m.Claims = append(m.Claims, is)
	}
	c.run.Moments = append(c.run.Moments, m)
	return nil
}

func (c *cluster) create(obj controlloop.Object) error {
	_, err := c.store.Create(c.ctx, obj)
	return err
}

// claim makes a claim, which is called something else if it is the second of
// its name.
func (c *cluster) claim(name, called string) error {
	stored, err := c.store.Create(c.ctx, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(string),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: oneGigabyte},
		},
	})
	if err != nil {
		return err
	}
	c.claims = append(c.claims, known{stored.(*corev1.PersistentVolumeClaim), called})
	return nil
}

var oneGigabyte = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}

func volume() *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "nfs"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    oneGigabyte,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: "10.0.0.1", Path: "/nfs"},
			},
		},
	}
}
