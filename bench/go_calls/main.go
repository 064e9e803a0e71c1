// Command go_calls prints what every call of a Go module refers to, as the type checker sees it.
//
//	go run main.go FOLDER
//
// One line a call: path, byte where the name that is called stands, what it is, and for what the
// module itself defines the path and the byte of the name in its definition.
//
//	static     a function or method with a body
//	interface  a method of an interface
//	value      a value: a variable, a parameter, a field, a result
//	external   defined outside of the module
//	builtin    of the language; conversion: the callee is a type
//	unknown    the checker does not know, as a package outside is not there
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

type folder struct {
	plain, inside, outside []*ast.File // source; tests of the package; tests from outside
}

type loader struct {
	root    string
	module  string
	fset    *token.FileSet
	folders map[string]*folder
	checked map[string]*types.Package
	library types.Importer
	info    *types.Info
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	build.Default.CgoEnabled = false
	fset := token.NewFileSet()
	l := &loader{
		root: root, fset: fset, folders: map[string]*folder{},
		checked: map[string]*types.Package{},
		library: importer.ForCompiler(fset, "source", nil),
		info: &types.Info{
			Uses:       map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
			Types:      map[ast.Expr]types.TypeAndValue{},
		},
	}
	l.module = moduleOf(root)
	l.parse()
	names := make([]string, 0, len(l.folders))
	for name := range l.folders {
		names = append(names, name)
	}
	sort.Strings(names)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, name := range names {
		each := l.folders[name]
		path := l.pathOf(name)
		own := append(append([]*ast.File{}, each.plain...), each.inside...)
		with := l.check(path, own)
		l.checked[path+" with tests"] = with
		if len(each.outside) > 0 {
			before, known := l.checked[path]
			l.checked[path] = with
			l.check(path+"_test", each.outside)
			delete(l.checked, path)
			if known {
				l.checked[path] = before
			}
		}
		for _, file := range append(own, each.outside...) {
			l.print(out, file)
		}
	}
}

func moduleOf(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		panic(err)
	}
	return string(regexp.MustCompile(`(?m)^module\s+(\S+)`).FindSubmatch(text)[1])
}

func (l *loader) pathOf(name string) string {
	if name == "." {
		return l.module
	}
	return l.module + "/" + name
}

func (l *loader) parse() {
	err := filepath.WalkDir(l.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := entry.Name()
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			if path != l.root && (nested == nil || strings.HasPrefix(base, ".") || base == "testdata" || base == "vendor") {
				return filepath.SkipDir
			}
			return nil
		}
		where, name := filepath.Split(path)
		if match, _ := build.Default.MatchFile(where, name); !match || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(l.fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return nil
		}
		relative, _ := filepath.Rel(l.root, filepath.Clean(where))
		each := l.folders[relative]
		if each == nil {
			each = &folder{}
			l.folders[relative] = each
		}
		switch {
		case !strings.HasSuffix(name, "_test.go"):
			each.plain = append(each.plain, file)
		case strings.HasSuffix(file.Name.Name, "_test"):
			each.outside = append(each.outside, file)
		default:
			each.inside = append(each.inside, file)
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// Import gives a package of the module without its tests, or one of the standard library.
func (l *loader) Import(path string) (*types.Package, error) {
	if known := l.checked[path]; known != nil {
		return known, nil
	}
	if path == l.module || strings.HasPrefix(path, l.module+"/") {
		name := strings.TrimPrefix(strings.TrimPrefix(path, l.module), "/")
		if name == "" {
			name = "."
		}
		each := l.folders[name]
		if each == nil {
			return nil, fmt.Errorf("no package %s", path)
		}
		found := l.check(path, each.plain)
		l.checked[path] = found
		return found, nil
	}
	if strings.Contains(strings.Split(path, "/")[0], ".") {
		return nil, fmt.Errorf("outside: %s", path)
	}
	return l.library.Import(path)
}

func (l *loader) check(path string, files []*ast.File) *types.Package {
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(path, l.fset, files, l.info)
	return found
}

func (l *loader) print(out *bufio.Writer, file *ast.File) {
	ast.Inspect(file, func(node ast.Node) bool {
		if call, is := node.(*ast.CallExpr); is {
			l.call(out, call)
		}
		return true
	})
}

func (l *loader) call(out *bufio.Writer, call *ast.CallExpr) {
	callee := call.Fun
	for {
		switch inner := callee.(type) {
		case *ast.ParenExpr:
			callee = inner.X
			continue
		case *ast.IndexExpr:
			if value, known := l.info.Types[inner.X]; known && isFunction(value.Type) {
				callee = inner.X
				continue
			}
		case *ast.IndexListExpr:
			callee = inner.X
			continue
		}
		break
	}
	name, _ := callee.(*ast.Ident)
	if selector, is := callee.(*ast.SelectorExpr); is {
		name = selector.Sel
	}
	at := call.Pos()
	if name != nil {
		at = name.Pos()
	}
	place := l.fset.Position(at)
	kind, target := l.kind(callee, name)
	relative, _ := filepath.Rel(l.root, place.Filename)
	fmt.Fprintf(out, "%s\t%d\t%s\t%s\n", filepath.ToSlash(relative), place.Offset, kind, target)
}

func isFunction(kind types.Type) bool {
	if kind == nil {
		return false
	}
	_, is := kind.Underlying().(*types.Signature)
	return is
}

func (l *loader) kind(callee ast.Expr, name *ast.Ident) (string, string) {
	if value, known := l.info.Types[callee]; known && value.IsType() {
		return "conversion", "-"
	} else if known && value.IsBuiltin() {
		return "builtin", "-"
	}
	if name == nil {
		return "value", "-"
	}
	object := l.info.Uses[name]
	if object == nil {
		return "unknown", "-"
	}
	function, is := object.(*types.Func)
	if !is {
		if _, variable := object.(*types.Var); variable {
			if !isFunction(object.Type()) {
				return "unknown", "-"
			}
			return "value", "-"
		}
		return "unknown", "-"
	}
	function = function.Origin()
	place := l.fset.Position(function.Pos())
	relative, err := filepath.Rel(l.root, place.Filename)
	if err != nil || strings.HasPrefix(relative, "..") || place.Filename == "" {
		return "external", "-"
	}
	kind := "static"
	if receiver := function.Type().(*types.Signature).Recv(); receiver != nil && types.IsInterface(receiver.Type()) {
		kind = "interface"
	}
	return kind, fmt.Sprintf("%s:%d", filepath.ToSlash(relative), place.Offset)
}
