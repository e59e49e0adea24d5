// Package storage
package storage
