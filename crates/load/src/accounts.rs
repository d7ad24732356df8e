//! Accounts by number.

use crate::fill::written;
use guanxi_model::id::ID_EPOCH_MS;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::user::{PasswordHash, Profile, Registration, UserCommand};
use guanxi_model::{LoginName, Result, Uid, Write};
use guanxi_ports::Store;

/// The uid of the account of a number and a login name. Each has a millisecond of its own, so that no two are one.
pub fn uid_of(number: u64, login_name: &LoginName) -> Uid {
    Uid::minted(ID_EPOCH_MS + 1 + number, 0, login_name.gene()).unwrap_or(Uid::MIN)
}

/// The registration of an account.
pub fn registration(
    number: u64,
    login_name: String,
    nickname: String,
    password: Option<PasswordHash>,
) -> UserCommand {
    let login_name = LoginName::stored(login_name);
    let (uid, profile) = (uid_of(number, &login_name), Profile { nickname, ..Profile::default() });
    UserCommand::Register(Registration { uid, login_name, password, profile })
}

/// Registers accounts.
///
/// # Errors
/// The first refusal.
pub async fn register(graph: &dyn Store, accounts: impl Iterator<Item = UserCommand>) -> Result<()> {
    let mut accounts = accounts.peekable();
    while accounts.peek().is_some() {
        let batch: Vec<UserCommand> = accounts.by_ref().take(BATCH_MAX as usize).collect();
        written(&graph.apply(Write::all(batch)).await?)?;
    }
    Ok(())
}
