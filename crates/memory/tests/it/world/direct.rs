//! Relations and lists that are asked for without a page: from memory as of a look, else by one question.

use super::process::look;
use super::shard::Shard;
use super::tables::{Place, Refused};
use super::{Shared, USERS, World, delay, uid};
use guanxi_memory::cut::{CutPlace, GeneCut};
use guanxi_memory::first_pages::Held;
use guanxi_memory::pairs::PairEntry;
use guanxi_memory::tail::fill::FillRead;
use guanxi_model::{Edge, Gene, List, Relation, Uid};
use std::collections::BTreeMap;

/// The lists whose first pages memory has.
pub const LISTS: [List; 3] = [List::Following, List::Followers, List::Friends];

/// Edges of a first page, and one more: fewer than there are users.
pub const LIST_PAGE: usize = 3;

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

/// Where a log stands that all of a look tells, as a caller without a token takes it. None if a look cannot tell.
async fn looked(shared: &Shared, process: usize, gene: Gene) -> Result<Option<u64>, Refused> {
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
    if let Some(seq) = last() {
        return Ok(Some(seq));
    }
    look(shared, process, place.database).await?;
    Ok(last())
}

/// What one question reads of a shard beside where that stands, and whether memory may keep it.
async fn read_one<T>(
    shared: &Shared,
    process: usize,
    gene: Gene,
    rows: impl Fn(&Shard, u64) -> T,
) -> Result<(T, u64, bool), Refused> {
    let (place, told) = {
        let world = shared.borrow();
        let place = world.processes[process].map[&gene];
        (place, world.processes[process].last((gene, place)))
    };
    delay(shared).await;
    let (read, seq) = {
        let world = shared.borrow();
        let moment = world.tables.moment(place.database)?;
        let here = moment
            .get(&gene)
            .filter(|(epoch, _)| world.processes[process].map[&gene] == Place { epoch: *epoch, ..place });
        let seq = here.ok_or(Refused::Moving)?.1;
        (rows(world.tables.shard(gene), seq), seq)
    };
    delay(shared).await;
    let world = shared.borrow();
    let last = world.processes[process].last((gene, place));
    Ok((read, seq, FillRead { told, seq, as_of: seq }.may_be_kept(last)))
}

async fn ask(shared: &Shared, process: usize, (subject, objects): (Uid, &[Uid])) -> Result<Told, Refused> {
    let gene = subject.gene();
    let seq = looked(shared, process, gene).await?;
    let memory = shared.borrow().processes[process].memory.clone();
    if let Some(told) = seq.and_then(|seq| Some((memory.pairs.find(subject, objects, seq)?, seq))) {
        return Ok(told);
    }
    let fill = memory.pairs.begin_fill(subject, objects.iter().copied());
    let relations =
        |shard: &Shard, seq| objects.iter().map(|object| shard.relation((subject, *object), seq)).collect();
    let (relations, seq, is_kept): (Vec<Relation>, u64, bool) =
        read_one(shared, process, gene, relations).await?;
    let entry = |(object, relation): (&Uid, &Relation)| {
        is_kept.then(|| PairEntry::new((subject, *object), seq, *relation))
    };
    fill.keep(objects.iter().zip(&relations).map(entry));
    Ok((relations, seq))
}

/// A caller asks for the first page of a list of a user, through a process.
pub async fn listed(shared: Shared, process: usize) {
    let (of, list, began, known) = {
        let mut world = shared.borrow_mut();
        let list = LISTS[world.random.below(LISTS.len())];
        (world.any_user(), list, world.now, world.processes[process].heads.clone())
    };
    let told = ask_list(&shared, process, (of, list)).await;
    let mut world = shared.borrow_mut();
    match told {
        Ok(told) => world.check_list(process, (of, list), &told, (began, &known)),
        Err(Refused::Moving) => world.reload(process),
        Err(Refused::Away) => {}
    }
}

async fn ask_list(
    shared: &Shared,
    process: usize,
    (of, list): (Uid, List),
) -> Result<(Vec<Edge>, u64), Refused> {
    let gene = of.gene();
    let memory = shared.borrow().processes[process].memory.clone();
    let pages = memory.lists.of(list).unwrap();
    if let Some(seq) = looked(shared, process, gene).await? {
        let cut = GeneCut::new(|_| CutPlace { seq, ids_high: 0 });
        if let Held::All(edges) = pages.page(of, &cut, None, LIST_PAGE) {
            return Ok((edges, seq));
        }
    }
    let fill = pages.begin_fill(of);
    let first = |shard: &Shard, seq| {
        let all = shard.list(of, list, seq);
        (all.iter().take(LIST_PAGE).copied().collect::<Vec<_>>(), all.len() < LIST_PAGE)
    };
    let ((edges, is_whole), seq, is_kept) = read_one(shared, process, gene, first).await?;
    if is_kept {
        fill.keep_part(edges.clone(), is_whole, seq);
    }
    Ok((edges, seq))
}

impl World {
    fn check_list(
        &mut self,
        process: usize,
        (of, list): (Uid, List),
        (edges, seq): &(Vec<Edge>, u64),
        (began, known): (u64, &BTreeMap<Gene, u64>),
    ) {
        if self.has_lost {
            return;
        }
        let shard = self.tables.shard(of.gene());
        let floor = shard.commit_at(began.saturating_sub(self.processes[process].staleness)).seq;
        let floor = floor.max(known[&of.gene()]);
        let mut right = shard.list(of, list, *seq);
        right.truncate(LIST_PAGE);
        if *seq < floor || right != *edges {
            let (breaks, now) = (self.breaks, self.now);
            self.found.push(format!(
                "{breaks:?} at {now}: {list:?} of {of} as of {seq}, at least {floor}: {edges:?}, not {right:?}"
            ));
        }
    }

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
