//! What operators did: entries that begin before an action, end after it, and are listed newest first.

use super::model_check::{model, same_answer};
use super::{Need, Rng, World, u};
use guanxi_model::limits::{
    AUDIT_ACTION_LEN_MAX, AUDIT_FORGET_MAX, AUDIT_TARGETS_MAX, CREDENTIAL_NAME_LEN_MAX,
    TAKEDOWN_REASON_LEN_MAX,
};
use guanxi_model::{
    AuditCommand, AuditEntry, AuditId, AuditOutcome, AuditTarget, Command, Op, Outcome, PairCommand, PostId,
    Reason, RequestKey, Stamp, Write,
};
use guanxi_ports::Facts as _;

fn id(at: u64, nonce: u64) -> AuditId {
    AuditId { at: Stamp::from_raw(at), nonce }
}

fn entry(id: AuditId) -> AuditEntry {
    AuditEntry {
        id,
        principal: "ops".into(),
        action: "TakeDownPost".into(),
        targets: vec![AuditTarget::Post(PostId::MIN), AuditTarget::User(u(7))],
        reason: "spam, 垃圾\n".into(),
        outcome: AuditOutcome::Begun,
    }
}

fn begin(entry: &AuditEntry) -> Command {
    AuditCommand::Begin(entry.clone()).into()
}

fn end(id: AuditId, outcome: AuditOutcome) -> Command {
    AuditCommand::End { id, outcome }.into()
}

fn refused(reason: &str) -> AuditOutcome {
    AuditOutcome::Refused { reason: reason.to_owned() }
}

async fn entries(world: &World) -> Vec<AuditEntry> {
    world.view().await.audit_entries(None, usize::MAX).await.unwrap()
}

/// Holds that these are all entries.
async fn stand(world: &World, expected: &[&AuditEntry]) {
    assert_eq!(entries(world).await.iter().collect::<Vec<_>>(), expected);
}

async fn ids(world: &World, below: Option<AuditId>, max: usize) -> Vec<AuditId> {
    let found = world.view().await.audit_entries(below, max).await.unwrap();
    found.into_iter().map(|entry| entry.id).collect()
}

/// Does one command; whether state changed.
async fn changes(world: &World, command: Command) -> bool {
    match &world.write(Write::of(command)).await.outcomes[..] {
        [Outcome::Plain(Ok(changed))] => *changed,
        other => panic!("{other:?}"),
    }
}

/// An entry is there before its action is done, says how that ended, and is never changed again. Repeats change nothing.
pub async fn an_entry_begins_and_ends_once(world: &World) {
    if world.lacks(Need::Audit) {
        return;
    }
    assert_eq!(entries(world).await, []);
    let first = entry(id(5, 1));
    assert!(changes(world, begin(&first)).await);
    stand(world, &[&first]).await;
    assert!(!changes(world, begin(&first)).await);
    let other = AuditEntry { principal: "somebody else".into(), ..first.clone() };
    assert!(!changes(world, begin(&other)).await, "an id names one entry");
    stand(world, &[&first]).await;
    assert!(changes(world, end(first.id, refused("NOT_FOUND"))).await);
    let ended = AuditEntry { outcome: refused("NOT_FOUND"), ..first.clone() };
    stand(world, &[&ended]).await;
    assert!(!changes(world, end(first.id, AuditOutcome::Done)).await);
    assert!(!changes(world, begin(&first)).await);
    assert!(!changes(world, end(id(5, 2), AuditOutcome::Done)).await, "there is none");
    stand(world, &[&ended]).await;
    // Both in one write, and with commands of others.
    let second = AuditEntry { targets: Vec::new(), reason: String::new(), ..entry(id(6, 0)) };
    let follow = PairCommand { op: Op::Follow, subject: u(1), object: u(2) };
    let write = Write::all([begin(&second), follow.into(), end(second.id, AuditOutcome::Done)]);
    let answer = world.write(write).await;
    assert!(answer.outcomes.iter().all(|outcome| outcome.result() == Ok(true)));
    let done = AuditEntry { outcome: AuditOutcome::Done, ..second };
    assert_eq!(entries(world).await, [done, ended]);
    let events = world.events_since(&world.origin).await;
    assert!(events.iter().all(|event| event.subject == u(1) || event.subject == u(2)), "{events:?}");
}

/// Entries are listed newest first, from any place on, also from between two of them, and as many as were asked for.
pub async fn entries_are_newest_first(world: &World) {
    if world.lacks(Need::Audit) {
        return;
    }
    // Not in their order, as when several processes write them.
    let places = [(7, 1), (3, 9), (7, 0), (u64::MAX, u64::MAX), (9, 4), (0, 0), (1 << 63, 0), (7, u64::MAX)];
    for (at, nonce) in places {
        assert!(changes(world, begin(&entry(id(at, nonce)))).await);
    }
    let mut all = places.map(|(at, nonce)| id(at, nonce));
    all.sort_unstable();
    all.reverse();
    assert_eq!(ids(world, None, 100).await, all);
    for max in 0..=all.len() {
        assert_eq!(ids(world, None, max).await, all[..max]);
        for (n, below) in all.iter().enumerate() {
            let rest: Vec<AuditId> = all[n + 1..].iter().take(max).copied().collect();
            assert_eq!(ids(world, Some(*below), max).await, rest);
        }
    }
    assert_eq!(ids(world, Some(id(8, 0)), 2).await, [id(7, u64::MAX), id(7, 1)]);
    assert!(changes(world, AuditCommand::Forget { ids: vec![id(7, 1), id(8, 0)] }.into()).await);
    assert!(!changes(world, AuditCommand::Forget { ids: vec![id(7, 1)] }.into()).await);
    assert!(!changes(world, AuditCommand::Forget { ids: Vec::new() }.into()).await);
    assert_eq!(ids(world, Some(id(7, 1)), 2).await, [id(7, 0), id(3, 9)], "a place is no entry");
    assert!(!changes(world, end(id(7, 1), AuditOutcome::Done)).await, "what is gone does not come back");
    assert_eq!(ids(world, None, 100).await.len(), all.len() - 1);
    assert!(changes(world, AuditCommand::Forget { ids: all.to_vec() }.into()).await);
    assert_eq!(entries(world).await, []);
}

/// What is longer than it may be refuses the whole write, and the longest that may be is kept.
pub async fn entries_are_bounded(world: &World) {
    if world.lacks(Need::Audit) {
        return;
    }
    let text = |len: u32| "x".repeat(len as usize);
    let longest = AuditEntry {
        principal: text(CREDENTIAL_NAME_LEN_MAX),
        action: text(AUDIT_ACTION_LEN_MAX),
        targets: vec![AuditTarget::Token(text(CREDENTIAL_NAME_LEN_MAX)); AUDIT_TARGETS_MAX],
        reason: text(TAKEDOWN_REASON_LEN_MAX),
        ..entry(id(1, 1))
    };
    let strange = AuditEntry {
        principal: String::new(),
        targets: vec![AuditTarget::Job("\0\u{1b}".into()), AuditTarget::Token("后端".into())],
        reason: "\0".into(),
        ..entry(id(2, 2))
    };
    let follow = PairCommand { op: Op::Follow, subject: u(1), object: u(2) };
    let too_long = |field, limit| Reason::TooLong { field, limit };
    let ended = AuditEntry { outcome: AuditOutcome::Done, ..strange.clone() };
    for (wrong, reason) in [
        (
            AuditEntry { principal: text(CREDENTIAL_NAME_LEN_MAX + 1), ..strange.clone() },
            too_long("principal", CREDENTIAL_NAME_LEN_MAX),
        ),
        (
            AuditEntry { action: text(AUDIT_ACTION_LEN_MAX + 1), ..strange.clone() },
            too_long("action", AUDIT_ACTION_LEN_MAX),
        ),
        (AuditEntry { action: String::new(), ..strange.clone() }, Reason::MissingField { field: "action" }),
        (
            AuditEntry { reason: text(TAKEDOWN_REASON_LEN_MAX + 1), ..strange.clone() },
            too_long("reason", TAKEDOWN_REASON_LEN_MAX),
        ),
        (
            AuditEntry { targets: vec![AuditTarget::User(u(1)); AUDIT_TARGETS_MAX + 1], ..strange.clone() },
            Reason::BatchTooLarge { limit: AUDIT_TARGETS_MAX as u32 },
        ),
        (
            AuditEntry { targets: vec![AuditTarget::Job(String::new())], ..strange.clone() },
            Reason::InvalidField { field: "target" },
        ),
        (ended, Reason::InvalidField { field: "outcome" }),
    ] {
        let write = Write::all([follow.into(), begin(&wrong)]);
        assert_eq!(world.try_write(write).await, Err(reason), "{wrong:?}");
    }
    let wrong = Reason::InvalidField { field: "outcome" };
    let long = refused(&text(AUDIT_ACTION_LEN_MAX + 1));
    for outcome in [AuditOutcome::Begun, long] {
        assert_eq!(world.try_write(Write::of(end(id(2, 2), outcome))).await, Err(wrong.clone()));
    }
    let many = AuditCommand::Forget { ids: vec![id(1, 1); AUDIT_FORGET_MAX + 1] };
    let reason = Reason::BatchTooLarge { limit: AUDIT_FORGET_MAX as u32 };
    assert_eq!(world.try_write(Write::of(many)).await, Err(reason));
    assert_eq!(entries(world).await, []);
    assert!(world.relation(1, 2).await.following_since.is_none());
    assert!(changes(world, begin(&longest)).await && changes(world, begin(&strange)).await);
    assert_eq!(entries(world).await, [strange, longest]);
}

/// Commands on a few entries.
pub struct RandomAudit {
    rng: Rng,
}

impl RandomAudit {
    /// Draws from these numbers.
    pub const fn new(rng: Rng) -> Self {
        Self { rng }
    }

    fn id(&mut self) -> AuditId {
        id(self.rng.below(4), self.rng.below(2))
    }

    /// One operation.
    pub fn command(&mut self) -> AuditCommand {
        match self.rng.below(7) {
            0..3 => AuditCommand::Begin(entry(self.id())),
            3 => AuditCommand::End { id: self.id(), outcome: AuditOutcome::Done },
            4 | 5 => AuditCommand::End { id: self.id(), outcome: refused("NOT_FOUND") },
            _ => AuditCommand::Forget { ids: vec![self.id(), self.id()] },
        }
    }
}

/// Random writes to the backend and to the model: every answer is equal, and so is the stored state.
pub async fn random_audit(world: &World) {
    if world.lacks(Need::Audit) {
        return;
    }
    let model = model(world);
    let mut play = RandomAudit::new(Rng::new(5));
    let mut asked: Vec<Write> = Vec::new();
    for step in 0..60 {
        let commands: Vec<AuditCommand> = (0..=play.rng.below(4)).map(|_| play.command()).collect();
        let mut write = Write::all(commands);
        match play.rng.below(4) {
            0 => {
                let (id, fingerprint) = (format!("r{}", play.rng.below(20)), play.rng.bits());
                write = write.under(Some(RequestKey { actor: u(1), id: id.into(), fingerprint }));
                asked.push(write.clone());
            }
            1 if !asked.is_empty() => write = play.rng.pick(&asked).clone(),
            _ => {}
        }
        let context = format!("step {step}: {write:?}");
        let ours = world.try_write(write.clone()).await;
        let theirs = model.apply(write).await.map_err(|error| error.reason);
        same_answer(world, &ours, &theirs, &context);
        let view = guanxi_ports::Store::view(&model, None).await.unwrap();
        assert_eq!(entries(world).await, view.audit_entries(None, 100).await.unwrap(), "{context}");
    }
}
