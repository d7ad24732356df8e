//! axe-core of npm: what keeps somebody from reading or using a page, by the rules of WCAG 2, levels A and AA.

use super::driver::Browser;
use serde_json::json;
use std::fs;

/// The rules that hold, by their tags: those of WCAG 2.0 to 2.2, and what axe recommends beside them.
const RULES: &[&str] = &["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];

/// What `cargo xtask setup` has installed.
const SOURCE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/checks/node_modules/axe-core/axe.min.js");

/// Looks at pages.
pub(super) struct Axe(String);

impl Axe {
    /// Reads the rules.
    pub(super) fn new() -> Self {
        let source = fs::read_to_string(SOURCE);
        let source = source.expect("axe-core is missing: run `cargo xtask setup`");
        // A policy of the page holds for scripts of the page, and not for what the driver runs.
        Self(format!(
            "{source}
            return axe.run(document, {{ runOnly: arguments[0], resultTypes: ['violations'] }}).then((found) =>
                found.violations.flatMap((rule) => rule.nodes.map((node) =>
                    rule.id + ': ' + node.html.slice(0, 200) + ': ' + node.failureSummary)));"
        ))
    }

    /// Asserts that a page breaks no rule.
    pub(super) fn check(&self, browser: &Browser, page: &str) {
        let found = browser.run(&self.0, &json!([RULES]));
        let found: Vec<&str> =
            found.as_array().into_iter().flatten().filter_map(|row| row.as_str()).collect();
        assert!(found.is_empty(), "{page}: {found:#?}");
    }
}
