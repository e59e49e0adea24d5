//go:build linux

package oci

import "time"

// Hurry makes a runtime wait hardly at all for what was killed.
func Hurry(r Runtime) { r.(*runtime).patience = time.Millisecond }

// Cgroups is with what the names of a runtime's control groups begin.
func Cgroups(r Runtime) string { return r.(*runtime).cgroups[1:] }

// SweepGroups has a runtime sweep the control groups of a folder.
func SweepGroups(r Runtime, root string) { r.(*runtime).sweepGroups(root) }
