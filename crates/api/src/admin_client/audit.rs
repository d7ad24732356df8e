//! The record of operators' acts.

use buffa::MessageField;
use guanxi_centers::operator::AuditFilter;
use guanxi_model::{AuditEntry, AuditId, AuditOutcome, AuditTarget, Result, Stamp};
use guanxi_proto::v1;
use guanxi_proto::v1::audit_entry::Outcome;

use super::OperatorClient;
use crate::client_side::{broken, call};
use crate::convert::time;
use crate::limits::AUDIT_PAGE_MAX;

impl OperatorClient {
    /// A page of what operators did, newest first, from a token on, with the token of the next page; empty at the end.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses the filter.
    pub async fn audit_entries(
        &self,
        filter: &AuditFilter,
        page_token: String,
    ) -> Result<(Vec<AuditEntry>, String)> {
        let at = |ms: Option<u64>| {
            ms.map_or_else(MessageField::none, |ms| MessageField::some(time(Stamp::from_ms(ms))))
        };
        let request = v1::ListAuditEntriesRequest {
            principal: filter.principal.clone().unwrap_or_default(),
            action: filter.action.clone().unwrap_or_default(),
            target: filter.target.as_ref().map(ToString::to_string).unwrap_or_default(),
            since_time: at(filter.since_ms),
            until_time: at(filter.until_ms),
            page_size: AUDIT_PAGE_MAX.cast_signed(),
            page_token,
        };
        let answer = call(self.0.admin().list_audit_entries(request).await)?;
        let entries = answer.entries.iter().map(entry_back).collect::<Result<_>>()?;
        Ok((entries, answer.next_page_token))
    }
}

fn entry_back(entry: &v1::AuditEntry) -> Result<AuditEntry> {
    let outcome = match entry.outcome.as_known() {
        Some(Outcome::BEGUN) => AuditOutcome::Begun,
        Some(Outcome::DONE) => AuditOutcome::Done,
        Some(Outcome::REFUSED) => AuditOutcome::Refused { reason: entry.refusal.clone() },
        Some(Outcome::OUTCOME_UNSPECIFIED) | None => return Err(broken("an action without an outcome")),
    };
    let id = u128::from_str_radix(&entry.id, 16).map_err(|_| broken("an action without an id"))?;
    let target = |text: &String| AuditTarget::parse(text).ok_or_else(|| broken("a target of no known kind"));
    Ok(AuditEntry {
        id: AuditId { at: Stamp::from_raw((id >> 64) as u64), nonce: id as u64 },
        principal: entry.principal.clone(),
        action: entry.action.clone(),
        targets: entry.targets.iter().map(target).collect::<Result<_>>()?,
        reason: entry.reason.clone(),
        outcome,
    })
}
