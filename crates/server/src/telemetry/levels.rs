//! The levels to log, read strictly: `info`, or `info,guanxi_rim=debug`.
//!
//! The parser of the logging library takes any word that is no level for a target, so that `inof` would turn every log
//! off.

use crate::nearest::nearest;
use std::str::FromStr as _;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// The levels, from the fewest lines to the most.
const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// The crates of this workspace that are in the binary. Libraries choose the names under which they log.
const OURS: &str = "guanxi guanxi_api guanxi_centers guanxi_cluster guanxi_console guanxi_rows guanxi_embedded guanxi_lists \
                    guanxi_load guanxi_model guanxi_ports guanxi_proto guanxi_rim guanxi_search guanxi_server \
                    guanxi_text guanxi_texts";

/// Reads what is to be logged. Where only targets are named, everything else logs its errors.
///
/// # Errors
/// The word that is none, and what was meant.
pub(super) fn parse(text: &str) -> Result<Targets, String> {
    let directives = text.split(',').map(str::trim).filter(|directive| !directive.is_empty());
    let mut targets = None;
    for directive in directives {
        let so_far: Targets = targets.unwrap_or_default();
        targets = Some(match directive.split_once('=') {
            None => so_far.with_default(level(directive)?),
            Some((target, word)) => so_far.with_target(self::target(target.trim())?, level(word.trim())?),
        });
    }
    let targets = targets.ok_or_else(|| format!("must be {}, and is empty", wanted()))?;
    Ok(match targets.default_level() {
        Some(_) => targets,
        None => targets.with_default(LevelFilter::ERROR),
    })
}

fn level(word: &str) -> Result<LevelFilter, String> {
    let lower = word.to_ascii_lowercase();
    if LEVELS.contains(&lower.as_str()) {
        return Ok(LevelFilter::from_str(&lower).expect("these are the words of the library"));
    }
    if is_ours(word) {
        return Err(format!("names the target `{word}` without a level; say `{word}=debug`"));
    }
    let hint = match nearest(&lower, LEVELS.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it must be {}", wanted()),
    };
    Err(format!("has no level `{word}`; {hint}"))
}

/// A target: a crate or module, by its path.
fn target(path: &str) -> Result<&str, String> {
    let known = || OURS.split(' ');
    let first = path.split("::").next().unwrap_or_default();
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if is_ours(first) || (is_word(first) && !first.starts_with("guanxi") && nearest(first, known()).is_none())
    {
        return if path.split("::").all(is_word) {
            Ok(path)
        } else {
            Err(format!("has no target `{path}`; a target is a crate or module, such as `guanxi_api::feed`"))
        };
    }
    let hint = match nearest(first, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("ours are {}", OURS.replace(' ', ", ")),
    };
    Err(format!("has no target `{path}`; {hint}"))
}

fn is_ours(word: &str) -> bool {
    OURS.split(' ').any(|ours| ours == word)
}

fn wanted() -> String {
    format!("{}, or like `info,guanxi_rim=debug`", LEVELS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::filter::LevelFilter as L;

    /// A text, the targets in it, and the level of all else.
    type Case = (&'static str, &'static [(&'static str, L)], Option<L>);

    #[test]
    fn levels_and_targets_are_read() {
        let cases: &[Case] = &[
            ("info", &[], Some(L::INFO)),
            ("WARN", &[], Some(L::WARN)),
            ("off", &[], Some(L::OFF)),
            ("info, guanxi_api=debug", &[("guanxi_api", L::DEBUG)], Some(L::INFO)),
            (
                "guanxi_api::feed=trace,h2=off",
                &[("guanxi_api::feed", L::TRACE), ("h2", L::OFF)],
                Some(L::ERROR),
            ),
        ];
        for (text, targets, default) in cases {
            let read = parse(text).unwrap();
            let mut found: Vec<_> = read.iter().collect();
            found.sort_by_key(|(target, _)| *target);
            assert_eq!((&found[..], read.default_level()), (*targets, *default), "{text}");
        }
    }

    #[test]
    fn a_word_that_is_none_is_named_with_what_was_meant() {
        let cases = [
            ("inof", "has no level `inof`; did you mean `info`?"),
            ("warning-ish", "has no level `warning-ish`; it must be off, error, warn, info"),
            ("info,debugg", "has no level `debugg`; did you mean `debug`?"),
            ("guanxi_api=loud", "has no level `loud`; it must be off"),
            ("guanxi_api=", "has no level ``"),
            ("guanxi_api", "names the target `guanxi_api` without a level; say `guanxi_api=debug`"),
            ("guanxi_apl=debug", "has no target `guanxi_apl`; did you mean `guanxi_api`?"),
            ("guanix=debug", "has no target `guanix`; did you mean `guanxi`?"),
            ("guanxi_storage=debug", "has no target `guanxi_storage`; ours are guanxi, guanxi_api"),
            ("guanxi_api:feed=debug", "has no target `guanxi_api:feed`"),
            ("[span]=debug", "has no target `[span]`"),
            ("=debug", "has no target ``"),
            ("", "and is empty"),
            (" , ", "and is empty"),
        ];
        for (text, expected) in cases {
            let said = parse(text).unwrap_err();
            assert!(said.contains(expected), "{text:?}: {said}");
        }
    }

    #[test]
    fn our_crates_are_those_of_the_workspace() {
        let manifests = [include_str!("../../Cargo.toml"), include_str!("../../../guanxi/Cargo.toml")];
        for manifest in manifests {
            let (normal, _) = manifest.split_once("[dev-dependencies]").unwrap();
            let named = normal.lines().filter_map(|line| line.strip_suffix(".workspace = true"));
            for name in named.filter(|name| name.starts_with("guanxi-")) {
                assert!(is_ours(&name.replace('-', "_")), "{name} is missing from the list");
            }
        }
    }
}
