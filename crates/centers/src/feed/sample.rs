//! The sample of users whose homes are verified when the caller names no user.

use super::FeedCenter;
use guanxi_model::random::Rng;
use guanxi_model::{Result, Uid};
use guanxi_ports::{BoxFuture, ExportEdge, Walk};
use std::collections::BTreeSet;

/// Follows read at once while the graph is read in order.
const BATCH: usize = 10_000;

/// Batches read in order. A graph that ends within them is sampled exactly; of a larger one, places are drawn.
const BATCHES_MAX: usize = 20;

/// Follows read at a drawn place. One of their subjects is taken, so that a user after a gap between ids is not taken much
/// more often than others.
const PLACE: usize = 1_000;

/// Places drawn per user that is wanted: some places give a user again, or no user.
const DRAWS_MAX: usize = 4;

/// Bits of a user id.
const UID_BITS: u32 = 63;

/// Reads follows in the order of subject and object, after a pair.
type ReadEdges<'a> =
    dyn Fn(Option<(Uid, Uid)>, usize) -> BoxFuture<'a, Result<Vec<ExportEdge>>> + Send + Sync + 'a;

impl FeedCenter {
    /// Returns up to `size` users who follow another user, in the order of their ids. Each is as likely as the others, or
    /// about as likely where the graph has more users than can be looked at. The number of reads depends on `size` alone.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn sample(&self, size: usize, seed: u64) -> Result<Vec<Uid>> {
        let view = self.store.view(None).await?;
        sample_of(&|after, max| view.edges(Walk::new(after, max)), size, seed).await
    }
}

async fn sample_of(read: &ReadEdges<'_>, size: usize, seed: u64) -> Result<Vec<Uid>> {
    let mut random = Rng::new(seed);
    let (first, whole) = reservoir(read, size, &mut random).await?;
    let mut sample = if whole { BTreeSet::new() } else { drawn(read, size, &mut random).await? };
    for uid in first {
        if sample.len() < size {
            sample.insert(uid);
        }
    }
    Ok(sample.into_iter().collect())
}

/// A sample of the first users, each as likely as the others, and whether those are all.
///
/// Source: Vitter, "Random sampling with a reservoir" (1985), algorithm R.
async fn reservoir(read: &ReadEdges<'_>, size: usize, random: &mut Rng) -> Result<(Vec<Uid>, bool)> {
    let (mut kept, mut passed, mut after) = (Vec::new(), 0, None);
    for _ in 0..BATCHES_MAX {
        let edges = read(after, BATCH).await?;
        for uid in subjects(&edges) {
            passed += 1;
            if kept.len() < size {
                kept.push(uid);
            } else if let Some(place) = kept.get_mut(random.below(passed)) {
                *place = uid;
            }
        }
        match edges.last() {
            // On from the last place that an edge of the user could have.
            Some(last) if edges.len() == BATCH => after = Some((last.subject, Uid::MAX)),
            _ => return Ok((kept, true)),
        }
    }
    Ok((kept, false))
}

/// Users found at places drawn from the range of ids. Half of the places have fewer bits than the largest id, so that
/// a few users with large ids do not hide all the others.
async fn drawn(read: &ReadEdges<'_>, size: usize, random: &mut Rng) -> Result<BTreeSet<Uid>> {
    let bits = id_bits(read).await?;
    let mut found = BTreeSet::new();
    for _ in 0..size * DRAWS_MAX {
        if found.len() == size {
            break;
        }
        let fewer = 1 + random.below(bits as usize) as u32;
        let bits = if random.below(2) == 0 { bits } else { fewer };
        let place = Uid::new((random.bits() >> (u64::BITS - bits)).max(1))?;
        let uids = subjects(&read(Some((place, Uid::MAX)), PLACE).await?);
        if !uids.is_empty() {
            found.insert(uids[random.below(uids.len())]);
        }
    }
    Ok(found)
}

/// Returns how many bits the largest id of a user that follows another has.
async fn id_bits(read: &ReadEdges<'_>) -> Result<u32> {
    let (mut low, mut high) = (1, UID_BITS);
    while low < high {
        let middle = low.midpoint(high);
        let largest = Uid::new((1 << middle) - 1)?;
        if read(Some((largest, Uid::MAX)), 1).await?.is_empty() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

/// The subjects of follows that are in order.
fn subjects(edges: &[ExportEdge]) -> Vec<Uid> {
    let mut uids: Vec<Uid> = edges.iter().map(|edge| edge.subject).collect();
    uids.dedup();
    uids
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Stamp;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A sample of a graph, and how many reads it took.
    async fn sample(edges: &[(u64, u64)], size: usize, seed: u64) -> (Vec<u64>, usize) {
        let uid = |id| Uid::new(id).unwrap();
        let reads = AtomicUsize::new(0);
        let read = |after: Option<(Uid, Uid)>, max: usize| -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
            reads.fetch_add(1, Ordering::Relaxed);
            let from = edges.partition_point(|&(a, b)| after.is_some_and(|after| (uid(a), uid(b)) <= after));
            let part = edges[from..].iter().take(max);
            let part = part.map(|&(a, b)| ExportEdge::new(uid(a), uid(b), Stamp::ZERO));
            let part: Vec<_> = part.collect();
            Box::pin(std::future::ready(Ok(part)))
        };
        let found = sample_of(&read, size, seed).await.unwrap();
        (found.into_iter().map(Uid::get).collect(), reads.into_inner())
    }

    #[tokio::test]
    async fn a_small_graph_is_sampled_evenly_in_one_read() {
        let edges: Vec<_> = (1..=10).flat_map(|a| (1..=a).map(move |b| (a * 1_000, b + 20_000))).collect();
        assert_eq!(sample(&[], 3, 1).await, (Vec::new(), 1));
        assert_eq!(sample(&edges, 10, 1).await.0, (1..=10).map(|a| a * 1_000).collect::<Vec<_>>());
        let mut times = [0_usize; 11];
        for seed in 0..2_000 {
            let (found, reads) = sample(&edges, 3, seed).await;
            assert_eq!((found.len(), reads), (3, 1));
            found.iter().for_each(|uid| times[(uid / 1_000) as usize] += 1);
        }
        assert!(times[1..].iter().all(|times| (500..=700).contains(times)), "{times:?}");
    }

    #[tokio::test]
    async fn the_reads_do_not_grow_with_the_graph() {
        // More users than the batches in order have follows, and one far away.
        let mut edges: Vec<_> = (1..=250_000).map(|a| (a * 16, 1)).collect();
        edges.push((1 << 60, 1));
        let (found, reads) = sample(&edges, 100, 7).await;
        assert_eq!(found.len(), 100);
        assert!(reads <= BATCHES_MAX + 6 + 100 * DRAWS_MAX, "{reads}");
        let far = found.iter().filter(|uid| **uid > 200_000 * 16).count();
        assert!(far > 0, "users beyond those that are read in order are found, too");
        assert!(found.iter().filter(|uid| **uid <= 200_000 * 16).count() > 10);
        assert_ne!(sample(&edges, 100, 8).await.0, found);
    }
}
