package apiserver

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	storageapi "k8s.io/apiserver/pkg/storage"

	controlloop "reconcile/chapters/01-control-loop"
)

// A list that is fetched in pages shows one moment: it is kept, and with it all
// objects as they were then, for so long and for so many lists.
const (
	pagesKept = 1024
	pageLife  = 5 * time.Minute
)

// anyVersion in a token continues a list with the objects of now.
const anyVersion = -1

// pages are the lists that clients have begun to fetch.
type pages struct {
	mu    sync.Mutex
	lists []snapshot // oldest first
}

type snapshot struct {
	name moment
	list controlloop.List
	at   time.Time
}

// moment names a list by its selection, and its time.
type moment struct {
	kind     schema.GroupVersionKind
	selected controlloop.Selection
	version  int64
}

func newPages() *pages { return &pages{} }

func (s *storage) moment(opts controlloop.ListOptions, version int64) moment {
	return moment{s.GroupVersionKind, opts.Selection(), version}
}

func (p *pages) put(name moment, list controlloop.List) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	if p.find(name) < 0 {
		p.lists = append(p.lists, snapshot{name, list, time.Now()})
	}
}

func (p *pages) get(name moment) (controlloop.List, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	at := p.find(name)
	if at < 0 {
		return controlloop.List{}, false
	}
	return p.lists[at].list, true
}

func (p *pages) find(name moment) int {
	return slices.IndexFunc(p.lists, func(s snapshot) bool { return s.name == name })
}

// forget drops lists that are too old, or too many. p.mu is held.
func (p *pages) forget() {
	oldest := time.Now().Add(-pageLife)
	keep := slices.IndexFunc(p.lists, func(s snapshot) bool {
		return s.at.After(oldest)
	})
	if keep < 0 {
		keep = len(p.lists)
	}
	keep = max(keep, len(p.lists)-pagesKept)
	p.lists = slices.Delete(p.lists, 0, keep)
}

// token says where a list goes on: at which version, and after which object.
type token struct {
	version         int64
	namespace, name string
}

// String returns the token as clients get it, who are not meant to read it. As in
// etcd it continues at the smallest key after the object's.
func (t token) String() string {
	text, err := storageapi.EncodeContinue("/"+t.namespace+"/"+t.name+"\x00", "/", t.version)
	if err != nil {
		panic(err) // the prefix is the key's
	}
	return text
}

func parseToken(text string) (token, error) {
	key, version, err := storageapi.DecodeContinue(text, "/")
	namespace, name, _ := strings.Cut(strings.Trim(key, "/\x00"), "/")
	if name == "" {
		namespace, name = "", namespace
	}
	return token{version, namespace, name}, err
}

// after returns the objects that come after the one that the token names.
func after(items []controlloop.Object, t token) []controlloop.Object {
	at, found := slices.BinarySearchFunc(items, t,
		func(obj controlloop.Object, t token) int {
			return cmp.Or(cmp.Compare(obj.GetNamespace(), t.namespace),
				cmp.Compare(obj.GetName(), t.name))
		})
	if found {
		at++
	}
	return items[at:]
}

const tooOldToContinue = "The provided continue parameter is too old to display a " +
	"consistent list result. You can start a new list without the continue " +
	"parameter, or use the continue token in this response to retrieve the " +
	"remainder of the results. Continuing with the provided token results in an " +
	"inconsistent list - objects that were created, modified, or deleted between " +
	"the time the first chunk was returned and now may show up in the list."

// expired tells a client that the rest of its list is gone, and gives it a
// token with which to go on all the same.
func expired(t token) error {
	err := apierrors.NewResourceExpired(tooOldToContinue)
	t.version = anyVersion
	err.ErrStatus.ListMeta.Continue = t.String()
	return err
}
