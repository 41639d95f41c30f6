package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/security.md says of each rule what holds it: each of the 30 is there, and each test that it names exists. A rule without a test says so.
func TestEachRuleOfSecurityNamesATestThatExists(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	tests := testNames(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	for n := 1; n <= 30; n++ {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| S%d \| .*$`, n)).FindString(string(page))
		require.NotEmpty(t, row, "S%d has no row", n)
		cells := strings.Split(row, " | ")
		require.Len(t, cells, 4, row)
		require.True(t, named.MatchString(cells[3]) || strings.HasPrefix(cells[3], "none: "), "S%d names no test", n)
	}
	for _, m := range named.FindAllStringSubmatch(string(page), -1) {
		require.True(t, tests[m[1]], "docs/security.md names %s, and there is no such test", m[1])
	}
}

var (
	sqlVerb = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|PRAGMA|VACUUM|ATTACH|CREATE|DROP|ALTER)\b`)
	verbs   = regexp.MustCompile(`%[^d%]`)
)

// statement returns the first SQL statement among the texts of an expression, "" when there is none.
func statement(n ast.Node) (text string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && text == "" {
			if s, err := strconv.Unquote(l.Value); err == nil && sqlVerb.MatchString(s) {
				text = s
			}
		}
		return true
	})
	return text
}

// A statement is a text of the program: values reach it by placeholders. What is put together at the start of the program, from its own texts, is one too; a
// number of the program's own may stand where SQLite takes no placeholder.
func TestStatementsAreTextsOfTheProgram(t *testing.T) {
	found := 0
	for _, p := range sourcePackages(t) {
		if p.path != "store" {
			continue
		}
		for _, file := range p.files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Name.Name == "init" {
					found += len(statement(d))
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					switch e := n.(type) {
					case *ast.BinaryExpr:
						if e.Op == token.ADD && statement(e) != "" {
							t.Errorf("%s: a statement is put together in %s; use placeholders", p.set.Position(e.Pos()), f.Name.Name)
						}
					case *ast.CallExpr:
						selector, ok := e.Fun.(*ast.SelectorExpr)
						if !ok {
							return true
						}
						if x, ok := selector.X.(*ast.Ident); ok && slices.Contains([]string{"fmt", "strings"}, x.Name) {
							for _, argument := range e.Args {
								if text := statement(argument); text != "" && (x.Name != "fmt" || verbs.MatchString(text)) {
									t.Errorf("%s: a statement is put together in %s; use placeholders", p.set.Position(e.Pos()), f.Name.Name)
								}
							}
						}
					}
					return true
				})
			}
		}
	}
	require.NotZero(t, found)
}

// The UI shows what others wrote as text: nothing in it makes markup or code of a string.
func TestTheUIMakesNoMarkupOfText(t *testing.T) {
	made := regexp.MustCompile(`\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment|DOMParser|srcdoc)\b|document\.write|\beval\(|new Function\(|javascript:`)
	files := 0
	require.NoError(t, filepath.WalkDir("../../web/ui/src", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".tsx") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		require.Empty(t, made.FindString(string(text)), path)
		return err
	}))
	require.NotZero(t, files)
}
