//! Ids from elsewhere at the rim: in JSON a uid may be written `"ext:ID"`, and `guanxi-ids: external` gives answers in
//! that form.
//!
//! A request is parsed for such ids only if it holds [`MARK`], and an answer only if the header asks for it. So a caller that
//! has uids alone pays for one search of the request and one look at the headers.
//!
//! All ids of a request are resolved in one query, after the rules. So strangers learn nothing. Other callers learn only what
//! a call with the uid in its place would tell them, and whether an id is known. A request with an unknown id pays for all
//! ids that it names.

mod actor;
mod fields;
mod places;

pub(crate) use actor::under_own_name;

use std::collections::HashMap;

use buffa::bytes::Bytes;
use connectrpc::response::{EncodedBody, EncodedResponse, Response};
use connectrpc::{CodecFormat, ConnectError, EncodedStream, ErrorCode};
use futures::StreamExt as _;
use guanxi_centers::user::ExternalIdCenter;
use guanxi_model::limits::RESOLVE_IDS_MAX;
use guanxi_model::{Error, ExternalId, Reason, Uid};
use guanxi_rim::errors::{reason_error, rim, rim_error, to_wire};
use guanxi_rim::rules::{Access, Rule};
use guanxi_rim::{Caller, IDS_HEADER};
use http::HeaderMap;
use memchr::memmem;

use fields::{UidFields, UidKind};
use places::{UidPlace, places, replaced};

/// The beginning of a uid that is an external id.
const PREFIX: &str = "ext:";

/// The same as it appears in JSON. A caller that writes it with escapes is not understood.
const MARK: &[u8] = b"\"ext:";

/// Translates requests and answers.
#[derive(Clone)]
pub(crate) struct ExternalIds(ExternalIdCenter);

/// Translates the answers of a call whose caller wants that.
pub(crate) struct ShownIds {
    center: ExternalIdCenter,
    answer: UidKind,
}

/// Returns whether a request in JSON may have external ids: one without the mark has none.
pub(crate) fn may_name_some(request: &[u8]) -> bool {
    memmem::find(request, MARK).is_some()
}

impl ExternalIds {
    pub(crate) const fn new(center: ExternalIdCenter) -> Self {
        Self(center)
    }

    /// The same request with uids in the place of external ids; `None` when it has none. It is for requests of which
    /// [`may_name_some`] is true.
    ///
    /// # Errors
    /// `EXTERNAL_ID_UNKNOWN`, `BATCH_TOO_LARGE`; `MISSING_FIELD`, `TOO_LONG` or `INVALID_FIELD` of what is no id;
    /// `RATE_LIMITED`.
    pub(crate) async fn resolved(
        &self,
        rule: &Rule,
        caller: Option<&Caller>,
        request: &[u8],
    ) -> Result<Option<Bytes>, ConnectError> {
        if rule.access == Access::Open {
            return Ok(None);
        }
        let found = named(request, UidFields::all().request(rule.path)).map_err(|error| to_wire(&error))?;
        if found.is_empty() {
            return Ok(None);
        }
        let (places, ids): (Vec<UidPlace>, Vec<ExternalId>) = found.into_iter().unzip();
        let known = self.0.resolve(&ids, &[], None).await.map_err(|error| to_wire(&error))?;
        let mut texts = Vec::with_capacity(places.len());
        for ((place, id), known) in places.into_iter().zip(&ids).zip(known.uids) {
            let Some(uid) = known.uid else {
                let paid = caller.map_or(Ok(()), |caller| caller.pay_for_batch(ids.len()));
                paid.map_err(|error| to_wire(&error))?;
                return Err(external_id_unknown(place.field, id.as_str()));
            };
            texts.push((place.range, format!("\"{uid}\"")));
        }
        Ok(Some(replaced(request, &texts).into()))
    }

    /// Returns the translator of a call's answers; `None` if its caller wants them as they are.
    ///
    /// # Errors
    /// `MALFORMED` for another value of the header, and for a call whose answers are not JSON.
    pub(crate) fn shown(
        &self,
        headers: &HeaderMap,
        rule: &Rule,
        format: CodecFormat,
    ) -> Result<Option<ShownIds>, ConnectError> {
        let Some(asked) = headers.get(IDS_HEADER) else { return Ok(None) };
        let malformed = |message| Err(rim_error(ErrorCode::InvalidArgument, rim::MALFORMED, message));
        if asked.as_bytes() != b"external" {
            return malformed("the header guanxi-ids is `external`, or left out");
        }
        if format != CodecFormat::Json {
            return malformed(
                "`guanxi-ids: external` is for JSON, since binary messages hold uids as numbers: leave it out and ask \
                 ResolveIds, or call with JSON",
            );
        }
        Ok(Some(ShownIds { center: self.0.clone(), answer: UidFields::all().answer(rule.path) }))
    }
}

/// The external ids of a request with their places, at most as many as one question may name.
fn named(request: &[u8], whole: UidKind) -> Result<Vec<(UidPlace, ExternalId)>, Error> {
    let mut found = Vec::new();
    for place in places(request, whole) {
        let text = &request[place.range.clone()];
        if !text.starts_with(MARK) {
            continue;
        }
        if found.len() == RESOLVE_IDS_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: RESOLVE_IDS_MAX }));
        }
        let field = place.field;
        let text: String =
            serde_json::from_slice(text).map_err(|_| Error::new(Reason::InvalidField { field }))?;
        let id = ExternalId::new(&text[PREFIX.len()..], field)?;
        found.push((place, id));
    }
    Ok(found)
}

/// Returns the error of a request with an unknown external id. It names the id: among many ids a caller needs to know which
/// one is unknown.
fn external_id_unknown(field: &'static str, id: &str) -> ConnectError {
    let reason = Reason::ExternalIdUnknown { field };
    let metadata = vec![("field", field.to_owned()), ("external_id", id.to_owned())];
    reason_error(&reason, metadata)
}

impl ShownIds {
    /// An answer with external ids in the place of uids that have one.
    async fn of(&self, json: Bytes) -> Result<Bytes, ConnectError> {
        let of_text = |place: UidPlace| {
            let digits = std::str::from_utf8(&json[place.range.start + 1..place.range.end - 1]).ok()?;
            Some((place.range, Uid::new(digits.parse().ok()?).ok()?))
        };
        let uids: Vec<_> = places(&json, self.answer).into_iter().filter_map(of_text).collect();
        let mut ids: HashMap<Uid, Option<ExternalId>> = uids.iter().map(|(_, uid)| (*uid, None)).collect();
        let different: Vec<Uid> = ids.keys().copied().collect();
        let found = self.center.of_users(&different).await.map_err(|error| to_wire(&error))?;
        ids.extend(different.into_iter().zip(found));
        let text = |(range, uid)| {
            let id = ids.get(&uid)?.as_ref()?;
            Some((range, serde_json::Value::from(format!("{PREFIX}{}", id.as_str())).to_string()))
        };
        let texts: Vec<_> = uids.into_iter().filter_map(text).collect();
        Ok(if texts.is_empty() { json } else { replaced(&json, &texts).into() })
    }

    async fn body(&self, body: EncodedBody) -> Result<EncodedBody, ConnectError> {
        self.of(body.into_contiguous()).await.map(EncodedBody::from)
    }

    /// An answer.
    pub(crate) async fn answer(&self, mut answer: EncodedResponse) -> Result<EncodedResponse, ConnectError> {
        let body = std::mem::replace(&mut answer.body, EncodedBody::from(Bytes::new()));
        answer.body = self.body(body).await?;
        Ok(answer)
    }

    /// A stream of answers.
    pub(crate) fn stream(self, answer: Response<EncodedStream>) -> Response<EncodedStream> {
        let shown = std::sync::Arc::new(self);
        answer.map_body(|items| {
            let shown_one = move |item: Result<EncodedBody, ConnectError>| {
                let shown = shown.clone();
                async move { shown.body(item?).await }
            };
            Box::pin(items.then(shown_one)) as EncodedStream
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RULES;
    use guanxi_model::{Clock, ManualClock, Position, Result, Write};
    use guanxi_ports::{Applied, BoxFuture, Facts, Store, StoreView};
    use std::sync::Arc;

    /// A store that must not be asked.
    struct Untouched;

    impl Facts for Untouched {
        fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
            panic!("{write:?}")
        }
    }

    impl Store for Untouched {
        fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
            panic!("a view at {at_least:?}")
        }

        fn is_applied(&self, uid: Uid, at: guanxi_model::EventAt) -> BoxFuture<'_, Result<bool>> {
            panic!("whether {uid} is applied at {at:?}")
        }
    }

    fn untouched() -> ExternalIds {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(0));
        ExternalIds::new(ExternalIdCenter::new(Arc::new(Untouched), clock, Arc::new(|| [7; 32])))
    }

    fn rule(name: &str) -> &'static Rule {
        RULES.iter().find(|rule| rule.path.ends_with(name)).unwrap()
    }

    #[tokio::test]
    async fn who_has_uids_alone_asks_the_dictionary_nothing() {
        let ids = untouched();
        for (method, request) in [
            ("/Follow", r#"{"subject":"1","object":"2"}"#),
            ("/CreatePost", r#"{"author":"1","text":"\"ext:a\""}"#),
            ("/CreatePost", r#"{"author":"1","text":"ext:a","attachments":[{"kind":"ext:b"}]}"#),
            ("/GetPost", r#"{"postId":"ext:a"}"#),
            ("/ResolveIds", r#"{"externalIds":["ext:a"],"uids":["ext:a"]}"#),
            ("/Login", r#"{"loginName":"ext:a","uid":"ext:a"}"#),
            ("/Follow", r#"{"subject":"ext:a""#),
        ] {
            let resolved = ids.resolved(rule(method), None, request.as_bytes()).await;
            assert_eq!(resolved.unwrap(), None, "{request}");
        }
        let shown = ids.shown(&HeaderMap::new(), rule("/Follow"), CodecFormat::Json);
        assert!(shown.unwrap().is_none());
    }

    #[tokio::test]
    async fn what_cannot_be_an_id_is_refused_before_anything_is_asked() {
        let many = vec!["\"ext:a\""; RESOLVE_IDS_MAX as usize + 1].join(",");
        for (id, reason) in [
            ("\"ext:\"".to_owned(), "MISSING_FIELD"),
            ("\"ext:a\\n\"".to_owned(), "INVALID_FIELD"),
            ("\"ext:\\x\"".to_owned(), "INVALID_FIELD"),
            (format!("\"ext:{}\"", "x".repeat(129)), "TOO_LONG"),
            (many, "BATCH_TOO_LARGE"),
        ] {
            let request = format!(r#"{{"subject":"1","objects":[{id}]}}"#);
            let error = untouched().resolved(rule("/BatchFollow"), None, request.as_bytes()).await;
            let error = error.unwrap_err();
            let shown = error.details[0].debug.as_ref().unwrap();
            assert_eq!(shown["reason"], reason, "{request}");
        }
    }
}
