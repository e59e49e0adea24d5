// Package simulated runs containers without containers: their programs are
// goroutines, their network is in memory.
//
// In reading order: image.go and nginx.go (programs); process.go (a program
// that runs); runtime.go (a kubelet's runtime); network.go.
package simulated
