//! Logins: accounts to log in to, and what is asked of them.

mod compared;
mod flood;
mod timings;

pub use compared::Compared;
pub use flood::{Flood, FloodTurn, flood};
pub use timings::{LoginTimings, time_logins};

use crate::http1;
use guanxi_model::id::ID_EPOCH_MS;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::user::{PasswordHash, Profile, Registration, UserCommand};
use guanxi_model::{LoginName, Result, Uid, Write};
use guanxi_ports::Store;

/// The path of a login.
const LOGIN: &str = "/guanxi.v1.UserService/Login";
/// The password of all accounts.
pub const PASSWORD: &str = "correct horse battery";
/// A password that none of them has.
const WRONG_PASSWORD: &str = "correct horse stables";

/// The login name of an account.
fn known_name(number: u32) -> String {
    format!("known-{number:07}")
}

/// Returns an unknown login name, as long as the others.
fn unknown_name(number: u32) -> String {
    format!("nobod-{number:07}")
}

/// A request to log in. In JSON, whose errors say their reasons in clear.
fn login_request(name: &str, password: &str) -> Vec<u8> {
    http1::post_json(LOGIN, &format!(r#"{{"loginName":"{name}","password":"{password}"}}"#))
}

/// Makes so many accounts, all with [`PASSWORD`], of which this is a hash.
///
/// # Errors
/// When the store cannot be written.
pub async fn make_accounts(graph: &dyn Store, count: u32, hash: &PasswordHash) -> Result<()> {
    let registration = |number: u32| {
        let login_name = LoginName::stored(known_name(number));
        // A millisecond of its own for each, so that no two are one.
        let uid = Uid::minted(ID_EPOCH_MS + 1 + u64::from(number), 0, login_name.gene()).unwrap_or(Uid::MIN);
        let (password, profile) = (Some(hash.clone()), Profile::default());
        Ok(UserCommand::Register(Registration { uid, login_name, password, profile }))
    };
    for first in (0..count).step_by(BATCH_MAX as usize) {
        let batch = first..count.min(first + BATCH_MAX);
        let commands = batch.map(registration).collect::<Result<Vec<_>>>()?;
        let written = graph.apply(Write::all(commands)).await?;
        if let Some(failed) = written.outcomes.iter().find(|outcome| outcome.result() != Ok(true)) {
            return Err(crate::broken(format_args!("an account came to {failed:?}")));
        }
    }
    Ok(())
}
