// Package kinds is the table of all kinds of objects that the API serves. To
// serve one more, add an entry to it.
//
// In reading order:
//
//	kind.go     what the API knows of a kind, beyond what the store knows
//	core.go     core/v1: Pods, Nodes, Services and what goes with them
//	apps.go     apps/v1: the workloads
//	storage.go  volumes, claims and their classes
//	others.go   leases, endpoint slices, budgets and priorities
//	inert.go    what is kept and shown, and nothing more
//	scale.go    kinds whose number of replicas can be set by itself
//	fields.go   what a field selector may ask for
//
// Package rules has the defaults and the refusals, package printers the tables
// that kubectl prints of a kind.
package kinds
