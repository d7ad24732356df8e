//! The audit log. Every call of the table in [`crate::rules::audited`] is noted before it is done and when it has ended, in
//! the one place that all handlers are called from. Listing the entries is here, too.
//!
//! All handlers of AdminService are called by `audited!` and `audited_streams!` of `admin/mod.rs`. Those write
//! `AuditCommand::Begin` before the handler runs and `End` after it. An operator may call AdminService alone, so `EraseUser`,
//! `PurgePost` and `SetPassword` are calls of services and are not audited; a test holds that.

use buffa::MessageField;
use buffa_types::google::protobuf::TimestampView;
use connectrpc::{ConnectError, RequestContext};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _};
use guanxi_centers::operator::{AuditFilter, OperatorCenter};
use guanxi_model::{AuditEntry, AuditId, AuditOutcome, AuditTarget, Error, Reason, Result, Stamp};
use guanxi_proto::v1;
use guanxi_proto::v1::audit_entry::Outcome;
use guanxi_rim::errors::reason_name;
use xxhash_rust::xxh3::Xxh3Default;

use super::AdminApi;
use crate::convert::{stamp_of, time};
use crate::limits::{AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX};
use crate::page_token::{EDGE_LEN, ListScope, ListTokens};
use crate::request::ListReader;
use crate::rules::audited::Audited;

/// The kind of the list, for its page tokens.
const LIST_KIND: u8 = 0x55;

/// The answer of a streaming call.
type Answers<T> = BoxStream<'static, Result<T, ConnectError>>;

/// An entry whose action goes on.
pub(super) struct BegunEntry {
    operator: OperatorCenter,
    /// `None` of a call that is not in the log.
    id: Option<AuditId>,
}

impl BegunEntry {
    async fn end(self, outcome: AuditOutcome) {
        if let Some(id) = self.id {
            self.operator.end_audit(id, outcome).await;
        }
    }
}

impl AdminApi {
    /// Notes that a call begins, if it is one of the table.
    async fn begin_audit(&self, ctx: &RequestContext, request: &impl Audited) -> Result<BegunEntry> {
        let operator = self.operator.clone();
        let Some(about) = request.about().filter(|_| !self.in_process) else {
            return Ok(BegunEntry { operator, id: None });
        };
        let path = guanxi_rim::rule(ctx)?.path;
        let action = path.rsplit_once('/').map_or(path, |(_, action)| action);
        let id = operator.begin_audit(guanxi_rim::caller(ctx)?.name(), action, about).await?;
        Ok(BegunEntry { operator, id: Some(id) })
    }

    /// Does a call with one answer. An act that cannot be noted is not done.
    pub(super) async fn audited<T>(
        &self,
        ctx: &RequestContext,
        request: &impl Audited,
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let begun = self.begin_audit(ctx, request).await?;
        let result = call.await;
        begun.end(AuditOutcome::of(&result)).await;
        result
    }

    /// The same of one that answers a stream: it ends when that does. Of a stream whose caller leaves before, the end is not
    /// known.
    pub(super) async fn audited_stream<T, S>(
        &self,
        ctx: &RequestContext,
        request: &impl Audited,
        call: impl Future<Output = Result<S>>,
    ) -> Result<Answers<T>>
    where
        S: Stream<Item = Result<T, ConnectError>> + Send + 'static,
        T: Send + 'static,
    {
        let begun = self.begin_audit(ctx, request).await?;
        match call.await {
            Ok(stream) => Ok(ending(stream, begun)),
            Err(error) => {
                begun.end(AuditOutcome::of::<()>(&Err(error.clone()))).await;
                Err(error)
            }
        }
    }
}

/// A stream at whose end, or first error, an entry ends.
fn ending<T: Send + 'static>(
    stream: impl Stream<Item = Result<T, ConnectError>> + Send + 'static,
    begun: BegunEntry,
) -> Answers<T> {
    let noted =
        futures::stream::unfold((Box::pin(stream), Some(begun)), |(mut stream, mut begun)| async move {
            let item = stream.next().await;
            let outcome = match &item {
                Some(Ok(_)) => None,
                Some(Err(error)) => Some(AuditOutcome::Refused { reason: reason_name(error) }),
                None => Some(AuditOutcome::Done),
            };
            if let Some(outcome) = outcome
                && let Some(begun) = begun.take()
            {
                begun.end(outcome).await;
            }
            item.map(|item| (item, (stream, begun)))
        });
    Box::pin(noted)
}

/// Lists what operators did.
pub(super) async fn list_audit_entries(
    api: &AdminApi,
    ctx: &RequestContext,
    request: &v1::ListAuditEntriesRequestView<'_>,
) -> Result<v1::ListAuditEntriesResponse> {
    let max = match u32::try_from(request.page_size) {
        Ok(0) => AUDIT_PAGE_DEFAULT,
        Ok(max @ ..=AUDIT_PAGE_MAX) => max,
        _ => return Err(Error::new(Reason::PageTooLarge { limit: AUDIT_PAGE_MAX })),
    };
    let filter = filter(request)?;
    let tokens = ListReader::new(guanxi_rim::caller(ctx)?, &api.pages).page_tokens(scope(request));
    let below = place(&tokens, request.page_token)?;
    let page = api.operator.audit_entries(&filter, below, max as usize).await?;
    Ok(v1::ListAuditEntriesResponse {
        entries: page.entries.iter().map(shown).collect(),
        next_page_token: page.next.map_or_else(String::new, |id| tokens.seal(id_bytes(id))),
    })
}

fn filter(request: &v1::ListAuditEntriesRequestView<'_>) -> Result<AuditFilter> {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let wrong = |field| Error::new(Reason::InvalidField { field });
    let ms = |time: Option<&TimestampView<'_>>, field| {
        // Whole milliseconds, which times of entries are told by.
        let ms = |time: &TimestampView<'_>| stamp_of(time.seconds, time.nanos - time.nanos % 1_000_000);
        time.map(|time| ms(time).map(Stamp::ms).ok_or_else(|| wrong(field))).transpose()
    };
    Ok(AuditFilter {
        principal: given(request.principal),
        action: given(request.action),
        target: given(request.target)
            .map(|text| AuditTarget::parse(&text).ok_or_else(|| wrong("target")))
            .transpose()?,
        since_ms: ms(request.since_time.as_option(), "since_time")?,
        until_ms: ms(request.until_time.as_option(), "until_time")?,
    })
}

/// Page tokens are sealed for one filter.
fn scope(request: &v1::ListAuditEntriesRequestView<'_>) -> ListScope {
    let mut hash = Xxh3Default::new();
    for text in [request.principal, request.action, request.target] {
        hash.update(&(text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    for time in [&request.since_time, &request.until_time] {
        let (seconds, nanos) = time.as_option().map_or((i64::MIN, 0), |time| (time.seconds, time.nanos));
        hash.update(&seconds.to_be_bytes());
        hash.update(&nanos.to_be_bytes());
    }
    let hash = hash.digest128();
    ListScope::new(LIST_KIND, (hash >> 64) as u64, hash as u64)
}

fn place(tokens: &ListTokens, token: &str) -> Result<Option<AuditId>> {
    if token.is_empty() {
        return Ok(None);
    }
    let bytes: [u8; EDGE_LEN] = tokens.open(token)?;
    let raw = u128::from_be_bytes(bytes);
    Ok(Some(AuditId { at: Stamp::from_raw((raw >> 64) as u64), nonce: raw as u64 }))
}

fn id_bytes(id: AuditId) -> [u8; EDGE_LEN] {
    (u128::from(id.at.raw()) << 64 | u128::from(id.nonce)).to_be_bytes()
}

fn shown(entry: &AuditEntry) -> v1::AuditEntry {
    let (outcome, refusal) = match &entry.outcome {
        AuditOutcome::Begun => (Outcome::BEGUN, ""),
        AuditOutcome::Done => (Outcome::DONE, ""),
        AuditOutcome::Refused { reason } => (Outcome::REFUSED, reason.as_str()),
    };
    v1::AuditEntry {
        id: entry.id.to_string(),
        time: MessageField::some(time(entry.id.at)),
        principal: entry.principal.clone(),
        action: entry.action.clone(),
        targets: entry.targets.iter().map(ToString::to_string).collect(),
        reason: entry.reason.clone(),
        outcome: outcome.into(),
        refusal: refusal.to_owned(),
    }
}
