//go:build !linux

package build

// exchange puts fresh in the place of dir.
func exchange(fresh, dir string) error { return swapByRenames(fresh, dir) }
