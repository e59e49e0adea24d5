// Package events writes down for people what controllers did and why, as Event
// objects in the store: the last part of kubectl describe shows them.
//
// Client-go's aggregator and filter decide which occurrences become one object,
// and which are too many to be written at all, as in Kubernetes: the same event
// again is counted; from the tenth on, events of one reason that differ in their
// words only are combined; a source that talks too much of one object is heard
// once in five minutes.
//
//	journal.go    the memory that the recorders of a control plane share; how events are written
//	event.go      one occurrence as an Event object
//	container.go  what an event of a container is about
//	similar.go    which events are combined
//	repeats.go    how often an event has occurred
//	clock.go      a time for each event that no other has
package events
