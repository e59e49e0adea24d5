package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	storage "reconcile/chapters/05-storage"
	wastebasket "reconcile/chapters/05-storage/exercises/5.9"
)

// DefaultDisks is the Backend that the book arrives at.
const DefaultDisks = "folders"

// backends are what --disks chooses from.
var backends = map[string]func(folder string) storage.Backend{
	DefaultDisks: func(folder string) storage.Backend { return storage.Folders(folder) },
	"wastebasket": func(folder string) storage.Backend { // exercise 5.9
		return wastebasket.Basket{Root: folder, Keep: 24 * time.Hour}
	},
}

// Disks returns the names of what can make disks and throw them away.
func Disks() []string { return slices.Sorted(maps.Keys(backends)) }

// KnowsDisks says what is wrong with the name of one, if something is. No name
// at all is that of the book's.
func KnowsDisks(name string) error {
	if name != "" && backends[name] == nil {
		return fmt.Errorf("there are no disks of %q; there are %s", name,
			strings.Join(Disks(), " and "))
	}
	return nil
}
