// Package versions turns objects as clients send them, and as the store keeps
// them, into the internal form of Kubernetes' own API server, and back. Its
// validation and its printers work on that form. A field that has two names in
// a version (serviceAccount, serviceAccountName) has one there, so an object
// that has been there and back has both.
package versions
