package book

import (
	"fmt"
	"regexp"
)

// whole matches an address that leads to the same place from any page.
var whole = regexp.MustCompile(`^(https?://[^/]|mailto:.)`)

// CheckAddress reports an address that isn't whole. An empty one is none, which is right.
func CheckAddress(key, address string) error {
	if address != "" && !whole.MatchString(address) {
		return fmt.Errorf("%s: %q is no whole address, such as https://book.example/", key, address)
	}
	return nil
}
