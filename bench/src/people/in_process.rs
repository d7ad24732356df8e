//! The same questions in the process of the store: what they cost without a wire.

use super::calls::{PeopleCall, RANKED_PAGE};
use crate::calls::{Answer, Call, PAGE, Workload};
use crate::feed::store::{self, Opened};
use crate::load::{CHECK_EVERY, Figures, Plan, Usage};
use crate::machine::runtime;
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::relation::{RelationCenter, Suggested, Suggestion, SuggestionAsk};
use guanxi_centers::{Centers, Viewer};
use guanxi_load::Latencies;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_model::suggestion::SuggestionKind;
use guanxi_model::{Error, GroupId, List, PostPage, Reason, Result, Uid};
use guanxi_ports::{FollowsAsk, Store};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// How much of an answer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All of it, as a call gets it.
    Whole,
    /// The store's own part of friends of friends: all of them counted.
    Counts,
}

/// A store that is open in this process.
pub(crate) struct InProcess {
    runtime: Runtime,
    relation: RelationCenter,
    feed: FeedCenter,
    graph: Arc<dyn Store>,
    /// The users whom the viewers of counts follow.
    followed: HashMap<u64, Vec<Uid>>,
    _opened: Opened,
}

impl InProcess {
    /// Opens a directory.
    pub(crate) fn open(dir: &Path) -> Result<Self, String> {
        let runtime = runtime()?;
        let opened = runtime.block_on(async { store::open(dir) })?;
        let feed = runtime.block_on(opened.backend.feed()).map_err(|error| format!("{error:?}"))?;
        let (relation, graph) = (Centers::new(&opened.backend).relation, opened.backend.store.clone());
        Ok(Self { runtime, relation, feed, graph, followed: HashMap::new(), _opened: opened })
    }

    /// Notes whom some viewers follow, for [`Reach::Counts`].
    pub(crate) fn note_followed(
        &mut self,
        graph: &FollowGraph,
        index: &Index,
        viewers: &[u32],
    ) -> Result<(), String> {
        for viewer in viewers {
            let uids = index.following(*viewer).iter().map(|user| Uid::new(graph.uid(*user)));
            let uids: Result<Vec<Uid>> = uids.collect();
            self.followed.insert(graph.uid(*viewer), uids.map_err(|error| format!("{error:?}"))?);
        }
        Ok(())
    }

    /// Compares the first answers with the right ones.
    pub(crate) fn compare(&self, workload: &Workload, reach: Reach, most: usize) -> Result<(), String> {
        for (call, right) in workload.calls.iter().zip(&workload.answers).take(most) {
            self.runtime.block_on(self.ask(call, reach, Some(right)))?;
        }
        Ok(())
    }

    /// Asks one call after the other for the time of a plan.
    pub(crate) fn measure(&self, workload: &Workload, reach: Reach, plan: Plan) -> Result<Figures, String> {
        self.runtime.block_on(async {
            let asked = || workload.calls.iter().zip(&workload.answers).cycle();
            let warm = Instant::now();
            for (call, _) in asked() {
                if warm.elapsed() >= plan.warm_up {
                    break;
                }
                self.ask(call, reach, None).await?;
            }
            let (mut latencies, mut busy) = (Latencies::default(), Duration::ZERO);
            let start = Instant::now();
            for ((call, right), number) in asked().zip(0_u64..) {
                if start.elapsed() >= plan.measure {
                    break;
                }
                let right = number.is_multiple_of(CHECK_EVERY).then_some(right);
                let latency = self.ask(call, reach, right).await?;
                busy += latency;
                latencies.record(latency);
            }
            // Comparing answers is no part of what is measured; its CPU cannot be told from that of the answers.
            Figures::of(latencies.quantiles(), busy, &Usage::default())
        })
    }

    /// Asks, and answers how long that took; the answer is compared afterwards.
    async fn ask(&self, call: &Call, reach: Reach, right: Option<&Answer>) -> Result<Duration, String> {
        let answered = match reach {
            Reach::Whole => self.answer(call).await,
            Reach::Counts => self.count(call, right).await,
        };
        let (time, answer) = answered.map_err(|error| format!("{call:?}: {error:?}"))?;
        match right {
            Some(right) if answer != *right => {
                Err(format!("{call:?} is answered with\n{answer:?} instead of\n{right:?}"))
            }
            _ => Ok(time),
        }
    }

    async fn answer(&self, call: &Call) -> Result<(Duration, Answer)> {
        let page = PostPage { below: None, size: PAGE };
        let start = Instant::now();
        match *call {
            Call::People(PeopleCall::FriendsOfFriends { viewer }) => {
                let answer = self.suggest(viewer, vec![SuggestionKind::FriendsOfFriends]).await?;
                let time = start.elapsed();
                let counted = |item: &Suggestion| {
                    (item.uid.get(), item.reasons.first().map_or(0, |reason| reason.count))
                };
                Ok((time, Answer::Counted(answer.items.iter().map(counted).collect())))
            }
            Call::People(PeopleCall::Suggestions { viewer }) => {
                let answer = self.suggest(viewer, SuggestionKind::ALL.to_vec()).await?;
                let time = start.elapsed();
                Ok((time, ids(answer.items.iter().map(|item| item.uid.get()))))
            }
            Call::People(PeopleCall::ByAffinity { viewer }) => {
                let (of, page) = ((Uid::new(viewer)?, List::Following), (None, RANKED_PAGE));
                let answer = self.relation.ranked(Viewer::Trusted, of, page, None, None).await?;
                let time = start.elapsed();
                Ok((time, ids(answer.items.iter().map(|item| item.edge.uid.get()))))
            }
            Call::People(PeopleCall::Group { viewer, group }) => {
                let answer = self.feed.group(Uid::new(viewer)?, GroupId::new(group)?, page, None).await?;
                let time = start.elapsed();
                Ok((time, ids(answer.ids.iter().map(|id| id.get()))))
            }
            Call::Home { uid, .. } => {
                let answer = self.feed.home(Uid::new(uid)?, page, None).await?;
                let time = start.elapsed();
                Ok((time, ids(answer.ids.iter().map(|id| id.get()))))
            }
            _ => Err(Error::with_detail(Reason::Internal, "that is not asked in process")),
        }
    }

    async fn suggest(&self, viewer: u64, kinds: Vec<SuggestionKind>) -> Result<Suggested> {
        let ask = SuggestionAsk { size: PAGE, kinds };
        self.relation.suggestions(Viewer::Trusted, Uid::new(viewer)?, &ask, None).await
    }

    /// Counts the follows of the users whom a viewer follows. Returns the counts of the users in the right answer, in its
    /// order, since the store counts all users, also those that may not be suggested.
    async fn count(&self, call: &Call, right: Option<&Answer>) -> Result<(Duration, Answer)> {
        let subjects = match call {
            Call::People(PeopleCall::FriendsOfFriends { viewer }) => self.followed.get(viewer),
            _ => None,
        };
        let unknown = || Error::with_detail(Reason::Internal, "nobody said whom the viewer follows");
        let ask = FollowsAsk { subjects: subjects.ok_or_else(unknown)?, newest: usize::MAX };
        let start = Instant::now();
        let view = self.graph.view(None).await?;
        let counted = view.count_followed(ask, usize::MAX).await?.users;
        let time = start.elapsed();
        let Some(Answer::Counted(right)) = right else { return Ok((time, Answer::Done)) };
        let counts: HashMap<u64, u32> = counted.iter().map(|(uid, count)| (uid.get(), *count)).collect();
        let among = right.iter().map(|(uid, _)| (*uid, counts.get(uid).copied().unwrap_or(0)));
        Ok((time, Answer::Counted(among.collect())))
    }
}

fn ids(ids: impl Iterator<Item = u64>) -> Answer {
    Answer::Ids(ids.collect())
}
