//! Single writes whose rows lead to others, or are many.

use super::database::Database;
use super::{GENE, START_MS, options, u};
use guanxi_model::limits::{BATCH_MAX, CREDENTIALS_MAX};
use guanxi_model::post::{Body, Draft, ImportPost, PostCommand, Visibility};
use guanxi_model::{
    Command, Credential, CredentialCommand, GroupCommand, GroupId, ManualClock, Op, Outcome, PairCommand,
    PostId, Principal, Reason, Write,
};
use guanxi_ports::Facts as _;
use guanxi_shard::batch::{ShardWork, missing_rows};
use guanxi_spec::memory::MemoryStore;
use std::sync::Arc;

#[tokio::test]
async fn rows_come_in_rounds_and_an_unknown_post_ends_them() {
    let mut database = Database::new(&options());
    let follow = PairCommand { op: Op::Follow, subject: u(1), object: u(2) };
    let work = [(GENE, ShardWork::Write(Write::of(follow)))];
    let named = missing_rows(&mut database.batch(), &work);
    assert_eq!(named.len(), 8, "both directions, both users, how these stand, and two rejections: {named:?}");
    let like = PostCommand::Like { uid: u(1), id: PostId::new(u(1).get()).unwrap() };
    let applied = database.apply(&Write::of(like), START_MS).unwrap();
    assert_eq!(applied.outcomes[0].result(), Err(Reason::PostNotFound));
}

#[tokio::test]
async fn posts_of_one_import_refer_to_each_other_by_name() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let model = MemoryStore::new(clock, options());
    let mut database = Database::new(&options());
    let source = |author: u64| Some((u(author), format!("post of {author}")));
    let post = |author: u64, text: &str| ImportPost {
        id: None,
        key: format!("post of {author}"),
        author: u(author),
        at_ms: START_MS - 1_000 + author,
        body: Body { text: text.to_owned(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    let posts = vec![
        post(1, "first"),
        ImportPost { repost_of: source(1), ..post(2, "") },
        ImportPost { repost_of: source(2), ..post(3, "") },
        ImportPost { reply_to: source(3), ..post(4, "answers the first") },
        ImportPost { repost_of: source(6), ..post(5, "") },
        ImportPost { repost_of: source(5), ..post(6, "") },
    ];
    let write = Write::of(Command::ImportPosts(posts));
    let theirs = model.apply(write.clone()).await.unwrap().posts();
    let ours = database.apply(&write, START_MS).unwrap().posts();
    assert_eq!(ours, theirs);
    let results: Vec<_> = ours.into_iter().map(|outcome| outcome.result).collect();
    let unknown = || Err(Reason::PostNotFound);
    assert_eq!(results, [Ok(true), Ok(true), Ok(true), Ok(true), unknown(), unknown()]);
}

#[tokio::test]
async fn posts_for_groups_name_every_row_that_they_read() {
    let model = MemoryStore::new(Arc::new(ManualClock::new(START_MS)), options());
    let mut database = Database::new(&options());
    let (owner, id) = (u(1), GroupId::MIN);
    let ours = Visibility::Group(id);
    let source = |author: u64, key: &str| Some((u(author), key.to_owned()));
    let old = |author: u64, key: &str| ImportPost {
        id: None,
        key: key.to_owned(),
        author: u(author),
        at_ms: START_MS - 1_000,
        body: Body { text: key.to_owned(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: None,
        repost_of: None,
        deleted: false,
    };
    // All of one write, so that nothing that they refer to was there before.
    let imports = vec![
        ImportPost { visibility: ours, ..old(1, "first") },
        ImportPost { repost_of: source(1, "first"), body: Body::default(), ..old(1, "shared") },
        ImportPost { reply_to: source(1, "first"), ..old(2, "by a member") },
        ImportPost { reply_to: source(1, "shared"), ..old(2, "by a member, too") },
        ImportPost { reply_to: source(1, "first"), ..old(3, "by a stranger") },
        ImportPost { reply_to: source(1, "shared"), ..old(3, "by a stranger, too") },
        ImportPost {
            id: PostId::at_ms(u(2), START_MS - 7).next(),
            visibility: ours,
            ..old(2, "of one gone")
        },
    ];
    let mut post = None;
    let draft = Draft {
        author: owner,
        body: Body { text: "among us".into(), attachments: Vec::new() },
        visibility: ours,
        reply_to: None,
        repost_of: None,
    };
    for step in 0..8 {
        let on = |id| PostCommand::Like { uid: u(2 + step % 2), id };
        let write = match step {
            0 => Write::of(GroupCommand::Create { owner, name: "us".into() }),
            1 => Write::of(GroupCommand::AddMembers { owner, id, members: vec![u(2)] }),
            2 => Write::of(Command::ImportPosts(imports.clone())),
            3 => Write::of(PostCommand::Create(draft.clone())),
            6 => Write::of(PairCommand { op: Op::Block, subject: u(2), object: owner }),
            _ => Write::of(on(post.expect("it was written by then"))),
        };
        let theirs = model.apply(write.clone()).await.unwrap().outcomes;
        let ours = database.apply(&write, START_MS).unwrap().outcomes;
        assert_eq!(ours, theirs, "{step}");
        if let [Outcome::Post(written)] = &ours[..] {
            post = post.or(written.id);
        }
        match step {
            2 => {
                let allowed: Vec<bool> = ours.iter().map(|outcome| outcome.result().is_ok()).collect();
                assert_eq!(allowed, [true, true, true, true, false, false, true]);
            }
            4 => assert_eq!(ours[0].result(), Ok(true), "a member"),
            5 => assert_eq!(ours[0].result(), Err(Reason::PostForbidden), "a stranger"),
            _ => {}
        }
    }
}

/// Adds a credential, whose token is made of its name.
fn named(name: &str) -> CredentialCommand {
    let mut hash = [0; 32];
    hash[..name.len()].copy_from_slice(name.as_bytes());
    let (name, principal) = (name.to_owned(), Principal::Admin);
    CredentialCommand::Add(Credential { hash, name, principal, created_ms: 1, rate_per_minute: None })
}

/// So many and no more, however they came; one that goes makes room in the same write.
#[tokio::test]
async fn credentials_are_bounded() {
    let model = MemoryStore::new(Arc::new(ManualClock::new(START_MS)), options());
    let mut database = Database::new(&options());
    let names: Vec<String> = (0..CREDENTIALS_MAX).map(|n| format!("token {n}")).collect();
    for names in names.chunks(BATCH_MAX as usize) {
        let write = Write::all(names.iter().map(|name| named(name)));
        let ours = database.apply(&write, START_MS).unwrap();
        assert_eq!((ours.changed(), ours.outcomes), (1_000, model.apply(write).await.unwrap().outcomes));
    }
    let revoke = CredentialCommand::Revoke { name: "token 7".to_owned() };
    let write = Write::all([named("more"), revoke, named("more"), named("most"), named("token 8")]);
    let ours = database.apply(&write, START_MS).unwrap().outcomes;
    assert_eq!(ours, model.apply(write).await.unwrap().outcomes);
    let full = || Err(Reason::LimitReached { limit: CREDENTIALS_MAX });
    let results: Vec<_> = ours.iter().map(Outcome::result).collect();
    assert_eq!(results, [full(), Ok(true), Ok(true), full(), Err(Reason::AlreadyExists)]);
}
