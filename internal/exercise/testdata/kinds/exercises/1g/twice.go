// Package twice counts everything twice.
package twice

// Of is n, twice.
//
//book:exercise 1g
func Of(n int) int { return 2 * n }
