//! The hashing itself, as a thread of the pool does it.

use super::cost::Argon2Cost;
use super::meters::PasswordMeters;
use super::password::Password;
use super::stored::{Argon2Hash, OUTPUT_LEN, SALT_LEN, Stored};
use crate::Random;
use argon2::{Algorithm, Argon2, Block, Version};
use guanxi_model::user::PasswordHash;
use guanxi_model::{Error, Reason, Result};
use std::sync::Arc;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// The verdict on a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordVerdict {
    /// It is the right one.
    Right {
        /// The stored hash is not what would be made today, or of the text as it was typed: hash the password anew and store
        /// that.
        renew: bool,
    },
    /// It is not, or no user has this name.
    Wrong,
    /// The stored hash cannot be run. A hash of today's cost was run in its place: answer as for a wrong password,
    /// and tell the operator, since this user needs a new password.
    Unusable,
}

/// The state of one thread that hashes.
pub(super) struct Hasher {
    cost: Argon2Cost,
    random: Random,
    /// The hash to verify against where none is stored.
    dummy: Argon2Hash,
    /// The memory that argon2 fills, kept while there is more to do.
    memory: Vec<Block>,
    meters: Arc<PasswordMeters>,
}

impl Hasher {
    /// A hasher of new hashes of a cost.
    pub(super) fn new(cost: Argon2Cost, random: Random, meters: Arc<PasswordMeters>) -> Self {
        // Random bits in place of what a password came to: no password is known to come to them.
        let dummy = new_hash(cost, &random, random().to_vec());
        Self { cost, random, dummy, memory: Vec::new(), meters }
    }

    /// Returns a new hash of a password, with a salt of its own.
    pub(super) fn hash(&mut self, password: &Password) -> Result<PasswordHash> {
        let mut hash = new_hash(self.cost, &self.random, vec![0; OUTPUT_LEN]);
        hash.output = self.argon2(password.as_bytes(), &hash)?.to_vec();
        PasswordHash::new(hash.to_text())
    }

    /// Compares a password with a stored hash, or with the dummy: each of its forms until one is right. So a wrong password
    /// costs the same number of hashes with any stored hash.
    pub(super) fn verify(&mut self, password: &Password, stored: Option<&str>) -> Result<PasswordVerdict> {
        let Some(stored) = stored else {
            self.run_dummy(password)?;
            return Ok(PasswordVerdict::Wrong);
        };
        let Ok(stored) = Stored::parse(stored) else {
            self.run_dummy(password)?;
            return Ok(PasswordVerdict::Unusable);
        };
        for (form, is_old) in password.forms() {
            let is_right = match &stored {
                Stored::Argon2(hash) => self.argon2(form, hash)?.ct_eq(&hash.output).into(),
                Stored::Bcrypt(text) => self.bcrypt(form, text)?,
            };
            if is_right {
                return Ok(PasswordVerdict::Right { renew: is_old || stored.is_outdated(self.cost) });
            }
        }
        Ok(PasswordVerdict::Wrong)
    }

    /// Gives the memory back.
    pub(super) fn rest(&mut self) {
        self.memory = Vec::new();
    }

    fn run_dummy(&mut self, password: &Password) -> Result<()> {
        let dummy = self.dummy.clone();
        password.forms().try_for_each(|(form, _)| self.argon2(form, &dummy).map(drop))
    }

    /// Returns the hash of a password with the salt, the cost and the kind of another hash.
    fn argon2(&mut self, password: &[u8], hash: &Argon2Hash) -> Result<Zeroizing<Vec<u8>>> {
        let began_ms = self.meters.now_ms();
        let params = hash.params().ok_or(Error::new(Reason::PasswordHashUnusable))?;
        if self.memory.len() < params.block_count() {
            self.memory.resize(params.block_count(), Block::new());
        }
        let mut output = Zeroizing::new(vec![0; hash.output.len()]);
        Argon2::new(hash.algorithm, hash.version, params)
            .hash_password_into_with_memory(
                password,
                &hash.salt,
                output.as_mut_slice(),
                self.memory.as_mut_slice(),
            )
            .map_err(|error| Error::with_detail(Reason::Internal, error))?;
        self.meters.ran(began_ms, hash.cost.work_kib());
        Ok(output)
    }

    fn bcrypt(&self, password: &[u8], stored: &str) -> Result<bool> {
        let began_ms = self.meters.now_ms();
        let is_right =
            bcrypt::verify(password, stored).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        self.meters.ran(began_ms, 0);
        Ok(is_right)
    }
}

/// A hash of today with a salt of its own.
fn new_hash(cost: Argon2Cost, random: &Random, output: Vec<u8>) -> Argon2Hash {
    let salt = random()[..SALT_LEN].to_vec();
    Argon2Hash { algorithm: Algorithm::Argon2id, version: Version::V0x13, cost, salt, output }
}
