// Package drain has a test that asks kubectl itself what a drain does. What links so
// much of Kubernetes is apart from the tests that judge exercises.
package drain
