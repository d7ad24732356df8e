//! Duties that one process of a cluster does at a time. The holder of a duty has a row of the first database until a moment
//! that it moves on while it is at work. A process that dies or loses its way to that database holds nothing soon after.

use crate::store::ClusterCore;
use guanxi_postgres::{Fault, Statements, term};
use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a duty is held without a word of its holder.
const HELD_FOR: Duration = Duration::from_secs(15);

/// How often its holder says so, and how long that may take.
const KEEP_EVERY: Duration = Duration::from_secs(5);

/// How long at most until it is asked for again.
const ASK_EVERY_MAX: Duration = Duration::from_secs(2);

/// The rest after one could not be asked for, or its work failed.
pub(crate) const ERROR_PAUSE: Duration = Duration::from_secs(10);

/// Random bits.
pub type RandomBits<'a> = &'a (dyn Fn() -> u64 + Send + Sync);

const TAKE: &str = "insert into gx.duty (name, holder, until) \
    values ($1, $2, now() + make_interval(secs => $3)) \
    on conflict (name) do update set holder = excluded.holder, until = excluded.until \
    where duty.until <= now() and (duty.done_at is null or duty.done_at <= now() - make_interval(secs => $4)) \
    returning true";

const WAIT: &str = "select greatest(extract(epoch from until - now()), \
    extract(epoch from done_at + make_interval(secs => $2) - now()), 0)::float8 from gx.duty where name = $1";

const KEEP: &str = "update gx.duty set until = now() + make_interval(secs => $3) \
    where name = $1 and holder = $2 returning true";

const END: &str = "update gx.duty set until = now() + make_interval(secs => $4), \
    done_at = case when $3 then now() else done_at end where name = $1 and holder = $2";

/// Something that one process does at a time, every so often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duty {
    /// What it is called.
    pub name: &'static str,
    /// How long after its end it is due again.
    pub every: Duration,
}

/// The answer to a request for a duty.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    /// It is ours.
    Taken,
    /// It is not due, or somebody else has it, for so long as it seems.
    Wait(Duration),
}

impl Duty {
    /// Asks for it.
    async fn ask(self, shared: &ClusterCore) -> Result<Asked, Fault> {
        let mut statements = Statements::default();
        let every = self.every.as_secs_f64();
        let terms = vec![term(self.name), term(shared.process), term(HELD_FOR.as_secs_f64()), term(every)];
        statements.add(TAKE, terms);
        statements.add(WAIT, vec![term(self.name), term(every)]);
        let rows = shared.served[0].others.ask(&statements).await?;
        if rows.first().is_some_and(|taken| !taken.is_empty()) {
            return Ok(Asked::Taken);
        }
        let wait = rows.iter().flatten().next().map_or(0.0, |row| row.get::<_, f64>(0));
        Ok(Asked::Wait(Duration::try_from_secs_f64(wait).unwrap_or(ASK_EVERY_MAX)))
    }

    /// Says that it is still being done; whether it is ours.
    async fn keep(self, shared: &ClusterCore) -> Result<bool, Fault> {
        let terms = vec![term(self.name), term(shared.process), term(HELD_FOR.as_secs_f64())];
        let rows = shared.served[0].others.rows(&Statements::one(KEEP, terms)).await?;
        Ok(!rows.is_empty())
    }

    /// Lets go of it: done, or to be tried again after a rest.
    async fn end(self, shared: &ClusterCore, is_done: bool) -> Result<(), Fault> {
        let rest = if is_done { Duration::ZERO } else { ERROR_PAUSE };
        let terms = vec![term(self.name), term(shared.process), term(is_done), term(rest.as_secs_f64())];
        shared.served[0].others.ask(&Statements::one(END, terms)).await.map(drop)
    }

    /// Does some work as long as the duty is ours. Returns its result, unless the duty was lost first.
    async fn held<T>(self, shared: &ClusterCore, work: impl Future<Output = T>) -> Option<T> {
        let keeping = async {
            let mut kept = Instant::now();
            while kept.elapsed() + KEEP_EVERY < HELD_FOR {
                sleep(KEEP_EVERY).await;
                match timeout(KEEP_EVERY, self.keep(shared)).await {
                    Ok(Ok(true)) => kept = Instant::now(),
                    Ok(Ok(false)) => return,
                    Ok(Err(_)) | Err(_) => {}
                }
            }
        };
        tokio::select! {
            done = work => Some(done),
            () = keeping => None,
        }
    }

    /// Does the duty each time it is due and no other process does it, for ever. `work` says whether it is done; it is dropped in
    /// the midst when another process may have taken it over.
    pub(crate) async fn keep_doing<F: Future<Output = bool>>(
        self,
        shared: &ClusterCore,
        random: RandomBits<'_>,
        work: impl Fn() -> F,
    ) {
        loop {
            match self.ask(shared).await {
                Ok(Asked::Taken) => {
                    let done = self.held(shared, work()).await;
                    let Some(is_done) = done else {
                        tracing::warn!(duty = self.name, "another process may have taken it over");
                        continue;
                    };
                    if let Err(fault) = self.end(shared, is_done).await {
                        tracing::debug!(duty = self.name, ?fault, "it is held until it runs out");
                    }
                }
                Ok(Asked::Wait(wait)) => sleep(jittered(wait.min(ASK_EVERY_MAX), random())).await,
                Err(fault) => {
                    tracing::debug!(duty = self.name, ?fault, "it cannot be asked for");
                    sleep(jittered(ERROR_PAUSE, random())).await;
                }
            }
        }
    }
}

/// A wait and up to an eighth of it, so that processes do not ask in step; and a moment, so that what is due is due.
fn jittered(wait: Duration, bits: u64) -> Duration {
    let part = (bits % 1_024) as u32;
    wait + wait / 8 * part / 1_024 + Duration::from_millis(20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_do_not_ask_in_step() {
        let wait = Duration::from_secs(8);
        let waits: Vec<Duration> = [0, 512, 1_023].into_iter().map(|bits| jittered(wait, bits)).collect();
        assert!(waits.is_sorted() && waits[0] >= wait && waits[2] < wait + wait / 7, "{waits:?}");
        assert!(waits[1] >= waits[0] + Duration::from_millis(400), "{waits:?}");
    }
}
