// Package admission decides whether something may be stored, and fills in what
// a Pod or a claim cannot know of itself. Clients of the HTTP API and the lab's
// own controllers ask here alike. Words and order are those of Kubernetes'
// admission plugins.
//
//	admission.go  the questions, one after the other
//	namespace.go  is its namespace there, and not about to go?
//	pod.go        whose account is it, how patient?
//	priority.go   how urgent is it, if it says so, and if it does not?
//	alike.go      which Pods are like it?
//	storage.go    of which class is a claim, and may it grow?
//	range.go      what does it take if it does not say, and is that allowed?
//	quota.go      is there room in the namespace's quotas?
//	scopes.go     of which Pods is a quota?
//	usage.go      what an object takes of a quota
//	recount.go    the controller that gives back the share of what is gone
package admission
