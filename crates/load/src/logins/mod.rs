//! Logins: accounts to log in to, and what is asked of them.

mod compared;
mod flood;
mod timings;

pub use compared::Compared;
pub use flood::{Flood, FloodTurn, flood};
pub use timings::{LoginTimings, time_logins};

use crate::accounts::{register, registration};
use crate::http1;
use guanxi_model::Result;
use guanxi_model::user::PasswordHash;
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
    let account = |n: u32| registration(n.into(), known_name(n), String::new(), Some(hash.clone()));
    register(graph, (0..count).map(account)).await
}
