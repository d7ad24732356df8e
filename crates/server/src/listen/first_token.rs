//! The admin token that the first start of a server makes.

use crate::failure::{Context, Outcome};
use crate::small_file::write_file;
use guanxi_centers::operator::OperatorCenter;
use guanxi_model::{Principal, Reason};
use std::fs;
use std::path::{Path, PathBuf};

/// The file of a data directory that holds the first admin token.
pub const ADMIN_TOKEN_FILE: &str = "admin-token";
/// The name of the first admin token.
const ADMIN_TOKEN_NAME: &str = "admin";
/// Says which token can call what: the only one that there is cannot call the API.
pub(super) fn tell_of_tokens(path: &Path, admin: &str) {
    let path = path.display();
    tracing::info!(
        "wrote the admin token to {path}; keep it secret: it is for operators' verbs and calls, on the admin listener \
         alone. Make one that calls the API: `guanxi token create backend --service read,write --server \
         {admin} --token-file {path}`"
    );
}

/// Makes the token of the first start, and returns its file. The file is written first, so that a crash in between leaves no
/// token that is written nowhere.
pub(super) async fn first_admin_token(operator: &OperatorCenter, dir: &Path) -> Outcome<Option<PathBuf>> {
    let tokens = operator.tokens().await?;
    if tokens.iter().any(|token| token.principal == Principal::Admin) {
        return Ok(None);
    }
    let mut name = ADMIN_TOKEN_NAME.to_owned();
    while tokens.iter().any(|token| token.name == name) {
        name.push_str("-1");
    }
    let (secret, credential) = operator.mint_token(&name, Principal::Admin)?;
    let path: PathBuf = dir.join(ADMIN_TOKEN_FILE);
    write_file(dir, ADMIN_TOKEN_FILE, 0o600, format!("{secret}\n").as_bytes())
        .context(format_args!("cannot write the admin token to {}", path.display()))?;
    match operator.add_token(credential).await {
        Ok(()) => Ok(Some(path)),
        // Another process of the cluster has begun at the same moment, and has the one that is known.
        Err(error) if error.reason == Reason::AlreadyExists => {
            fs::remove_file(&path).context(format_args!("cannot remove {}", path.display()))?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
