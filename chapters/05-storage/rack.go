package storage

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"k8s.io/utils/third_party/forked/golang/btree"

	controlloop "reconcile/chapters/01-control-loop"
)

// rack keeps free volumes, or claims that wait for one, in order, so that a
// look passes few of the others: a claim to five gigabytes of a class passes
// neither smaller volumes nor those of another class.
type rack struct {
	mu   sync.Mutex
	rows map[shape]map[string]*btree.BTree[place] // by access modes
	at   map[controlloop.Key]slot
}

// shape holds the properties that a claim and a volume must have in common.
type shape struct {
	class, attributes string
	mode              corev1.PersistentVolumeMode
}

// slot says where on the rack a thing is.
type slot struct {
	shape
	modes string
	place
}

// place says where it is in its row: the smallest are first.
type place struct {
	size int64
	key  controlloop.Key
}

func before(a, b place) bool {
	return cmp.Or(cmp.Compare(a.size, b.size),
		cmp.Compare(a.key.Namespace, b.key.Namespace),
		cmp.Compare(a.key.Name, b.key.Name)) < 0
}

func newRack() *rack {
	return &rack{
		rows: map[shape]map[string]*btree.BTree[place]{},
		at:   map[controlloop.Key]slot{},
	}
}

// put gives a thing its place, and takes it from its old one.
func (r *rack) put(s slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at[s.key] == s {
		return
	}
	r.remove(s.key)
	rows := r.rows[s.shape]
	if rows == nil {
		rows = map[string]*btree.BTree[place]{}
		r.rows[s.shape] = rows
	}
	if rows[s.modes] == nil {
		rows[s.modes] = btree.New(32, before)
	}
	rows[s.modes].ReplaceOrInsert(s.place)
	r.at[s.key] = s
}

// drop takes a thing away, if it is on the rack.
func (r *rack) drop(key controlloop.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(key)
}

func (r *rack) remove(key controlloop.Key) {
	if s, ok := r.at[key]; ok {
		r.rows[s.shape][s.modes].Delete(s.place)
		delete(r.at, key)
	}
}

// has reports whether a thing is on the rack.
func (r *rack) has(key controlloop.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.at[key]
	return ok
}

// modes returns the rows of a shape, those of the fewest access modes
// first.
func (r *rack) modes(s shape) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Keys(r.rows[s]), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, ","), strings.Count(b, ",")),
			cmp.Compare(a, b))
	})
}

// from yields the places in a row from a size on, the smallest first. Places
// that are added or dropped meanwhile are seen, or not.
func (r *rack) from(s shape, modes string, size int64) iter.Seq[place] {
	return func(yield func(place) bool) {
		p, ok := r.after(s, modes, place{size: size})
		for ok && yield(p) {
			p, ok = r.after(s, modes, p)
		}
	}
}

// after returns the place that comes next in a row.
func (r *rack) after(s shape, modes string, last place) (next place, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.rows[s][modes]
	if row == nil {
		return next, false
	}
	row.AscendGreaterOrEqual(last, func(p place) bool {
		next, ok = p, p != last
		return !ok
	})
	return next, ok
}

// slotOfVolume returns the slot of a free volume.
func slotOfVolume(volume *corev1.PersistentVolume) slot {
	return slot{
		shape{classOfVolume(volume),
			ptr.Deref(volume.Spec.VolumeAttributesClassName, ""),
			*volume.Spec.VolumeMode},
		join(volume.Spec.AccessModes),
		place{capacityOf(volume), controlloop.KeyOf(volume)},
	}
}

// slotOfClaim returns the slot of a claim that waits.
func slotOfClaim(claim *corev1.PersistentVolumeClaim) slot {
	return slot{
		shape{classOf(claim),
			ptr.Deref(claim.Spec.VolumeAttributesClassName, ""),
			*claim.Spec.VolumeMode},
		join(claim.Spec.AccessModes),
		place{sizeOf(claim), controlloop.KeyOf(claim)},
	}
}

// join writes access modes as the name of a row: each once, in order.
func join(modes []corev1.PersistentVolumeAccessMode) string {
	var words []string
	for _, mode := range modes {
		words = append(words, string(mode))
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ",")
}

func split(modes string) (all []corev1.PersistentVolumeAccessMode) {
	for word := range strings.SplitSeq(modes, ",") {
		all = append(all, corev1.PersistentVolumeAccessMode(word))
	}
	return all
}
