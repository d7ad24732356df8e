//! What makes an enum of the table of reasons.

use std::fmt;

/// Something that comes along with a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A name of the API, one of [`FIELDS`].
    Name(&'static str),
    /// A number.
    Number(u64),
    /// A text that an operator wrote for the caller that is refused.
    Text(String),
}

/// What a [`Value`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A [`Value::Name`].
    Name,
    /// A [`Value::Number`].
    Number,
    /// A [`Value::Text`].
    Text,
}

impl Value {
    /// Returns the value in text, if it is one of its kind. A name that is not among [`FIELDS`] becomes empty: a
    /// reason holds a name of the program's own, never one from elsewhere.
    pub fn parse(kind: ValueKind, text: &str) -> Option<Self> {
        match kind {
            ValueKind::Name => {
                Some(Self::Name(FIELDS.iter().find(|known| **known == text).copied().unwrap_or("")))
            }
            ValueKind::Number => text.parse().ok().map(Self::Number),
            ValueKind::Text => Some(Self::Text(text.to_owned())),
        }
    }

    /// Returns the value of something that is not told.
    pub const fn untold(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Name => Self::Name(""),
            ValueKind::Number => Self::Number(0),
            ValueKind::Text => Self::Text(String::new()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The type of a reason's field.
pub(super) trait Field: Sized {
    const KIND: ValueKind;
    fn value(&self) -> Value;
    fn of(value: Value) -> Option<Self>;
}

impl Field for &'static str {
    const KIND: ValueKind = ValueKind::Name;

    fn value(&self) -> Value {
        Value::Name(self)
    }

    fn of(value: Value) -> Option<Self> {
        if let Value::Name(name) = value { Some(name) } else { None }
    }
}

impl Field for String {
    const KIND: ValueKind = ValueKind::Text;

    fn value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn of(value: Value) -> Option<Self> {
        if let Value::Text(text) = value { Some(text) } else { None }
    }
}

impl Field for u64 {
    const KIND: ValueKind = ValueKind::Number;

    fn value(&self) -> Value {
        Value::Number(*self)
    }

    fn of(value: Value) -> Option<Self> {
        if let Value::Number(number) = value { Some(number) } else { None }
    }
}

impl Field for u32 {
    const KIND: ValueKind = ValueKind::Number;

    fn value(&self) -> Value {
        Value::Number((*self).into())
    }

    /// A number that does not fit, which only a server of another kind sends, becomes the largest.
    fn of(value: Value) -> Option<Self> {
        if let Value::Number(number) = value {
            Some(Self::try_from(number).unwrap_or(Self::MAX))
        } else {
            None
        }
    }
}

/// Makes the enum `Reason`, and what is known of each reason, of rows.
macro_rules! reasons {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $({ $( $(#[doc = $field_doc:literal])* $field:ident: $type:ty, )* })?
            = $code:ident, $stored:literal, $name:literal, $text:literal;
    )*) => {
        /// Why: machine-readable, with the numbers a caller needs to act on it.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Reason {
            $(
                $(#[doc = $doc])*
                $variant $({ $( $(#[doc = $field_doc])* $field: $type, )* })?,
            )*
        }

        impl Reason {
            /// The name and the stored byte of every reason.
            pub const ALL: &[(&str, u8)] = &[$(($name, $stored)),*];

            /// Returns the class it belongs to.
            pub const fn code(&self) -> Code {
                match self {
                    $(Self::$variant { .. } => Code::$code,)*
                }
            }

            /// Returns the name that programs match on; never changes.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)*
                }
            }

            /// Returns the byte that stands for it on disk; never changes.
            pub const fn stored(&self) -> u8 {
                match self {
                    $(Self::$variant { .. } => $stored,)*
                }
            }

            /// Returns what comes along with it, by the name of each field.
            pub fn values(&self) -> Vec<(&'static str, $crate::error::Value)> {
                match self {
                    $(Self::$variant { $($($field,)*)? } => vec![
                        $($((stringify!($field), $crate::error::table::Field::value($field)),)*)?
                    ],)*
                }
            }

            /// Returns the reason of a name; `value` tells each field, and `None` ends the attempt.
            pub fn of_name(
                name: &str,
                mut value: impl FnMut(&'static str, $crate::error::ValueKind) -> Option<$crate::error::Value>,
            ) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant {
                        $($($field: reasons!(@take value, $field, $type),)*)?
                    }),)*
                    _ => None,
                }
            }

            /// Returns the reason of a stored byte; `value` tells each field, in order, and `None` ends the attempt.
            pub fn of_stored(
                stored: u8,
                mut value: impl FnMut(&'static str, $crate::error::ValueKind) -> Option<$crate::error::Value>,
            ) -> Option<Self> {
                match stored {
                    $($stored => Some(Self::$variant {
                        $($($field: reasons!(@take value, $field, $type),)*)?
                    }),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for Reason {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant { $($($field,)*)? } => write!(f, $text)?,)*
                }
                f.write_str(self.rule())
            }
        }
    };
    (@take $value:ident, $field:ident, $type:ty) => {
        <$type as $crate::error::table::Field>::of($value(
            stringify!($field),
            <$type as $crate::error::table::Field>::KIND,
        )?)?
    };
}
pub(super) use reasons;

/// Makes the list of names.
macro_rules! fields {
    ($($name:literal)*) => {
        /// Names of fields, and of what is wrong with tokens, that reasons carry.
        pub const FIELDS: &[&str] = &[$($name),*];
    };
}

fields! {
    // Of any write.
    "request_id"
    // Of relations, and of lists of any kind.
    "subject" "object" "objects" "sender" "receiver" "message" "ttl" "duration" "seen_time" "since_time"
    "unix_ms" "pairs" "kinds" "kind" "order" "limit" "offset" "page_size" "page_token" "sample" "scan_max"
    // Of users.
    "uid" "uids" "user" "viewer" "viewers" "end_user" "target" "interactions" "count" "time"
    // Of users, by their own fields.
    "login_name" "phone" "email" "external_id" "external_ids" "privacy" "discoverable" "status" "sex"
    "nickname" "birth_year" "bio" "avatar" "attributes"
    // Of posts and groups.
    "author" "authors" "original_author" "post_id" "post_ids" "posts" "text" "attachments.kind"
    "attachments.reference" "visibility" "visibilities" "reply_to" "repost_of" "group_id" "update_mask"
    "filter" "view"
    // Of home and its fan-out.
    "token" "seen" "cap" "policy" "mode" "active_bucket" "cold_after" "inbox_cap" "stream"
    // Of sessions and passwords.
    "password" "password_hash" "device" "refresh_token" "session_id"
    // Of operators: tokens, imports, exports and the audit log.
    "name" "principal" "scopes" "rate_per_minute" "action" "outcome" "reason" "job" "edges" "next_position"
    "revive" "key" "source" "log" "format" "forms" "step" "sums" "states" "max"
    // Of places to go on from.
    "after_target" "after_user" "after_source"
    // Of searches.
    "query" "from_time" "until_time" "order_by"
    // What is wrong with a JWT.
    "too_long" "malformed" "algorithm" "signature" "claims" "issuer" "audience" "expired" "not_yet_valid"
    "lives_too_long" "unknown_subject" "ended"
    // What a query was expected to have.
    "a_word" "fewer_characters" "fewer_terms" "fewer_prefixes" "fewer_words" "a_closing_quote"
    "a_word_between_quotes" "a_word_behind_minus" "a_word_before_star" "a_longer_prefix"
    "a_single_word_before_star" "a_term_without_minus"
    // What is known of a write that a database did not answer.
    "open" "committed"
    // Why an index does not answer.
    "off" "building" "damaged" "newer_format" "no_room" "no_replica" "busy" "failed"
}
