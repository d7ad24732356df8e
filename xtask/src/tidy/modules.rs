//! The arrows between the modules of a crate: on every level they lead one way, and never in a circle.
//!
//! A level is the modules of one folder. What a module's files use of another module's files is an arrow between the
//! two; `pub use` is followed to where the thing lives. Parents and children are one subject and may use each other.

use std::collections::{BTreeMap, BTreeSet};

use super::lex;
use super::paths::{self, Path};
use super::tree::{File, Tree};

/// Arrows that close a circle and stand all the same: the folder, from, to, and why.
const BACK_ARROWS: &[(&str, &str, &str, &str)] = &[
    ("crates/cluster/src", "housekeeping", "store", ONE_VALUE),
    ("crates/cluster/src", "derive", "store", ONE_VALUE),
    ("crates/cluster/src", "lanes", "store", ONE_VALUE),
    ("crates/cluster/src", "view", "store", ONE_VALUE),
    ("crates/cluster/src", "checks", "store", ONE_VALUE),
    ("crates/cluster/src", "dump", "store", ONE_VALUE),
    ("crates/cluster/src", "tail", "store", ONE_VALUE),
    ("crates/cluster/src/store", "ended", "shared", "each part of a store has what all share"),
    ("crates/cluster/src/store", "foreign", "facts", "each part of a store has what all share"),
    (
        "crates/cluster/src/store",
        "meeting",
        "facts",
        "a write that two shards decide is made of writes of one",
    ),
];

/// Why modules of the cluster use its store, which uses them.
const ONE_VALUE: &str = "what a store's parts share is one value, which the store makes of them";

/// One arrow: the folder of both modules, from, to.
type Arrow = (String, String, String);

/// Complains of circles that stand without the rows, and of rows that nothing needs.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    complain(&arrows(tree), BACK_ARROWS)
}

fn complain(arrows: &BTreeMap<Arrow, String>, rows: &[(&str, &str, &str, &str)]) -> Vec<String> {
    let excused =
        |(folder, from, to): &Arrow| rows.iter().any(|row| (row.0, row.1, row.2) == (folder, from, to));
    let all: BTreeSet<&Arrow> = arrows.keys().collect();
    let mut left: BTreeSet<&Arrow> = all.iter().copied().filter(|arrow| !excused(arrow)).collect();
    let mut complaints = Vec::new();
    while let Some(circle) = left.iter().find_map(|arrow| circle(&left, arrow)) {
        let steps: Vec<String> =
            circle.iter().map(|arrow| format!("{} -> {} ({})", arrow.1, arrow.2, arrows[*arrow])).collect();
        complaints.push(format!(
            "{}: modules in a circle: {}: move what both need below both, or give the arrow that leads back a row \
             with its reason in BACK_ARROWS of xtask/src/tidy/modules.rs",
            circle[0].0,
            steps.join(", ")
        ));
        // Found once is enough: the circle is cut where it closes.
        left.remove(circle[circle.len() - 1]);
    }
    for (folder, from, to, _) in rows {
        let arrow = ((*folder).to_owned(), (*from).to_owned(), (*to).to_owned());
        if all.get(&arrow).is_none_or(|arrow| circle(&all, arrow).is_none()) {
            complaints.push(format!(
                "{folder}: {from} -> {to} closes no circle any more: take its row out of BACK_ARROWS of \
                 xtask/src/tidy/modules.rs"
            ));
        }
    }
    complaints
}

/// Returns the shortest circle through an arrow, which is its last step.
fn circle<'a>(arrows: &BTreeSet<&'a Arrow>, last: &'a Arrow) -> Option<Vec<&'a Arrow>> {
    let mut ways: Vec<Vec<&Arrow>> = vec![Vec::new()];
    let mut seen = BTreeSet::from([last.2.as_str()]);
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let here = way.last().map_or(last.2.as_str(), |arrow| arrow.2.as_str());
            for arrow in arrows.iter().filter(|arrow| arrow.0 == last.0 && arrow.1 == here) {
                let mut way = way.clone();
                way.push(arrow);
                if arrow.2 == last.1 {
                    way.push(last);
                    return Some(way);
                }
                if seen.insert(&arrow.2) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

/// Returns every arrow with a place where it stands.
fn arrows(tree: &Tree) -> BTreeMap<Arrow, String> {
    let mut arrows = BTreeMap::new();
    for package in &tree.packages {
        let source = format!("{}/src/", package.folder);
        let files: Vec<&File> = tree.sources().filter(|file| file.path.starts_with(&source)).collect();
        let krate = Crate::of(&files, &source);
        for file in files.iter().filter(|file| !file.is_test()) {
            let from = module_of(&file.path, &source);
            let code = file.product_code();
            for path in paths::of(&code) {
                let Some(to) = krate.target(&from, &path.segments, 0) else { continue };
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if common < from.len() && common < to.len() {
                    let folder = format!("{source}{}", from[..common].join("/"));
                    let arrow =
                        (folder.trim_end_matches('/').to_owned(), from[common].clone(), to[common].clone());
                    let place = || format!("{}:{}", file.path, lex::line_of(&code, path.at));
                    arrows.entry(arrow).or_insert_with(place);
                }
            }
        }
    }
    arrows
}

/// The modules of one crate, with what each takes from others by `use`.
struct Crate {
    modules: BTreeMap<Vec<String>, Vec<Path>>,
}

impl Crate {
    fn of(files: &[&File], source: &str) -> Self {
        let uses =
            |file: &File| paths::of(&file.product_code()).into_iter().filter(|path| path.name.is_some());
        let mut modules: BTreeMap<Vec<String>, Vec<Path>> = BTreeMap::new();
        for file in files {
            modules.entry(module_of(&file.path, source)).or_default().extend(uses(file));
        }
        Self { modules }
    }

    /// Returns the module in which a path ends that stands in `from`; none for a path to another crate.
    fn target(&self, from: &[String], path: &[String], hops: u32) -> Option<Vec<String>> {
        /// Longer chains of `pub use` than this do not occur.
        const HOPS_MAX: u32 = 8;
        let mut at = from.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => at.clear(),
            "self" | "super" => {}
            child => {
                at.push(child.to_owned());
                if !self.modules.contains_key(&at) {
                    return None;
                }
            }
        }
        rest = &rest[1..];
        if path[0] == "super" {
            at.pop();
        }
        while rest.first().is_some_and(|segment| segment == "super") {
            at.pop();
            rest = &rest[1..];
        }
        while let Some(segment) = rest.first() {
            at.push(segment.clone());
            if !self.modules.contains_key(&at) {
                at.pop();
                break;
            }
            rest = &rest[1..];
        }
        let Some(name) = rest.first().filter(|_| hops < HOPS_MAX) else { return Some(at) };
        let taken = self.modules.get(&at)?.iter().find(|path| path.name.as_ref() == Some(name));
        taken.and_then(|taken| self.target(&at, &taken.segments, hops + 1)).or(Some(at))
    }
}

/// Returns the path of a file's module within its crate, which lies below `source`.
fn module_of(path: &str, source: &str) -> Vec<String> {
    let inside = path.strip_prefix(source).unwrap_or(path).trim_end_matches(".rs");
    let mut module: Vec<String> = inside.split('/').map(str::to_owned).collect();
    let is_root = module.len() == 1 && matches!(module[0].as_str(), "lib" | "main");
    if is_root || module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::super::tree::Package;
    use super::*;

    fn arrows_of(files: &[(&str, &str)]) -> BTreeMap<Arrow, String> {
        let files =
            files.iter().map(|(path, text)| File::new(&format!("crates/x/src/{path}"), text)).collect();
        let package =
            Package { name: "x".to_owned(), folder: "crates/x".to_owned(), dependencies: Vec::new() };
        arrows(&Tree { files, packages: vec![package], foreign: Vec::new() })
    }

    #[test]
    fn arrows_are_read_from_uses_and_paths_and_followed_through_faces() {
        let arrows = arrows_of(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::Thing as Face;\n"),
            (
                "a.rs",
                "use crate::{Face, c::deep::{self, Low}};\n#[cfg(test)]\nmod tests { use crate::d::D; }\n",
            ),
            ("b/mod.rs", "mod one;\nmod two;\npub use one::Thing;\n"),
            ("b/one.rs", "use super::two;\nfn f() { crate::c::deep::f(); std::mem::take(x) }\n"),
            ("b/two.rs", ""),
            ("c/mod.rs", "mod deep;\nuse deep::Low;\n"),
            ("c/deep.rs", "use super::Low;\n"),
            ("d.rs", "// crate::a\n"),
        ]);
        let shown: Vec<String> =
            arrows.keys().map(|(folder, from, to)| format!("{folder} {from} {to}")).collect();
        let expected = ["crates/x/src a b", "crates/x/src a c", "crates/x/src b c", "crates/x/src/b one two"];
        assert_eq!(shown, expected);
        assert_eq!(arrows.values().nth(3).map(String::as_str), Some("crates/x/src/b/one.rs:1"));
    }

    #[test]
    fn a_circle_is_named_unless_a_row_excuses_the_arrow_that_closes_it() {
        let arrows = arrows_of(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "use crate::b::B;\n"),
            ("b.rs", "use crate::c::C;\n"),
            ("c.rs", "use crate::a::A;\n"),
        ]);
        let complaints = complain(&arrows, &[]);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("c -> a (crates/x/src/c.rs:1)"), "{complaints:?}");
        let row = ("crates/x/src", "c", "a", "why");
        assert_eq!(complain(&arrows, &[row]), Vec::<String>::new());
        let stale = ("crates/x/src", "a", "c", "why");
        assert_eq!(complain(&arrows, &[row, stale]).len(), 1);
    }
}
