//! The plan of a statement, as the server tells it, and what is wrong with it.

use std::collections::HashMap;

/// Tables with a row for each gene, database, process, check or job, with one row, or with none while no session holds a shard: to
/// read all of such a table is the best plan.
pub(super) const FEW_ROWS: &[&str] = &[
    "applied",
    "check_run",
    "checked",
    "credential_state",
    "data_key",
    "database",
    "duty",
    "erased_id_key",
    "fanout_policy",
    "forgotten_sign_out",
    "held",
    "housekeeper",
    "import_job",
    "lane",
    "load",
    "migration",
    "rebuild",
    "serving",
    "shard",
    "uid_policy",
];

/// Columns that may be compared after a row was found by its key: an id has its gene in it, and the others have few values.
const FEW_VALUES: &[&str] = &["gene", "kind", "change", "peer"];

/// A step of a plan.
struct Step {
    /// Spaces before it.
    depth: usize,
    /// What it is, such as `Index Scan using follow_pkey on follow t`.
    text: String,
    /// Its conditions, each with its name.
    conditions: Vec<(String, String)>,
}

impl Step {
    /// The table that it reads, if it grows.
    fn table(&self) -> Option<&str> {
        let (step, table) = self.text.split_once(" on ")?;
        let reads = ["Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Tid Scan"];
        let table = table.split(' ').next().filter(|_| reads.iter().any(|read| step.starts_with(read)))?;
        (!FEW_ROWS.contains(&table)).then_some(table)
    }

    fn condition(&self, name: &str) -> Option<&str> {
        let mut all = self.conditions.iter();
        all.find(|(found, _)| found == name).map(|(_, condition)| condition.as_str())
    }

    /// The index that it reads, if its table grows.
    fn index(&self) -> Option<&str> {
        let bitmap = self.text.strip_prefix("Bitmap Index Scan on ");
        let scan = || self.text.split_once(" using ").map(|(_, rest)| rest);
        let index = bitmap.or_else(scan)?.split(' ').next()?;
        let is_of_few = |table: &&str| index.strip_prefix(*table).is_some_and(|rest| rest.starts_with('_'));
        (!FEW_ROWS.iter().any(is_of_few)).then_some(index)
    }
}

/// Returns what is wrong with a plan, of a database with these indexes.
pub(super) fn problems(lines: &[String], indexes: &HashMap<String, Vec<String>>) -> Vec<String> {
    let steps = steps(lines);
    let mut problems = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let mut wrong = |what: &str| problems.push(format!("{what}: {} {:?}", step.text, step.conditions));
        let is_index = step.text.starts_with("Index ");
        if step.text.starts_with("Seq Scan") && step.table().is_some() {
            wrong("reads all of a table");
        }
        let joins_all = step.condition("Join Filter").is_some_and(|filter| filter.contains(" = "))
            || ["Hash", "Merge"].iter().any(|way| step.text.starts_with(way) && step.text.contains("Join"));
        let mut inner = steps[place + 1..].iter().take_while(|inner| inner.depth > step.depth);
        if joins_all && inner.find_map(Step::table).is_some() {
            wrong("joins all of a table");
        }
        let found = step.condition("Index Cond");
        let grows = step.table().is_some();
        if is_index && grows && found.is_none() && !is_limited(&steps, place) {
            wrong("reads all of an index");
        }
        let columns = step.index().and_then(|index| indexes.get(index));
        if let (Some(columns), Some(found)) = (columns, found) {
            let by = conditions_by(columns, found);
            if by == IndexUse::Passes || by == IndexUse::Gene && !is_limited(&steps, place) {
                wrong("passes entries of an index over");
            }
        }
        if is_index && grows && step.condition("Filter").is_some_and(compares_keys) {
            wrong("passes rows over");
        }
    }
    problems
}

fn steps(lines: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in lines {
        let depth = line.len() - line.trim_start().len();
        let text = line.trim_start().trim_start_matches("->").trim_start();
        if let Some((text, _)) = text.split_once("  (cost=") {
            steps.push(Step { depth, text: text.to_owned(), conditions: Vec::new() });
        } else if let (Some(step), Some((name, condition))) = (steps.last_mut(), text.split_once(": ")) {
            step.conditions.push((name.to_owned(), condition.to_owned()));
        }
    }
    steps
}

/// Returns whether a step gives no more rows than a limit above it asks for: nothing between sorts or counts them first.
fn is_limited(steps: &[Step], place: usize) -> bool {
    let mut depth = steps[place].depth;
    for step in steps[..place].iter().rev().filter(|step| step.depth < steps[place].depth) {
        if step.depth >= depth {
            continue;
        }
        depth = step.depth;
        if step.text.starts_with("Limit") {
            return true;
        }
        if ["Sort", "Incremental Sort", "Aggregate", "HashAggregate"]
            .iter()
            .any(|all| step.text.starts_with(all))
        {
            return false;
        }
    }
    false
}

/// How an index is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IndexUse {
    /// Entries that are not asked for are passed over, each of which costs as much as one that is.
    Passes,
    /// For all entries of a gene.
    Gene,
    /// From the first entry that is asked for to the last one.
    Span,
}

/// Returns how a condition uses the columns of an index: from the first one on each has to be equal to something, but for the last
/// one. That of the gene may stand anywhere: an id has its gene in it.
fn conditions_by(columns: &[String], condition: &str) -> IndexUse {
    let parts: Vec<&str> = condition.split(" AND ").map(|part| part.trim_start_matches('(')).collect();
    let named = |part: &str, column: &str| {
        let rest = part.trim_start_matches("ROW(").strip_prefix(column);
        rest.is_some_and(|rest| rest.starts_with([' ', ',']))
    };
    let (mut used, mut ids, mut is_open) = (0, 0, false);
    for column in columns {
        let found: Vec<&str> = parts.iter().copied().filter(|part| named(part, column)).collect();
        used += found.len();
        if column == "gene" {
            continue;
        }
        if is_open && !found.is_empty() {
            return IndexUse::Passes;
        }
        ids += found.len();
        is_open |= !found.iter().any(|part| part.contains(" = "));
    }
    match (used == parts.len(), ids) {
        (false, _) => IndexUse::Passes,
        (true, 0) => IndexUse::Gene,
        (true, _) => IndexUse::Span,
    }
}

/// Returns whether rows that were found are passed over by their ids.
fn compares_keys(filter: &str) -> bool {
    filter.split(" AND ").flat_map(|part| part.split(" OR ")).any(|part| {
        let part = part.trim_matches(['(', ')']);
        let Some((left, right)) = part.split_once(" = ") else { return false };
        let is_few = |side: &str| FEW_VALUES.contains(&side.rsplit('.').next().unwrap_or_default());
        !is_few(left) && !is_few(right)
    })
}
