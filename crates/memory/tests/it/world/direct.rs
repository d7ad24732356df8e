//! Relations that are asked for without a page: from memory as of a look, else by one question.

use super::process::look;
use super::tables::{Place, Refused};
use super::{Shared, USERS, World, delay, uid};
use guanxi_memory::pairs::PairEntry;
use guanxi_memory::tail::fill::FillRead;
use guanxi_model::{Gene, Relation, Uid};
use std::collections::BTreeMap;

/// The relations of a user to others, and the last event of the user's log that they include.
type Told = (Vec<Relation>, u64);

/// A caller asks what a user is to all others, through a process.
pub async fn direct(shared: Shared, process: usize) {
    let (subject, began, known) = {
        let mut world = shared.borrow_mut();
        (world.any_user(), world.now, world.processes[process].heads.clone())
    };
    let objects: Vec<Uid> = USERS.map(uid).into_iter().filter(|user| *user != subject).collect();
    let told = ask(&shared, process, (subject, &objects)).await;
    let mut world = shared.borrow_mut();
    match told {
        Ok(told) => world.check_direct(process, (subject, &objects), &told, (began, &known)),
        Err(Refused::Moving) => world.reload(process),
        Err(Refused::Away) => {}
    }
}

async fn ask(shared: &Shared, process: usize, (subject, objects): (Uid, &[Uid])) -> Result<Told, Refused> {
    let gene = subject.gene();
    let (since, place) = {
        let world = shared.borrow();
        let of = &world.processes[process];
        (world.now.saturating_sub(of.staleness), of.map[&gene])
    };
    let last = || {
        let world = shared.borrow();
        let of = &world.processes[process];
        let Place { database, epoch } = of.map[&gene];
        of.tails[database].ring.last_since((gene, epoch), since).filter(|last| *last >= of.heads[&gene])
    };
    let mut seq = last();
    if seq.is_none() {
        look(shared, process, place.database).await?;
        seq = last();
    }
    let memory = shared.borrow().processes[process].memory.clone();
    if let Some(told) = seq.and_then(|seq| Some((memory.pairs.find(subject, objects, seq)?, seq))) {
        return Ok(told);
    }
    let place = shared.borrow().processes[process].map[&gene];
    let fill = memory.pairs.begin_fill(subject, objects.iter().copied());
    let told = shared.borrow().processes[process].last((gene, place));
    delay(shared).await;
    let seq = {
        let world = shared.borrow();
        let moment = world.tables.moment(place.database)?;
        let here = moment
            .get(&gene)
            .filter(|(epoch, _)| world.processes[process].map[&gene] == Place { epoch: *epoch, ..place });
        here.ok_or(Refused::Moving)?.1
    };
    let relations: Vec<Relation> = {
        let world = shared.borrow();
        objects.iter().map(|object| world.tables.shard(gene).relation((subject, *object), seq)).collect()
    };
    delay(shared).await;
    let is_kept = {
        let world = shared.borrow();
        let last = world.processes[process].last((gene, place));
        FillRead { told, seq, as_of: seq }.may_be_kept(last)
    };
    let entry = |(object, relation): (&Uid, &Relation)| {
        is_kept.then(|| PairEntry::new((subject, *object), seq, *relation))
    };
    fill.keep(objects.iter().zip(&relations).map(entry));
    Ok((relations, seq))
}

impl World {
    fn check_direct(
        &mut self,
        process: usize,
        (subject, objects): (Uid, &[Uid]),
        (relations, seq): &Told,
        (began, known): (u64, &BTreeMap<Gene, u64>),
    ) {
        if self.has_lost {
            return;
        }
        let shard = self.tables.shard(subject.gene());
        let floor = shard.commit_at(began.saturating_sub(self.processes[process].staleness)).seq;
        let floor = floor.max(known[&subject.gene()]);
        let right: Vec<Relation> =
            objects.iter().map(|object| shard.relation((subject, *object), *seq)).collect();
        if *seq < floor || right != *relations {
            let (breaks, now) = (self.breaks, self.now);
            self.found.push(format!(
                "{breaks:?} at {now}: {subject} as of {seq}, at least {floor}: {relations:?}, not {right:?}"
            ));
        }
    }
}
