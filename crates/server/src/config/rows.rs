//! The code that a row of the table of settings makes.

use super::uids::Uids;
use super::words::{Carried, Durability, JwtSubject, WhoRegisters};
use crate::telemetry::LogFormat;
use std::path::PathBuf;
use toml::Value;

/// What the value of a setting without a default is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Optional {
    /// A text.
    Text,
    /// A whole number.
    Number,
}

/// A type that a setting has.
pub(super) trait Setting {
    /// What its value is, if it may have none.
    const OPTIONAL: Option<Optional> = None;

    /// Returns whether it has no value.
    fn is_unset(&self) -> bool {
        false
    }

    /// Its number, if it has one.
    fn number(&self) -> Option<u64> {
        None
    }
}

/// Writes the code that a program needs for each setting: a field of `Settings` with its default, a flag, the bounds of its
/// number, and the text that is shown instead of its value.
macro_rules! settings {
    ($(
        #[doc = $doc:literal]
        $name:ident: $type:ty = $default:expr
        $(, flag($flag:ty, $value:literal $(, $($arg:tt)+)?))?
        $(, within($range:expr))?
        $(, shown($shown:literal))?;
    )+) => {
        /// All settings. Each field is a key of the file, `GUANXI_` and its name in capitals in the environment, and a
        /// flag of `serve` with dashes.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Settings {
            $(
                #[doc = $doc]
                #[serde(skip_serializing_if = "Setting::is_unset")]
                pub $name: $type,
            )+
        }

        /// The settings as flags. A flag that is not given leaves the file and the environment alone.
        #[derive(Clone, Debug, Default, Args, Serialize)]
        #[command(next_help_heading = "Settings")]
        pub struct SettingFlags {
            $($(
                #[doc = $doc]
                #[arg(long, value_name = $value, help = told(DEFAULT_VALUES.get(stringify!($name)), $doc) $(, $($arg)+)?)]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<$flag>,
            )?)+
        }

        static DEFAULTS: LazyLock<Settings> = LazyLock::new(|| Settings { $($name: $default,)+ });

        static DEFAULT_VALUES: LazyLock<Table> = LazyLock::new(|| {
            Table::try_from(&*DEFAULTS).expect("settings are numbers, words and booleans")
        });

        impl Default for Settings {
            fn default() -> Self {
                DEFAULTS.clone()
            }
        }

        /// All keys, with what the values of those without a default are.
        pub(super) const KEYS: &[(&str, Option<Optional>)] =
            &[$((stringify!($name), <$type as Setting>::OPTIONAL),)+];

        /// The keys whose values are never shown, with what is shown instead.
        pub(super) const NOT_SHOWN: &[(&str, &str)] = &[$($((stringify!($name), $shown),)?)+];

        impl Settings {
            /// The numbers that are set, with what they may be.
            pub(super) fn numbers(&self) -> impl Iterator<Item = (&'static str, u64, RangeInclusive<u64>)> {
                let numbers = [$($((stringify!($name), Setting::number(&self.$name), $range),)?)+];
                numbers.into_iter().filter_map(|(key, number, range)| Some((key, number?, range)))
            }
        }
    };
}
pub(super) use settings;

/// The help of a flag: what its setting is, and its default, if it has one that says something.
pub(super) fn told(default: Option<&Value>, doc: &str) -> String {
    let default = match default {
        Some(Value::Integer(number)) => number.to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if !items.is_empty() => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
        }
        _ => return doc.trim().to_owned(),
    };
    format!("{} [default: {default}]", doc.trim())
}

/// Types whose value is a number.
macro_rules! numbers {
    ($($type:ty)+) => {$(
        impl Setting for $type {
            fn number(&self) -> Option<u64> {
                u64::try_from(*self).ok()
            }
        }

        impl Setting for Option<$type> {
            const OPTIONAL: Option<Optional> = Some(Optional::Number);

            fn is_unset(&self) -> bool {
                self.is_none()
            }

            fn number(&self) -> Option<u64> {
                u64::try_from((*self)?).ok()
            }
        }
    )+};
}
numbers! { u32 u64 usize }

/// Types whose value is a word.
macro_rules! words {
    ($($type:ty)+) => {$(
        impl Setting for $type {}

        impl Setting for Option<$type> {
            const OPTIONAL: Option<Optional> = Some(Optional::Text);

            fn is_unset(&self) -> bool {
                self.is_none()
            }
        }
    )+};
}
words! { String PathBuf Carried Durability JwtSubject LogFormat Uids WhoRegisters }

impl Setting for bool {}

impl<T> Setting for Vec<T> {}
