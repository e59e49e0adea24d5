// Package remote is chapter 1's client of an API server that is somewhere else:
// any Kubernetes'. A controller that has been given it in the place of the store
// does not see the difference, but for these:
//
//   - An object that comes back is the caller's own; the store's are shared.
//   - A cache is late. A write made from it may meet 409 Conflict or, for what it
//     does not show yet, AlreadyExists. Chapter 1's controllers try again.
//   - Versions are names. They rise, but not by one, and the version of a deleted
//     object says nothing about those of other kinds.
//   - A watch ends now and then, and says so by io.EOF. It is resumed where it was.
//     410 Expired may come from Watch, or from the first Next.
//   - Versions fall when a server's data are restored from a backup. Watch refuses one
//     that is not reached yet (504 Timeout); the store waits for it, as servers do.
//   - The server changes what it is given, by admission and by defaults that no
//     chapter has, and refuses more. A write to a namespace that ends is 403.
//   - Every request waits its turn (Options.QPS), and may fail for reasons that
//     have nothing to do with the object.
//
// In reading order: config.go (which cluster, and how fast), client.go (the
// requests), list.go (lists, page by page), watch.go.
package remote
