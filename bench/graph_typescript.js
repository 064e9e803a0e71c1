// What TypeScript's own checker resolves: one JSON row a call of a folder.
//
//     NODE_PATH=.../node_modules node bench/graph_typescript.js FOLDER
//
// A row: {path, at, end, word, targets: [[path, at]], callbacks: [[path, at]]}; offsets are bytes. `word` is
// internal (targets are functions or classes of the folder), external, or unknown (a value without
// a declaration that could be called).
const fs = require('fs')
const path = require('path')
const ts = require('typescript')

const root = fs.realpathSync(process.argv[2])
const files = []
const open = [root]
while (open.length) {
  const at = open.pop()
  for (const each of fs.readdirSync(at, { withFileTypes: true })) {
    if (each.name === 'node_modules' || each.name === '.git') continue
    const full = path.join(at, each.name)
    if (each.isDirectory()) open.push(full)
    else if (/\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/.test(each.name)) files.push(full)
  }
}
const options = {
  allowJs: true, checkJs: false, noEmit: true, target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, strict: true,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [], skipLibCheck: true,
  allowImportingTsExtensions: true, maxNodeModuleJsDepth: 0,
}
const config = path.join(root, 'tsconfig.json')
if (fs.existsSync(config)) {
  const given = (ts.readConfigFile(config, ts.sys.readFile).config || {}).compilerOptions || {}
  if (given.paths) options.paths = given.paths
  if (given.paths || given.baseUrl) options.baseUrl = path.resolve(root, given.baseUrl || '.')
  if (given.jsxImportSource) options.jsxImportSource = given.jsxImportSource
}
const program = ts.createProgram(files, options)
const checker = program.getTypeChecker()
const inside = new Set(files)

const bytes = new Map()
function offset(file, at) {
  if (!bytes.has(file)) {
    const ascii = Buffer.byteLength(file.text) === file.text.length
    bytes.set(file, ascii ? null : file.text)
  }
  const text = bytes.get(file)
  return text === null ? at : Buffer.byteLength(text.slice(0, at))
}
function callable(node) {
  return ts.isFunctionLike(node) && !ts.isFunctionTypeNode(node) && !ts.isConstructorTypeNode(node) &&
    node.kind !== ts.SyntaxKind.CallSignature && node.kind !== ts.SyntaxKind.ConstructSignature
}
// The place of the name of what a declaration defines, when that can be called.
function place(given) {
  let node = given
  if (ts.isConstructorDeclaration(node)) node = node.parent
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
    const value = node.initializer
    if (!value || !(callable(value) || ts.isClassExpression(value))) return null
  } else if (ts.isBinaryExpression(node)) {
    if (!callable(node.right) && !ts.isClassExpression(node.right)) return null
    node = { name: node.left.name || node.left, getSourceFile: () => given.getSourceFile() }
  } else if (ts.isPropertyAccessExpression(node) && node.parent && ts.isBinaryExpression(node.parent)) {
    return place(node.parent)
  } else if (!callable(node) && !ts.isClassLike(node)) return null
  let name = node.name
  if (!name && node.parent) {
    const up = node.parent
    if ((ts.isVariableDeclaration(up) || ts.isPropertyDeclaration(up) || ts.isPropertyAssignment(up)) && up.name) name = up.name
    if (ts.isBinaryExpression(up)) name = up.left.name || up.left
  }
  const file = given.getSourceFile()
  const at = (name || given).getStart(file)
  return [path.relative(root, file.fileName), offset(file, at)]
}
function places(symbol, signature) {
  const found = new Map()
  let known = false
  const add = (declaration) => {
    known = true
    if (!inside.has(declaration.getSourceFile().fileName)) return
    const at = place(declaration)
    if (at) found.set(at.join(':'), at)
  }
  let target = symbol
  if (target && target.flags & ts.SymbolFlags.Alias) target = checker.getAliasedSymbol(target)
  for (const each of (target && target.declarations) || []) add(each)
  if (signature && signature.declaration) add(signature.declaration)
  const external = known && [...((target && target.declarations) || []), ...(signature && signature.declaration ? [signature.declaration] : [])]
    .every((each) => !inside.has(each.getSourceFile().fileName))
  return { found: [...found.values()], external }
}
const out = []
for (const full of files) {
  const file = program.getSourceFile(full)
  if (!file) continue
  const visit = (node) => {
    ts.forEachChild(node, visit)
    const jsx = ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node) && !jsx) return
    let callee = jsx ? node.tagName : node.expression
    while (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee)) callee = callee.expression
    const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
    if (!ts.isIdentifier(name) && !ts.isPrivateIdentifier(name)) return
    if (jsx && /^[a-z]/.test(name.text) && name === callee) return
    if (name.text === 'require') return
    let signature
    try { signature = jsx ? undefined : checker.getResolvedSignature(node) } catch { return }
    const { found, external } = places(checker.getSymbolAtLocation(name), signature)
    const callbacks = []
    for (const each of node.arguments || []) {
      if (callable(each)) callbacks.push([path.relative(root, full), offset(file, each.getStart(file))])
      else if (ts.isIdentifier(each) || ts.isPropertyAccessExpression(each)) {
        callbacks.push(...places(checker.getSymbolAtLocation(each), undefined).found)
      }
    }
    out.push({
      path: path.relative(root, full), at: offset(file, name.getStart(file)), end: offset(file, name.getEnd()),
      word: found.length ? 'internal' : external ? 'external' : 'unknown', targets: found, callbacks,
    })
  }
  visit(file)
}
process.stdout.write(JSON.stringify(out))
