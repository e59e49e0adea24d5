// Package twice counts everything twice.
package twice

// Of is n, twice.
//
//book:exercise 1.6
func Of(n int) int { return 2 * n }
