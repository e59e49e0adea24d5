package lab

import (
	"time"

	storage "reconcile/chapters/05-storage"
	wastebasket "reconcile/chapters/05-storage/exercises/5.7"
)

var backends = choice[func(folder string) storage.Backend]{
	common: "folders",
	of: map[string]func(folder string) storage.Backend{
		"folders": func(folder string) storage.Backend { return storage.Folders(folder) },
		"wastebasket": func(folder string) storage.Backend { // exercise 5.7
			return wastebasket.Basket{Root: folder, Keep: 24 * time.Hour}
		},
	},
	refusal: "there are no disks of %q; there are %s", between: " and ",
}
