import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.Element;
import javax.tools.*;

/**
 * Prints what every call in some Java files means, as javac sees it.
 *
 * Arguments: options of javac, `--`, source files. A line is
 * {@code what TAB file TAB offset of the name TAB file of the target TAB offset TAB name};
 * offsets are characters; the target's is that of the name of a method or constructor, of the
 * keyword of a class without constructor. Code that does not compile is left out.
 */
public class Calls {
    public static void main(String[] arguments) throws Exception {
        List<String> all = Arrays.asList(arguments);
        int at = all.indexOf("--");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        JavacTask task = (JavacTask) compiler.getTask(
            new PrintWriter(Writer.nullWriter()), manager, diagnostic -> {}, all.subList(0, at), null,
            manager.getJavaFileObjectsFromStrings(all.subList(at + 1, all.size())));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        try {
            task.analyze();
        } catch (RuntimeException e) {
            System.err.println("javac gave up: " + e);
        }
        Trees trees = Trees.instance(task);
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, "UTF-8")));
        for (CompilationUnitTree unit : units) {
            new Scanner(trees, unit, out).scan(unit, null);
        }
        out.flush();
    }

    static class Scanner extends TreePathScanner<Void, Void> {
        final Trees trees;
        final CompilationUnitTree unit;
        final PrintWriter out;

        Scanner(Trees trees, CompilationUnitTree unit, PrintWriter out) {
            this.trees = trees;
            this.unit = unit;
            this.out = out;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree node, Void v) {
            if (erroneous(node.getArguments())) {
                return super.visitMethodInvocation(node, v);
            }
            write("call", node.getMethodSelect(), TreeInfo.symbol((JCTree) node.getMethodSelect()));
            return super.visitMethodInvocation(node, v);
        }

        @Override
        public Void visitNewClass(NewClassTree node, Void v) {
            if (erroneous(node.getArguments())) {
                return super.visitNewClass(node, v);
            }
            Symbol made = ((JCTree.JCNewClass) node).constructor;
            if (node.getClassBody() != null && made != null) {
                // the class without a name calls that of its base: its own constructor says which
                made = ofBase((JCTree.JCNewClass) node);
            }
            Tree name = node.getIdentifier();
            while (name instanceof ParameterizedTypeTree) {
                name = ((ParameterizedTypeTree) name).getType();
            }
            while (name instanceof AnnotatedTypeTree) {
                name = ((AnnotatedTypeTree) name).getUnderlyingType();
            }
            Symbol type = TreeInfo.symbol((JCTree) name);
            if (node.getClassBody() != null && type != null && type.isInterface()) {
                made = type;
            }
            write("new", name, made);
            return super.visitNewClass(node, v);
        }

        /** Of such arguments javac chooses any method. */
        private static boolean erroneous(List<? extends ExpressionTree> arguments) {
            for (ExpressionTree each : arguments) {
                if (((JCTree) each).type == null || ((JCTree) each).type.isErroneous()) {
                    return true;
                }
            }
            return false;
        }

        private Symbol ofBase(JCTree.JCNewClass node) {
            for (JCTree member : node.def.defs) {
                if (member instanceof JCTree.JCMethodDecl) {
                    JCTree.JCMethodDecl method = (JCTree.JCMethodDecl) member;
                    if (method.sym != null && method.sym.isConstructor()) {
                        for (JCTree.JCStatement each : method.body.stats) {
                            if (each instanceof JCTree.JCExpressionStatement) {
                                JCTree inner = ((JCTree.JCExpressionStatement) each).expr;
                                if (inner instanceof JCTree.JCMethodInvocation) {
                                    return TreeInfo.symbol(((JCTree.JCMethodInvocation) inner).meth);
                                }
                            }
                        }
                    }
                }
            }
            return null;
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree node, Void v) {
            write("reference", node, ((JCTree.JCMemberReference) node).sym);
            return super.visitMemberReference(node, v);
        }

        private void write(String what, Tree named, Symbol symbol) {
            if (symbol == null || symbol.type == null || symbol.type.isErroneous()) {
                return;
            }
            SourcePositions positions = trees.getSourcePositions();
            long start = positions.getStartPosition(unit, named);
            long end = positions.getEndPosition(unit, named);
            if (start < 0 || end < 0) {
                return; // not written
            }
            if (named instanceof MemberSelectTree) {
                start = end - ((MemberSelectTree) named).getIdentifier().length();
            } else if (named instanceof MemberReferenceTree) {
                start = end - ((MemberReferenceTree) named).getName().length();
                if (symbol.isConstructor()) {
                    start = end - "new".length();
                }
            }
            String file = "";
            long at = -1;
            String name = symbol.name.toString();
            TreePath path = trees.getPath((Element) symbol);
            if (path != null && path.getLeaf() instanceof JCTree.JCClassDecl) {
                file = path.getCompilationUnit().getSourceFile().getName();
                at = ((JCTree) path.getLeaf()).pos;
                what = what + "-of-class";
            } else if (path == null || !(path.getLeaf() instanceof JCTree.JCMethodDecl)
                || generated((JCTree.JCMethodDecl) path.getLeaf())) {
                TreePath owner = symbol.owner == null ? null : trees.getPath((Element) symbol.owner);
                if (owner != null && owner.getLeaf() instanceof JCTree.JCClassDecl) {
                    file = owner.getCompilationUnit().getSourceFile().getName();
                    at = ((JCTree) owner.getLeaf()).pos;
                    what = what + "-of-class";
                    name = symbol.owner.name.toString();
                }
            } else {
                file = path.getCompilationUnit().getSourceFile().getName();
                at = ((JCTree) path.getLeaf()).pos;
            }
            out.println(String.join("\t", what, unit.getSourceFile().getName(), "" + start, file, "" + at, name));
        }

        private static boolean generated(JCTree.JCMethodDecl method) {
            return (method.mods.flags & (com.sun.tools.javac.code.Flags.GENERATEDCONSTR
                | com.sun.tools.javac.code.Flags.GENERATED_MEMBER)) != 0;
        }
    }
}
