package storage_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"reconcile/chapters/01-control-loop/kubelet"
	storage "reconcile/chapters/05-storage"
)

// A container has put a link into its volume. It leads nowhere.
func ExampleOpen() {
	volume, err := os.MkdirTemp("", "volume-")
	if err != nil {
		log.Print(err)
		return
	}
	defer os.RemoveAll(volume)
	os.Mkdir(filepath.Join(volume, "logs"), 0o755)
	os.WriteFile(filepath.Join(volume, "logs", "today"), []byte("all is well"), 0o644)
	os.Symlink("/etc", filepath.Join(volume, "etc"))

	for _, way := range []string{"logs", "etc"} {
		folder, _, err := storage.Open(kubelet.Mount{Source: volume, Within: []string{way}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		text, _ := folder.ReadFile("today")
		fmt.Printf("%s\n", text)
		folder.Close()
	}

	// Output:
	// all is well
	// statat etc: path escapes from parent
}
