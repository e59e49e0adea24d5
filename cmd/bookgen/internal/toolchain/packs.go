package toolchain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A pack is archives that the same units link, one behind the other: a page fetches
// those of a unit, and has those of the next one already, but for a few.
type pack struct {
	Name  string // with its digest in it
	Files []piece
	text  []byte
}

// A piece is an archive in a pack.
type piece struct {
	Name string
	Size int
}

// packsOf puts archives into packs, by the folders whose units link them.
func (all archives) packsOf(users map[string][]string) (packs map[string]*pack, err error) {
	together := map[string][]string{}
	for _, sum := range slices.Sorted(maps.Keys(all.bySum)) {
		folders := strings.Join(users[sum], " ")
		together[folders] = append(together[folders], sum)
	}
	packs = map[string]*pack{}
	for folders, sums := range together {
		p := new(pack)
		slices.SortFunc(sums, func(a, b string) int { return cmp.Compare(all.bySum[a].path, all.bySum[b].path) })
		for _, sum := range sums {
			text, err := all.bySum[sum].text()
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, piece{sum, len(text)})
			p.text = append(p.text, text...)
		}
		p.Name = "packages-" + digestOf(p.text)
		for _, folder := range strings.Fields(folders) {
			packs[folder+" "+p.Name] = p
		}
	}
	return packs, nil
}
