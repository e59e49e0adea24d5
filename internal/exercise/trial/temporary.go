package trial

import "path/filepath"

// Temporary returns the variables by which the temporary folder of a binary is the one
// that it was built in: what tests that are killed leave there goes with that.
func Temporary(binary string) []string {
	folder := filepath.Dir(binary)
	return []string{"TMPDIR=" + folder, "TMP=" + folder} // TMP is Windows'
}
