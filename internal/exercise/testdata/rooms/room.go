package counting

import "book/chapters/01-counting/node"

// room returns how many of the running a node has room for.
func room(running []string) int { return node.Room(4, len(running)) }
