package controlloop

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/types"
)

// identity makes up uids and the ends of generated names. It is seeded, so that
// the same run gives the same names. It is not safe for concurrent use.
type identity struct{ rand *rand.Rand }

func newIdentity(seed uint64) identity {
	return identity{rand.New(rand.NewPCG(seed, 0))}
}

// alphabet is Kubernetes' for generated names: no vowels, so no words that a
// reader would rather not meet (k8s.io/apimachinery/pkg/util/rand).
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

// maxPrefix is the length to which Kubernetes cuts the prefix, lest prefix and
// suffix be longer than 63.
const maxPrefix = 63 - suffixLength
const suffixLength = 5

// name returns prefix and five characters of the alphabet: "web-x7k2p".
func (id identity) name(prefix string) string {
	suffix := make([]byte, suffixLength)
	for i := range suffix {
		suffix[i] = alphabet[id.rand.IntN(len(alphabet))]
	}
	return prefix[:min(len(prefix), maxPrefix)] + string(suffix)
}

// uid returns a version 4 UUID: unique over all objects there ever were, while
// a name is only unique among those there are.
func (id identity) uid() types.UID {
	hi, lo := id.rand.Uint64(), id.rand.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		hi>>32, hi>>16&0xffff, hi&0xfff, lo>>48&0x3fff|0x8000, lo&0xffffffffffff))
}
