//! Ids of another product and the uids that they have, asked for once and kept.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use connectrpc::client::CallOptions;
use guanxi_proto::{Client, ConnectError, ErrorCode, v1};

use crate::api_client::ApiClient;
use crate::call::{ApiCall, CallKind};
use crate::error::CallError;

/// Ids of one call: what the server takes.
const BATCH_MAX: usize = 1_000;

impl ApiClient {
    /// Returns the uids of ids of yours, in order; `None` for an id without a uid. For services.
    ///
    /// A uid that the client or its clones have been told before is not asked for again, since an id keeps its uid until
    /// its user is erased. An id without a uid is asked for each time.
    ///
    /// # Errors
    /// Those of `ResolveIds`. What was told until then is kept.
    pub async fn uids_of<I: AsRef<str> + Sync>(
        &self,
        external_ids: &[I],
    ) -> Result<Vec<Option<u64>>, CallError> {
        let known = self.learn_uids(external_ids, false).await?;
        Ok(external_ids.iter().map(|id| known.get(id.as_ref()).copied()).collect())
    }

    /// Returns the uids of ids of yours, in order, and has the server make those that there are not. For services with
    /// `user.write`.
    ///
    /// # Errors
    /// Those of `ResolveIds`. What was made until then stays, and a repeat changes nothing.
    pub async fn make_uids<I: AsRef<str> + Sync>(&self, external_ids: &[I]) -> Result<Vec<u64>, CallError> {
        let known = self.learn_uids(external_ids, true).await?;
        let uid = |id: &I| known.get(id.as_ref()).copied().ok_or_else(other_number);
        external_ids.iter().map(uid).collect()
    }

    /// Returns your ids of uids, in order; `None` for one that was not made for an id of yours. For services.
    ///
    /// # Errors
    /// Those of `ResolveIds`. What was told until then is kept.
    pub async fn external_ids_of(&self, uids: &[u64]) -> Result<Vec<Option<Arc<str>>>, CallError> {
        let (mut known, asked) = {
            let mut kept = self.dictionary().kept();
            split(uids.iter().copied(), |uid| kept.external_id(*uid))
        };
        for batch in asked.chunks(BATCH_MAX) {
            let request = v1::ResolveIdsRequest { uids: batch.to_vec(), ..Default::default() };
            let answer = self.call(Resolve(request)).await?.by_uid;
            if answer.len() != batch.len() {
                return Err(other_number());
            }
            let found = batch.iter().zip(answer).filter(|(_, found)| !found.external_id.is_empty());
            let found: Vec<_> =
                found.map(|(uid, found)| (*uid, Arc::<str>::from(found.external_id))).collect();
            self.dictionary().keep(found.iter().map(|(uid, id)| (id.clone(), *uid)));
            known.extend(found);
        }
        Ok(uids.iter().map(|uid| known.get(uid).cloned()).collect())
    }

    /// Forgets the id of a user who is being erased: a new user may have it one day, with another uid.
    pub fn forget_external_id(&self, uid: u64) {
        self.dictionary().forget(uid);
    }

    /// The uids of ids, as far as they have some.
    async fn learn_uids<'a, I: AsRef<str> + Sync>(
        &self,
        external_ids: &'a [I],
        create: bool,
    ) -> Result<HashMap<&'a str, u64>, CallError> {
        let (mut known, asked) = {
            let mut kept = self.dictionary().kept();
            split(external_ids.iter().map(AsRef::as_ref), |id| kept.uid(id))
        };
        for batch in asked.chunks(BATCH_MAX) {
            let external_ids = batch.iter().map(|&id| id.to_owned()).collect();
            let request = v1::ResolveIdsRequest { external_ids, create, ..Default::default() };
            let answer = self.call(Resolve(request)).await?.by_external_id;
            if answer.len() != batch.len() {
                return Err(other_number());
            }
            let found = batch.iter().zip(answer).filter(|(_, found)| found.uid != 0);
            let found: Vec<_> = found.map(|(id, found)| (*id, found.uid)).collect();
            self.dictionary().keep(found.iter().map(|(id, uid)| (Arc::from(*id), *uid)));
            known.extend(found);
        }
        Ok(known)
    }
}

/// Returns what is known of the ids, and the others, each once.
fn split<K: Copy + Eq + std::hash::Hash, V>(
    ids: impl Iterator<Item = K>,
    mut known: impl FnMut(&K) -> Option<V>,
) -> (HashMap<K, V>, Vec<K>) {
    let (mut seen, mut found, mut asked) = (HashSet::new(), HashMap::new(), Vec::new());
    for id in ids.filter(|id| seen.insert(*id)) {
        match known(&id) {
            Some(value) => _ = found.insert(id, value),
            None => asked.push(id),
        }
    }
    (found, asked)
}

fn other_number() -> CallError {
    CallError::own(ErrorCode::Internal, "the server answered for another number of ids")
}

/// ResolveIds as this client calls it: a repeat changes nothing, even one that makes uids, and what is answered is not
/// older than what the client has seen.
#[derive(Clone)]
struct Resolve(v1::ResolveIdsRequest);

impl ApiCall for Resolve {
    type Answer = v1::ResolveIdsResponse;

    const KIND: CallKind = CallKind::Read;

    const WAITS: bool = false;

    fn request_id(&mut self) -> Option<&mut String> {
        None
    }

    fn at_least(&mut self) -> Option<&mut String> {
        Some(&mut self.0.token)
    }

    fn position(answer: &Self::Answer) -> &str {
        &answer.token
    }

    fn send(
        self,
        client: &Client,
        options: CallOptions,
    ) -> impl Future<Output = Result<Self::Answer, ConnectError>> + Send {
        self.0.send(client, options)
    }
}
