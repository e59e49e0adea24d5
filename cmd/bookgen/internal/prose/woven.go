package prose

import "github.com/yuin/goldmark/ast"

// Block and Inline are the nodes of a text that stand in the place of a reference.
type (
	Block struct {
		ast.BaseBlock
		Element any
		Line    int // of the file
	}
	Inline struct {
		ast.BaseInline
		Element any
	}
)

var (
	kindBlock  = ast.NewNodeKind("Woven")
	kindInline = ast.NewNodeKind("WovenInline")
)

func (*Block) Kind() ast.NodeKind            { return kindBlock }
func (*Inline) Kind() ast.NodeKind           { return kindInline }
func (n *Block) Dump(src []byte, level int)  { ast.DumpHelper(n, src, level, nil, nil) }
func (n *Inline) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }
