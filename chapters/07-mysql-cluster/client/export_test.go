package client

// InTime is how `status` says how long a server has been up.
var InTime = inTime
