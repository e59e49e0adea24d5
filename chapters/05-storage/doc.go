// Package storage gives Pods what outlives them.
package storage
