// Package request adds up what a Pod takes of a node: request.go has what it
// requests, and amounts.go what that is counted in.
package request
