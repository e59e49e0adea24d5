// Package host knows what a runtime has to about the machine: what is mounted
// below a folder, whose data must not be removed with it, and whether our root
// is the machine's. It holds on to what a Pod mounts, so that no container can
// put a link in its place.
package host
