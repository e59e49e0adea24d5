// Package stories plays a Deployment's life, a step at a time, and writes down
// what its controllers do about it.
//
// A story is a text file. Lines that start with "> " say what a user or a node
// does; the lines below each of them are the consequences. The same file can be
// played over any controllers, Kubernetes' own among them: judges/stories
// has those write the files, and a chapter's tests compare.
//
//	> create replicas=3 image=v1      one Deployment; also surge, unavailable,
//	                                  strategy, deadline, limit, minready
//	> edit image=v2 replicas=5        as kubectl edit
//	> pause, resume, undo, undo 1     as kubectl rollout
//	> ready v2 3                      three Pods of v2 become ready, in turn
//	> ready v2                        all of them, and those that come of it
//	> unready v1 1                    one that was ready is so no more
//	> die v1 1                        one is gone, as if its node were
//	> slow                            from here on Pods end only when told:
//	> end 2                           two of those that were to end have ended
//	> wait 10m                        time passes
//	> look                            the Deployment's status and conditions
//
// Pods change one at a time, and everything comes to rest in between, so that
// the story does not depend on which controller is faster. ReplicaSets go by
// the image of their template, web-v1, where Kubernetes has a hash.
//
//	story.go    a file, its steps, and how they are played
//	steps.go    the effects of a step
//	pods.go     the nodes' part
//	observe.go  the news that is written down
package stories
