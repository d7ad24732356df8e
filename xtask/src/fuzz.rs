//! `cargo xtask fuzz`: the targets of the tests, for as long as one likes.

use std::process::{Command, Stdio};

use crate::steps::{Steps, cargo, output};

/// How long each target runs unless it is said.
const SECONDS_DEFAULT: u64 = 60;

/// A target: its name, which is that of its corpus in `tests-data/fuzz`, its package without `guanxi-`, and its test.
type Target = (&'static str, &'static str, &'static str);

const TARGETS: &[Target] = &[
    ("tokens", "model", "fuzz::tokens_are_read_or_refused_and_what_is_read_is_written_the_same"),
    ("login_names", "texts", "fuzz::login_names_are_refused_or_come_to_a_form_that_stays"),
    ("contacts", "texts", "fuzz::contacts_are_refused_or_come_to_a_form_that_stays"),
    ("queries", "text", "fuzz::queries_are_refused_where_they_are_wrong_or_have_bounded_parts"),
    ("highlights", "text", "fuzz::highlights_lie_within_the_text_and_tokens_are_bounded"),
    ("name_queries", "text", "fuzz::keys_find_the_names_that_match"),
    ("names", "text", "fuzz::names_have_bounded_keys_and_find_themselves"),
    ("requests", "proto", "fuzz::requests_are_read_or_refused_and_what_is_read_is_written_the_same"),
    ("password_hashes", "centers", "user::passwords::fuzz::hashes_are_refused_or_cost_a_bounded_amount"),
    (
        "session_secrets",
        "centers",
        "user::sessions::secrets::tests::texts_are_no_secrets_or_lead_to_the_session_that_they_name",
    ),
    ("row_values", "rows", "layout::tests::fuzz::values_are_refused_or_written_as_what_is_read_the_same"),
    ("row_keys", "rows", "layout::tests::fuzz::keys_are_refused_or_written_as_what_is_read_the_same"),
    ("backups", "rows", "fuzz::backups_are_refused_or_read_to_their_end"),
    ("jwt", "rim", "jwt::fuzz::tokens_are_refused_or_signed_and_right"),
    ("uid_places", "api", "external_ids::places::tests::places_of_anything_are_strings_in_order"),
    ("actor", "api", "external_ids::actor::tests::json_stays_json"),
    ("der", "rim", "jwt::fuzz::public_keys_are_refused_or_parts_of_what_was_read"),
    ("jwks", "rim", "jwt::fuzz::documents_of_keys_are_refused_or_hold_keys"),
    ("headers", "rim", "jwt::fuzz::headers_of_everybody_are_ignored_or_read_the_same_again"),
    ("lines", "lists", "fuzz::lines_are_refused_or_rows_that_are_written_as_lines_of_the_same"),
    (
        "settings",
        "server",
        "config::layers::tests::files_and_variables_are_refused_by_name_or_hold_as_settings",
    ),
];

/// Runs all targets, or one, each for so many seconds, from dice of its own. With `--keep` what led to something new is
/// written into the corpora.
///
/// # Errors
/// Names the targets that failed; the input is in the output.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let (mut seconds, mut seed, mut keep, mut only) = (SECONDS_DEFAULT, None, false, None);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let mut number = || {
            let number = options.next().and_then(|number| number.parse().ok());
            number.ok_or_else(|| format!("{option} wants a number"))
        };
        match *option {
            "--seconds" => seconds = number()?,
            "--seed" => seed = Some(number()?),
            "--keep" => keep = true,
            name => only = Some(TARGETS.iter().find(|target| target.0 == name).ok_or_else(|| unknown(name))?),
        }
    }
    // Another one for each run.
    let seed = seed.unwrap_or_else(|| u64::from(std::process::id()));
    let mut steps = Steps::default();
    for target in only.map_or(TARGETS, std::slice::from_ref) {
        let name = format!("fuzz {} --seed {seed}", target.0);
        steps.run(&name, || run_one(target, seconds, seed, keep));
    }
    steps.finish()
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.0).collect();
    format!("no such target: {name}; the targets are {}", names.join(", "))
}

fn run_one((_, package, test): &Target, seconds: u64, seed: u64, keep: bool) -> Result<(), String> {
    let kind: &[&str] = match *package {
        // Its library is built without tests.
        "proto" => &["--test", "it"],
        _ => &["--lib"],
    };
    let package = format!("guanxi-{package}");
    let mut command: Command = cargo(&["test", "--quiet", "--package", &package]);
    command.args(kind).args(["--", "--exact", test, "--nocapture"]).stderr(Stdio::inherit());
    // The variables that `guanxi-fuzz` reads.
    command.env("GUANXI_FUZZ_SECONDS", seconds.to_string()).env("GUANXI_FUZZ_SEED", seed.to_string());
    if keep {
        command.env("GUANXI_FUZZ_KEEP", "1");
    }
    let said = output(&mut command)?;
    if said.contains(" 1 passed") { Ok(()) } else { Err(format!("{package} has no test {test}:\n{said}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::root;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Adds what files below a folder call `fuzz` with.
    fn called(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                called(&path, names);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                // The name is the first argument, on the same line or the next.
                let calls = ["fuzz(", "run("].into_iter().flat_map(|call| text.split(call).skip(1));
                names.extend(
                    calls
                        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
                        .map(str::to_owned),
                );
            }
        }
    }

    #[test]
    fn every_target_has_a_row_here_and_a_corpus() {
        let rows: BTreeSet<String> = TARGETS.iter().map(|target| target.0.to_owned()).collect();
        let mut in_code = BTreeSet::new();
        called(&root().join("crates"), &mut in_code);
        let missing: Vec<&String> = rows.difference(&in_code).collect();
        assert!(missing.is_empty(), "no test runs {missing:?}");
        let corpora = std::fs::read_dir(root().join("tests-data/fuzz")).unwrap();
        let corpora = corpora.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(corpora.map(|name| name.replace(".txt", "")).collect::<BTreeSet<_>>(), rows);
    }
}
