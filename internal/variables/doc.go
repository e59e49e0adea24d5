// Package variables finds out what a container's environment is: what its
// fields, its ConfigMaps and its Secrets say, put into its command where that
// names them. A kubelet asks it through kubelet.Machine.
//
//	resolve.go  a container, and the same without anything to look up
//	expand.go   $(NAME) in values, commands, arguments and mounts
//	field.go    fields of the Pod (those that a file can hold too, and what
//	            containers may use, are chapter 5's to tell)
//	config.go   ConfigMaps and Secrets
//	service.go  where Services are
package variables
