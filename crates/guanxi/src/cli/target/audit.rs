//! The record of operators' acts, page by page.

use super::Target;
use guanxi_centers::operator::{AuditFilter, AuditPage};
use guanxi_model::{AuditEntry, AuditId, Result};

/// Entries that are read at once of a directory.
const PAGE: usize = 200;

/// Where a page begins.
pub(in crate::cli) enum AuditPlace {
    /// Below an entry, or at the newest.
    Below(Option<AuditId>),
    /// At a token of the server; an empty one is the newest.
    Token(String),
}

impl Target {
    /// Where the newest entry is.
    pub(in crate::cli) const fn audit_beginning(&self) -> AuditPlace {
        match self {
            Self::Data(_) => AuditPlace::Below(None),
            Self::Server(_) => AuditPlace::Token(String::new()),
        }
    }

    /// A page of entries, and where the next one begins, if there may be one.
    pub(in crate::cli) async fn audit_entries(
        &self,
        filter: &AuditFilter,
        at: AuditPlace,
    ) -> Result<(Vec<AuditEntry>, Option<AuditPlace>)> {
        match (self, at) {
            (Self::Data(operator), at) => {
                let below = if let AuditPlace::Below(below) = at { below } else { None };
                let AuditPage { entries, next } = operator.audit_entries(filter, below, PAGE).await?;
                Ok((entries, next.map(|next| AuditPlace::Below(Some(next)))))
            }
            (Self::Server(server), at) => {
                let token = if let AuditPlace::Token(token) = at { token } else { String::new() };
                let (entries, next) = server.audit_entries(filter, token).await?;
                Ok((entries, Some(next).filter(|next| !next.is_empty()).map(AuditPlace::Token)))
            }
        }
    }
}
