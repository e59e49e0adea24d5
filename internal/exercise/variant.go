package exercise

import "reconcile/internal/exercise/cut"

// A variant is a chapter with other declarations in some files: by absolute
// path. The empty one is the chapter itself.
type variant map[string]edit

// An edit is a file with other declarations of these names, or one that is added, of
// which there is nothing before.
type edit struct {
	before, after []byte
	declarations  []string
}

// texts returns the variant's files, for an overlay.
func (v variant) texts() map[string][]byte {
	texts := make(map[string][]byte)
	for path, edit := range v {
		texts[path] = edit.after
	}
	return texts
}

// joins reports whether the variant can stand beside others in one binary: it has
// other functions, of the same signatures, and files that are in no other's way.
func (v variant) joins() bool {
	for _, edit := range v {
		if edit.before != nil && !cut.Interchangeable(edit.before, edit.after, edit.declarations) {
			return false
		}
	}
	return true
}
