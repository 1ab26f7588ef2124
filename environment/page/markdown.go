package page

import (
	"bytes"
	"html/template"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// longestMarkdown is how much is set as Markdown; what is longer is shown as it is written.
const longestMarkdown = 64 << 10

// markdown sets what others wrote. Raw HTML is left out and addresses that could run something lead
// nowhere (goldmark's default); images become links, since the page loads nothing. Relative addresses
// begin at base, the address of a directory's sheet.
func markdown(source, base string) (template.HTML, error) {
	if len(source) > longestMarkdown || deep(source) {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>"), nil
	}
	m := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(addresses(base), 900))))
	var b bytes.Buffer
	err := m.Convert([]byte(source), &b)
	return template.HTML(b.String()), err
}

// deep reports nesting, and beginnings of links, that nobody writes to be read: setting them takes
// quadratic time.
func deep(source string) bool {
	if strings.Count(source, "](") > 4000 {
		return true
	}
	for line := range strings.Lines(source) {
		marks := line[:min(len(line), 400)]
		if len(marks)-len(strings.TrimLeft(marks, " >-+*\t0123456789.)")) > 120 {
			return true
		}
	}
	return false
}

// addresses is the base of relative addresses.
type addresses string

// Transform implements parser.ASTTransformer.
func (base addresses) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var images []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor fails never
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = base.resolve(n.Destination)
		case *ast.Image:
			images = append(images, n)
		}
		return ast.WalkContinue, nil
	})
	for _, img := range images {
		l := ast.NewLink()
		l.Destination, l.Title = base.resolve(img.Destination), img.Title
		for c := img.FirstChild(); c != nil; c = img.FirstChild() {
			l.AppendChild(l, c)
		}
		if l.ChildCount() == 0 {
			l.AppendChild(l, ast.NewString([]byte("image")))
		}
		img.Parent().ReplaceChild(img.Parent(), img, l)
	}
}

func (base addresses) resolve(dest []byte) []byte {
	u, err := url.Parse(string(dest))
	if err != nil || u.IsAbs() || u.Host != "" || u.Path == "" || base == "" {
		return dest
	}
	b, err := url.Parse(string(base))
	if err != nil {
		return dest
	}
	out := *b
	out.Path, out.RawPath = path.Join(b.Path, u.Path), ""
	if strings.HasPrefix(u.Path, "/") || !strings.HasPrefix(out.Path, Root+"repo/") {
		return []byte("#")
	}
	out.Fragment = u.Fragment
	return []byte(out.String())
}
