//! The origin of uids, as the setting writes it.

use guanxi_model::user::{UID_RANGE_MIN, UidPolicy, UidRange};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Whose numbers uids are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Uids(pub UidPolicy);

impl Uids {
    /// Returns whether any uid may be named.
    pub const fn admit_all(self) -> bool {
        !matches!(self.0, UidPolicy::Minted(_))
    }
}

impl FromStr for Uids {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "both" => UidPolicy::Both,
            "foreign" => UidPolicy::Foreign,
            "minted" => UidPolicy::Minted(UidRange::ALL),
            range => UidPolicy::Minted(range_of(range).ok_or_else(|| {
                format!(
                    "must be `both`, `foreign`, `minted`, or FIRST-LAST: a range that begins at a multiple of 256, ends \
                     one before a multiple of 256, and holds {UID_RANGE_MIN} uids or more, such as \
                     4611686018427387904-9223372036854775807"
                )
            })?),
        }))
    }
}

fn range_of(text: &str) -> Option<UidRange> {
    let (first, last) = text.split_once('-')?;
    UidRange::new(first.parse().ok()?, last.parse().ok()?)
}

impl fmt::Display for Uids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            UidPolicy::Both => f.write_str("both"),
            UidPolicy::Foreign => f.write_str("foreign"),
            UidPolicy::Minted(UidRange::ALL) => f.write_str("minted"),
            UidPolicy::Minted(range) => {
                let (first, last) = range.ends();
                write!(f, "{first}-{last}")
            }
        }
    }
}

impl TryFrom<String> for Uids {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Uids> for String {
    fn from(uids: Uids) -> Self {
        uids.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_the_rest_is_told_what_to_write() {
        for text in ["both", "foreign", "minted", "4611686018427387904-9223372036854775807"] {
            assert_eq!(text.parse::<Uids>().unwrap().to_string(), text);
        }
        assert_eq!("0-9223372036854775807".parse::<Uids>().unwrap().to_string(), "minted");
        for text in ["", "all", "1-2", "256", "9223372036854775807-0"] {
            assert!(text.parse::<Uids>().unwrap_err().contains("FIRST-LAST"), "{text}");
        }
    }
}
