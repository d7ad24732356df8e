//! Lays file, environment and flags over the defaults, and remembers where each value comes from.

use super::jwt::check_jwt;
use super::rows::Optional;
use super::table::{KEYS, NOT_SHOWN, Settings};
use super::transport::check_transport;
use crate::failure::{Failure, Outcome};
use crate::nearest::nearest;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use toml::{Table, Value};

/// The beginning of this program's environment variables.
const PREFIX: &str = "GUANXI_";

/// The name of a word in quotes.
const TEXT: &str = "a text in quotes";

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// No layer set it.
    Default,
    /// The configuration file.
    File(String),
    /// An environment variable.
    Env(String),
    /// A flag.
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Env(name) => write!(f, "env {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// The settings that hold, and where each comes from.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The values.
    pub settings: Settings,
    /// The source of each key that has a value.
    pub sources: BTreeMap<String, Source>,
}

/// Loads a file, if there is one, then the environment, then flags (anything that serializes to keys).
///
/// # Errors
/// Unknown keys, values of a wrong kind and values out of range, each with its source.
pub fn load(
    file: Option<&Path>,
    env: impl Iterator<Item = (String, String)>,
    flags: &impl Serialize,
) -> Outcome<Effective> {
    let mut layers = Layers::new();
    if let Some(path) = file {
        let (name, table) = read(path)?;
        layers.set_table(&name, table)?;
    }
    for (name, text) in env {
        layers.set_env(&name, &text)?;
    }
    let flags: BTreeMap<String, serde_json::Value> = serde_json::to_value(flags)
        .and_then(serde_json::from_value)
        .expect("flags are numbers, words and booleans");
    for (key, value) in flags {
        let source = Source::Flag(format!("--{}", key.replace('_', "-")));
        // Numbers of a file have a sign, so that the highest of a flag are none of them.
        let value = Value::try_from(value)
            .map_err(|_| Failure::usage(format_args!("{source}: `{key}` must be at most {}", i64::MAX)))?;
        layers.set(&key, value, source)?;
    }
    layers.finish()
}

/// Returns all complaints about a file and the environment, of which [`load`] returns the first.
pub fn complaints(file: Option<&Path>, env: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut layers = Layers::new();
    let mut failed = Vec::new();
    if let Some(path) = file {
        match read(path) {
            Err(failure) => failed.push(failure),
            Ok((name, table)) => {
                let set =
                    table.into_iter().map(|(key, value)| layers.set(&key, value, Source::File(name.clone())));
                failed.extend(set.filter_map(Outcome::err));
            }
        }
    }
    failed.extend(env.filter_map(|(name, text)| layers.set_env(&name, &text).err()));
    // Values that do not go with each other are looked at once each is one by itself.
    if failed.is_empty() {
        failed.extend(layers.finish().err());
    }
    failed.iter().map(ToString::to_string).collect()
}

/// Reads a configuration file; returns its name and what it says.
fn read(path: &Path) -> Outcome<(String, Table)> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format_args!("cannot read the configuration {name}: {error}")))?;
    let table = parse(&name, &text)?;
    Ok((name, table))
}

/// Reads the text of a configuration file.
fn parse(name: &str, text: &str) -> Outcome<Table> {
    // The whole text of the error repeats its line, which may have a password.
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.as_bytes().get(..span.start)).unwrap_or_default();
        let line = before.split(|byte| *byte == b'\n').count();
        let problem = error.message();
        Failure::usage(format_args!("{name} is not a configuration: {problem}, at line {line}"))
    })
}

/// All keys.
fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key)
}

struct Layers {
    values: Table,
    defaults: Table,
    sources: BTreeMap<String, Source>,
}

impl Layers {
    fn new() -> Self {
        let defaults =
            Table::try_from(Settings::default()).expect("settings are numbers, words and booleans");
        let sources = defaults.keys().map(|key| (key.clone(), Source::Default)).collect();
        Self { values: defaults.clone(), defaults, sources }
    }

    /// A value of the kind that a key has.
    fn example(&self, key: &str) -> Value {
        let without_default = || match KEYS.iter().find(|(known, _)| *known == key) {
            Some((_, Some(Optional::Number))) => Value::Integer(0),
            _ => Value::String(String::new()),
        };
        self.defaults.get(key).cloned().unwrap_or_else(without_default)
    }

    /// Returns in words the value that a key must have.
    fn wanted(&self, key: &str) -> &'static str {
        kind(&self.example(key))
    }

    fn set(&mut self, key: &str, value: Value, source: Source) -> Outcome {
        if !keys().any(|known| known == key) {
            let hint = nearest(key, keys()).map(|near| format!("; did you mean `{near}`?"));
            let known = keys().collect::<Vec<_>>().join(", ");
            let hint = hint.unwrap_or_else(|| format!("; the keys are {known}"));
            return Err(Failure::usage(format_args!("{source}: no such key `{key}`{hint}")));
        }
        let wanted = self.wanted(key);
        let found = kind(&value);
        if found != wanted {
            return Err(Failure::usage(format_args!("{source}: `{key}` must be {wanted}, not {found}")));
        }
        self.values.insert(key.to_owned(), value);
        self.sources.insert(key.to_owned(), source);
        Ok(())
    }

    fn set_table(&mut self, name: &str, table: Table) -> Outcome {
        for (key, value) in table {
            self.set(&key, value, Source::File(name.to_owned()))?;
        }
        Ok(())
    }

    /// Other variables that begin with our prefix are common (service links of a container platform), so only
    /// those that look like a mistyped key are refused.
    fn set_env(&mut self, name: &str, text: &str) -> Outcome {
        let Some(rest) = name.strip_prefix(PREFIX) else { return Ok(()) };
        let key = rest.to_ascii_lowercase();
        if !keys().any(|known| known == key) {
            return nearest(&key, keys()).map_or(Ok(()), |near| {
                let meant = format!("{PREFIX}{}", near.to_ascii_uppercase());
                Err(Failure::usage(format_args!("env {name}: no such key; did you mean {meant}?")))
            });
        }
        let value = match self.example(&key) {
            Value::Integer(_) => text.parse().map(Value::Integer).ok(),
            Value::Boolean(_) => text.parse().map(Value::Boolean).ok(),
            Value::Array(_) => Some(Value::Array(words(text))),
            _ => Some(Value::String(text.to_owned())),
        };
        let value = value.ok_or_else(|| {
            Failure::usage(format_args!("env {name}: must be {}, not {text:?}", self.wanted(&key)))
        })?;
        self.set(&key, value, Source::Env(name.to_owned()))
    }

    fn finish(self) -> Outcome<Effective> {
        let source_of = |key: &str| self.sources.get(key).unwrap_or(&Source::Default).clone();
        let mut settings = Settings::default();
        for (key, value) in &self.values {
            // One key at a time, so that a bad word is told with its source.
            let mut one = Table::try_from(&settings).expect("settings are numbers, words and booleans");
            one.insert(key.clone(), value.clone());
            settings = one.try_into().map_err(|error: toml::de::Error| {
                Failure::usage(format_args!("{}: `{key}`: {}", source_of(key), error.message()))
            })?;
        }
        let checked = settings.check().and_then(|()| check_transport(&settings));
        checked.and_then(|()| check_jwt(&settings)).map_err(|(key, problem)| {
            Failure::usage(format_args!("{}: `{key}` {problem}", source_of(key)))
        })?;
        Ok(Effective { settings, sources: self.sources })
    }
}

/// Returns the kind of a value, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "a whole number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) => "a list",
        Value::String(_) => TEXT,
        Value::Float(_) | Value::Datetime(_) | Value::Table(_) => "something else",
    }
}

/// The words of a list, separated by commas.
fn words(text: &str) -> Vec<Value> {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| Value::String(word.to_owned())).collect()
}

impl Effective {
    /// Each key with its value and source, secrets redacted, in the order of the keys.
    pub fn shown(&self) -> Vec<(String, Value, String)> {
        let values = Table::try_from(&self.settings).expect("settings are numbers, words and booleans");
        let mut shown = Vec::with_capacity(values.len());
        for (key, value) in values {
            let is_empty = value.as_array().is_some_and(Vec::is_empty);
            let instead = NOT_SHOWN.iter().find(|(hidden, _)| *hidden == key && !is_empty);
            let value = instead.map_or(value, |(_, shown)| Value::String((*shown).to_owned()));
            let source = self.sources.get(&key).unwrap_or(&Source::Default).to_string();
            shown.push((key, value, source));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingFlags;

    type Env = &'static [(&'static str, &'static str)];

    fn load_all(file: &str, env: &[(&str, &str)], flags: &SettingFlags) -> Result<Effective, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("guanxi.toml");
        std::fs::write(&path, file).unwrap();
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        load(Some(&path), env, flags).map_err(|failure| failure.to_string())
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_the_file() {
        let file = "follow_limit = 10\nmemtable_mib = 8\nlisten = '127.0.0.1:1'";
        let env = [("GUANXI_FOLLOW_LIMIT", "20"), ("GUANXI_LISTEN", "127.0.0.1:2"), ("HOME", "/")];
        let flags = SettingFlags { listen: Some("127.0.0.1:3".into()), ..SettingFlags::default() };
        let effective = load_all(file, &env, &flags).unwrap();
        assert_eq!(effective.settings.memtable_mib, 8);
        assert_eq!(effective.settings.follow_limit, 20);
        assert_eq!(effective.settings.listen, "127.0.0.1:3");
        assert_eq!(effective.settings.journal_mib, 64);
        let source = |key: &str| effective.sources[key].to_string();
        assert!(source("memtable_mib").starts_with("file "));
        assert_eq!(source("follow_limit"), "env GUANXI_FOLLOW_LIMIT");
        assert_eq!(source("listen"), "flag --listen");
        assert_eq!(source("journal_mib"), "default");
    }

    #[test]
    fn mistakes_name_their_source_and_what_was_meant() {
        let none = SettingFlags::default();
        let cases: [(&str, Env, &str); 10] = [
            ("lissen = 'x'", &[], "no such key `lissen`; did you mean `listen`?"),
            ("colour = 'x'", &[], "the keys are "),
            ("follow_limit = 'x'", &[], "`follow_limit` must be a whole number, not a text in quotes"),
            ("follow_limit = 0", &[], "`follow_limit` must be between 1 and 60000"),
            ("durability = 'never'", &[], "`durability`: unknown variant `never`"),
            ("listen = 'nowhere'", &[], "`listen` must be ADDRESS:PORT"),
            ("", &[("GUANXI_LISTN", "x")], "did you mean GUANXI_LISTEN?"),
            ("", &[("GUANXI_NO_AUTH", "maybe")], "env GUANXI_NO_AUTH: must be true or false"),
            ("deleted_posts_days = '7'", &[], "`deleted_posts_days` must be a whole number, not a text"),
            ("", &[("GUANXI_REMOVED_FOLLOWS_DAYS", "x")], "must be a whole number, not \"x\""),
        ];
        for (file, env, expected) in cases {
            let failure = load_all(file, env, &none).unwrap_err();
            assert!(failure.contains(expected), "{failure}");
        }
        assert!(load_all("", &[("GUANXI_SERVICE_HOST", "10.0.0.1")], &none).is_ok());
    }

    #[test]
    fn every_number_from_every_source_is_taken_as_it_is_or_refused_by_name() {
        let numbers = [0, 1, 1 << 31, 1 << 32, 1 << 44, i64::MAX as u64, 1 << 63, u64::MAX];
        let integers = Table::try_from(Settings::default()).unwrap();
        let integers = integers.into_iter().filter(|(_, value)| value.is_integer());
        let keys: Vec<String> = integers.map(|(key, _)| key).collect();
        assert!(keys.len() > 10, "{keys:?}");
        let none = SettingFlags::default();
        for (key, number) in keys.iter().flat_map(|key| numbers.map(|number| (key, number))) {
            let flag = BTreeMap::from([(key.clone(), number)]);
            let name = format!("GUANXI_{}", key.to_ascii_uppercase());
            let number = number.to_string();
            let loaded = [
                load_all(&format!("{key} = {number}"), &[], &none),
                load_all("", &[(&name, &number)], &none),
                load(None, std::iter::empty(), &flag).map_err(|failure| failure.to_string()),
            ];
            for loaded in loaded {
                match loaded {
                    Ok(effective) => {
                        let shown = effective.shown();
                        let (_, value, _) = shown.iter().find(|(shown, ..)| shown == key).unwrap();
                        assert_eq!(value.to_string(), number, "{key}");
                        crate::store::options(&effective.settings).unwrap();
                    }
                    Err(failure) if number.parse::<i64>().is_err() => {
                        let named = failure.contains(key.as_str()) || failure.contains(&name);
                        assert!(named || failure.contains("too large"), "{failure}");
                    }
                    Err(failure) => assert!(failure.contains(&format!("`{key}`")), "{failure}"),
                }
            }
        }
    }

    #[test]
    fn all_complaints_are_returned_and_not_the_first_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("guanxi.toml");
        std::fs::write(&path, "lissten = 'a'\nfollow_limit = 'many'\nmemtable_mib = 8\n").unwrap();
        let env = [("GUANXI_FOLOW_LIMIT", "1"), ("GUANXI_PORT", "tcp://10.0.0.1:1")];
        let env = || env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let said = complaints(Some(&path), env());
        assert_eq!(said.len(), 3, "{said:?}");
        for wanted in
            ["did you mean `listen`?", "must be a whole number", "did you mean GUANXI_FOLLOW_LIMIT?"]
        {
            assert!(said.iter().any(|one| one.contains(wanted)), "{wanted}: {said:?}");
        }
        std::fs::write(&path, "no_auth = true\nlisten = '0.0.0.0:1'\n").unwrap();
        let said = complaints(Some(&path), std::iter::empty());
        assert!(said.len() == 1 && said[0].contains("others can reach"), "{said:?}");
        std::fs::write(&path, "no toml").unwrap();
        assert!(complaints(Some(&path), std::iter::empty())[0].contains("is not a configuration"));
        assert_eq!(complaints(None, std::iter::empty()), Vec::<String>::new());
    }

    #[test]
    fn without_authentication_only_loopback_is_allowed() {
        let flags = SettingFlags {
            no_auth: Some(true),
            listen: Some("0.0.0.0:7420".into()),
            ..SettingFlags::default()
        };
        let failure = load_all("", &[], &flags).unwrap_err();
        assert!(failure.contains("others can reach"), "{failure}");
    }

    #[test]
    fn secrets_are_not_shown() {
        let effective = load_all("token = 'hunter2'", &[], &SettingFlags::default()).unwrap();
        assert_eq!(effective.settings.token.as_deref(), Some("hunter2"));
        assert!(!format!("{:?}", effective.shown()).contains("hunter2"));
    }

    #[test]
    fn files_and_variables_are_refused_by_name_or_hold_as_settings() {
        let seeds: [&[u8]; 4] = [
            b"follow_limit = 10\nmemtable_mib = 8\nlisten = '127.0.0.1:1'\n",
            b"durability = \"group\"\ntrusted_proxies = ['10.0.0.0/8', 'fd00::/8']\n",
            b"jwt_issuer = 'https://issuer.example'\njwt_audience = 'guanxi'\n[table]\n",
            b"=GUANXI_FOLLOW_LIMIT=20",
        ];
        guanxi_fuzz::fuzz("settings", &seeds, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let mut layers = Layers::new();
            let set = match text.strip_prefix('=').and_then(|pair| pair.split_once('=')) {
                Some((name, value)) => layers.set_env(name, value),
                None => parse("guanxi.toml", &text).and_then(|table| layers.set_table("guanxi.toml", table)),
            };
            let failure = match set.and_then(|()| layers.finish()) {
                Ok(effective) => {
                    // What holds is shown, and is taken again as it is shown.
                    let shown = toml::to_string(&effective.settings)
                        .expect("settings are numbers, words and booleans");
                    let mut again = Layers::new();
                    let table = parse("again", &shown).expect("it held before");
                    again.set_table("again", table).and_then(|()| again.finish()).expect("it held before");
                    return guanxi_fuzz::came_to(
                        effective
                            .sources
                            .keys()
                            .map(|key| (key, effective.sources[key] == Source::Default))
                            .collect::<Vec<_>>(),
                    );
                }
                Err(failure) => failure.to_string(),
            };
            assert!(failure.len() <= bytes.len() * 8 + 8_192, "{failure}");
            guanxi_fuzz::came_to(
                failure.chars().filter(char::is_ascii_alphabetic).take(60).collect::<String>(),
            )
        });
    }
}
