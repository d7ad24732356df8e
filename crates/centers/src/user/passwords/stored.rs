//! Stored hashes: PHC strings of argon2, and the strings of bcrypt that imported users bring.

use super::cost::Argon2Cost;
use argon2::{Algorithm, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use guanxi_model::limits::PASSWORD_HASH_LEN_MAX;
use guanxi_model::{Error, Reason, Result};
use std::fmt::Write as _;

/// KiB that a stored argon2 hash may take: 128 MiB is more than the defaults of PHP, Python and Node.
pub const ARGON2_KIB_MAX: u32 = 128 * 1_024;

/// Passes that a stored argon2 hash may make.
pub const ARGON2_PASSES_MAX: u32 = 16;

/// Lanes that a stored argon2 hash may have. Here they run one after the other, so they cost nothing more.
pub const ARGON2_LANES_MAX: u32 = 16;

/// KiB that a stored argon2 hash may fill in all its passes. That is 27 times as much as a hash of today fills, and takes
/// that much longer on the one thread that hashes.
pub const ARGON2_WORK_KIB_MAX: u32 = 1_024 * 1_024;

/// The least cost of bcrypt that there is.
pub const BCRYPT_COST_MIN: u32 = 4;

/// The highest cost of bcrypt that is run, each twice the one below. Defaults are 10 to 12.
pub const BCRYPT_COST_MAX: u32 = 14;

/// Bytes of salts made here, as the specification recommends.
pub(super) const SALT_LEN: usize = 16;

/// Bytes of hashes made here.
pub(super) const OUTPUT_LEN: usize = 32;

/// Bytes of a salt: what the specification asks for, and more than any known system uses.
const SALT_LENS: std::ops::RangeInclusive<usize> = 8..=64;

/// Bytes of a hash: fewer than 16 would be guessed.
const OUTPUT_LENS: std::ops::RangeInclusive<usize> = 16..=64;

/// A stored hash that may be run.
#[derive(Clone)]
pub(super) enum Stored {
    /// Of argon2.
    Argon2(Argon2Hash),
    /// Of bcrypt: its text, which the library takes as it is.
    Bcrypt(String),
}

/// A hash of argon2, taken apart.
#[derive(Clone)]
pub(super) struct Argon2Hash {
    /// Which of the three kinds.
    pub algorithm: Algorithm,
    /// Which version.
    pub version: Version,
    /// Its cost.
    pub cost: Argon2Cost,
    /// The salt.
    pub salt: Vec<u8>,
    /// The hash of the password.
    pub output: Vec<u8>,
}

impl Stored {
    /// Takes a stored hash apart.
    ///
    /// # Errors
    /// `PASSWORD_HASH_UNUSABLE`: of no known kind, damaged, or it costs more than the limits allow.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let parsed = match text {
            _ if text.len() > PASSWORD_HASH_LEN_MAX as usize => None,
            _ if text.starts_with("$argon2") => Argon2Hash::parse(text).map(Self::Argon2),
            _ => parse_bcrypt(text),
        };
        parsed.ok_or(Error::new(Reason::PasswordHashUnusable))
    }

    /// Returns whether a new hash of the same password would be another kind or cost another amount.
    pub(super) fn is_outdated(&self, today: Argon2Cost) -> bool {
        match self {
            Self::Argon2(hash) => {
                hash.algorithm != Algorithm::Argon2id
                    || hash.version != Version::V0x13
                    || hash.cost != today
                    || hash.salt.len() < SALT_LEN
                    || hash.output.len() != OUTPUT_LEN
            }
            Self::Bcrypt(_) => true,
        }
    }
}

impl Argon2Hash {
    /// `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`; without `v` it is of the first version.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('$')?.split('$');
        let algorithm = Algorithm::new(parts.next()?).ok()?;
        let mut part = parts.next()?;
        let mut version = Version::V0x10;
        if let Some(number) = part.strip_prefix("v=") {
            version = Version::try_from(decimal(number)?).ok()?;
            part = parts.next()?;
        }
        let cost = parse_cost(part)?;
        let (salt, output) = (bytes(parts.next()?, SALT_LENS)?, bytes(parts.next()?, OUTPUT_LENS)?);
        parts.next().is_none().then_some(Self { algorithm, version, cost, salt, output })
    }

    /// Returns its text.
    pub(super) fn to_text(&self) -> String {
        let Argon2Cost { memory_kib, passes, lanes } = self.cost;
        let (algorithm, version) = (self.algorithm.as_str(), u32::from(self.version));
        let mut text = format!("${algorithm}$v={version}$m={memory_kib},t={passes},p={lanes}");
        for bytes in [&self.salt, &self.output] {
            write!(text, "${}", STANDARD_NO_PAD.encode(bytes)).expect("a string takes all that is written");
        }
        text
    }

    /// Returns the parameters of its run.
    pub(super) fn params(&self) -> Option<Params> {
        self.cost.params(self.output.len())
    }
}

/// `m=KIB,t=PASSES,p=LANES`, in this order as the reference writes it, within the limits. Keys and associated data
/// are refused: they are not part of the standard, and there is nothing here to give them from.
fn parse_cost(text: &str) -> Option<Argon2Cost> {
    let mut values = text.split(',');
    let mut value = |name: &str| decimal(values.next()?.strip_prefix(name)?);
    let cost = Argon2Cost { memory_kib: value("m=")?, passes: value("t=")?, lanes: value("p=")? };
    let is_bounded = cost.memory_kib <= ARGON2_KIB_MAX
        && cost.passes <= ARGON2_PASSES_MAX
        && cost.lanes <= ARGON2_LANES_MAX
        && cost.work_kib() <= u64::from(ARGON2_WORK_KIB_MAX);
    (values.next().is_none() && is_bounded && cost.params(OUTPUT_LEN).is_some()).then_some(cost)
}

/// `$2b$12$`, then 53 characters of salt and hash.
fn parse_bcrypt(text: &str) -> Option<Stored> {
    let parts: bcrypt::HashParts = text.parse().ok()?;
    let is_bounded = (BCRYPT_COST_MIN..=BCRYPT_COST_MAX).contains(&parts.get_cost());
    is_bounded.then(|| Stored::Bcrypt(text.to_owned()))
}

/// A number in digits alone.
fn decimal(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

fn bytes(text: &str, lens: std::ops::RangeInclusive<usize>) -> Option<Vec<u8>> {
    STANDARD_NO_PAD.decode(text).ok().filter(|bytes| lens.contains(&bytes.len()))
}
