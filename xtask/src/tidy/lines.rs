//! `cargo xtask lines`: how much there is to read, by package.
//!
//! Product lines are the lines of Rust files that people write, without blank lines, tests and generated code. Comments count:
//! they are read, too.

use std::collections::BTreeMap;

use super::functions::functions;
use super::lex;
use super::tree::{File, Tree};
use crate::steps;

/// Packages that serve tests alone: their lines are tests.
const TEST_PACKAGES: &[&str] = &[
    "crates/spec",
    "crates/remote",
    "crates/testkit",
    "crates/certs",
    "crates/fuzz",
    "crates/servers",
    "sim",
];

/// What a package has.
#[derive(Debug, Default, PartialEq, Eq)]
struct Measured {
    files: usize,
    product: usize,
    tests: usize,
    /// The lengths of product functions.
    functions: Vec<usize>,
    /// Items that other packages can name.
    public: usize,
}

/// Prints the table, or each row as a JSON object.
///
/// # Errors
/// When the tree cannot be read; an unknown option.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let is_json = match options {
        [] => false,
        ["--json"] => true,
        other => return Err(format!("no such option: {}; there is --json", other.join(" "))),
    };
    let packages = measure(&Tree::read(&steps::root())?);
    let mut all = Measured::default();
    if !is_json {
        println!(
            "{:<18} {:>6} {:>9} {:>7} {:>6} {:>5} {:>5} {:>5} {:>7}",
            "package", "files", "product", "tests", "fns", "p50", "p99", "max", "public"
        );
    }
    for (name, measured) in packages {
        print(&name, &measured, is_json);
        all.files += measured.files;
        all.product += measured.product;
        all.tests += measured.tests;
        all.public += measured.public;
        all.functions.extend(measured.functions);
    }
    all.functions.sort_unstable();
    print("all", &all, is_json);
    Ok(())
}

fn print(name: &str, measured: &Measured, is_json: bool) {
    let Measured { files, product, tests, functions, public } = measured;
    let at = |thousandths: usize| {
        functions.get(functions.len().saturating_sub(1) * thousandths / 1_000).copied().unwrap_or(0)
    };
    let (many, p50, p99, max) = (functions.len(), at(500), at(990), at(1_000));
    if is_json {
        println!(
            "{}",
            serde_json::json!({
                "package": name, "files": files, "product_lines": product, "test_lines": tests, "functions": many,
                "function_lines": { "p50": p50, "p99": p99, "max": max }, "public_items": public,
            })
        );
    } else {
        println!(
            "{name:<18} {files:>6} {product:>9} {tests:>7} {many:>6} {p50:>5} {p99:>5} {max:>5} {public:>7}"
        );
    }
}

fn measure(tree: &Tree) -> BTreeMap<String, Measured> {
    let mut packages: BTreeMap<String, Measured> = BTreeMap::new();
    for file in tree.sources() {
        let folder = package_of(&file.path);
        let serves_tests = TEST_PACKAGES.contains(&folder);
        let measured = packages.entry(folder.to_owned()).or_default();
        measured.files += 1;
        let all = filled(&file.text);
        let product = if serves_tests { 0 } else { product_lines(file) };
        measured.product += product;
        measured.tests += all - product;
        if product > 0 {
            let code = lex::without_tests(&file.code);
            let product = File { path: file.path.clone(), text: String::new(), code };
            measured.functions.extend(functions(&product).iter().map(|function| function.lines));
            measured.public += lex::words(&product.code, "pub ").count();
        }
    }
    for measured in packages.values_mut() {
        measured.functions.sort_unstable();
    }
    packages
}

/// The folder of a package: the first two parts of a path below `crates`, else the first.
fn package_of(path: &str) -> &str {
    let parts = if path.starts_with("crates/") { 2 } else { 1 };
    let end = path.match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

/// Lines that are not blank, without test modules.
fn product_lines(file: &File) -> usize {
    // Benchmarks are a program that people read; it has tests, too.
    let is_program = file.path.starts_with("bench/src/") && !file.path.ends_with("/tests.rs");
    if file.is_test() && !is_program {
        return 0;
    }
    let with_tests = file.code.lines();
    let without = lex::without_tests(&file.code);
    // A line that only the code with tests has is one of a test.
    let of_tests = with_tests
        .zip(without.lines())
        .filter(|(with, without)| !with.trim().is_empty() && without.trim().is_empty());
    filled(&file.text) - of_tests.count()
}

fn filled(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_blank_lines_are_no_product() {
        let text =
            "//! Doc.\n\npub fn one() {\n    two();\n}\n\n#[cfg(test)]\nmod tests {\n    fn three() {}\n}\n";
        let file = |path: &str| File::new(path, text);
        let files =
            vec![file("crates/a/src/lib.rs"), file("crates/a/tests/it.rs"), file("crates/spec/src/lib.rs")];
        let tree = Tree { files, packages: Vec::new(), foreign: Vec::new() };
        let measured = measure(&tree);
        let a = &measured["crates/a"];
        assert_eq!((a.files, a.product + a.tests, a.public), (2, 16, 1));
        assert!((4..=5).contains(&a.product), "{a:?}");
        assert_eq!(a.functions, [3]);
        assert_eq!(measured["crates/spec"].product, 0);
    }
}
