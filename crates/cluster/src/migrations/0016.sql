-- Rows that are updated all the time leave room in their pages, so that a new version stands in the page of the old one and no index
-- is changed: `fillfactor` 10 where there are some hundred rows that every commit updates, 70 where there are many. The server
-- removes the old versions when it next reads the page. It looks through a table once a fiftieth of it is out of date where rows
-- are many: by default a fifth, which is 20 million of 100 million.

-- The shard of each gene that is here: who locks its row writes to it, one after the other. Events of its log before the first
-- one that it still has were applied everywhere, and are removed.
create table gx.shard (
    gene smallint primary key check (gene between 0 and 255),
    epoch bigint not null,
    writable boolean not null,
    seq bigint not null,
    stamp bigint not null,
    post_high bigint not null,
    first_seq bigint not null default 1
) with (fillfactor = 10);
-- Up to where the events of each log are applied to the shards that are here, and the version of the last of them, by which a
-- log is noticed that was lost and written anew. A row for each log, so that whoever applies its events can lock it.
create table gx.applied (
    source smallint primary key check (source between 0 and 255),
    seq bigint not null,
    version bigint
) with (fillfactor = 10);
insert into gx.applied (source, seq) select source, 0 from generate_series(0, 255) source on conflict do nothing;
-- The last batch of each lane of a process: whoever loses the answer to a commit looks here whether it took place. Rows are some
-- hundred, and change with each commit: an index on their time would change with them.
create table gx.lane (
    process bigint not null,
    lane smallint not null,
    batch bigint not null,
    at timestamptz not null default now(),
    primary key (process, lane)
) with (fillfactor = 10);
-- The number of each process that serves the cluster, given by the first database.
create sequence gx.process;
-- Which process removes what is over in this database, and until when, unless it says so again.
create table gx.housekeeper (
    one boolean primary key default true check (one),
    process bigint not null,
    until timestamptz not null
);
-- Logs that were trimmed before all of them was applied here: what follows from them is to be compared with the facts.
create table gx.rebuild (
    source smallint primary key check (source between 0 and 255),
    upto bigint not null,
    noticed_at timestamptz not null default now()
);
-- Up to where each log was looked at for events that were passed over here, by each check of events.
create table gx.checked (
    kind text not null,
    source smallint not null check (source between 0 and 255),
    seq bigint not null,
    primary key (kind, source)
);
-- The last time of a sign-out that was forgotten.
create table gx.forgotten_sign_out (
    one boolean primary key default true check (one),
    at_ms bigint not null
);

-- How users of the whole cluster stand who do not stand by default, or once did not: repeated in every database.
create table gx.standing (
    uid bigint primary key,
    revision int not null,
    status text collate "C" not null check (status in ('active', 'deactivated', 'deleted', 'erased')),
    status_ms bigint,
    discoverable boolean not null,
    locked boolean not null,
    hides_following boolean not null,
    hides_followers boolean not null,
    takedown boolean
);
create index on gx.standing (uid) where status <> 'active' or takedown;

-- A dump that this database is filled from, until it is whole; and afterwards, up to where its logs come from one: events up to
-- there are in the order of their numbers, whichever log they are of.
create table gx.load (
    one boolean primary key default true check (one),
    dump text not null,
    base bigint not null,
    loaded bigint not null,
    begun_at timestamptz not null default now(),
    done_at timestamptz
);
-- What was answered under request ids before the dump, by the hashes of their ids and actors; the same in every database.
create table gx.loaded_answer (
    hash bytea primary key,
    fingerprint bigint not null,
    at_ms bigint not null,
    seq bigint not null,
    answer bytea not null
);

-- A secret of the data, made with it, which no dump carries: that of the first database is the cluster's. Page tokens are sealed
-- by it.
create table gx.data_key (
    one boolean primary key default true check (one),
    key bytea not null check (length(key) = 32)
);
insert into gx.data_key (key) values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- The key of the hashes of external ids that led to users who are erased: that of the first database is the cluster's, and dumps
-- carry it.
create table gx.erased_id_key (
    one boolean primary key default true check (one),
    key bytea not null check (length(key) = 32)
);
insert into gx.erased_id_key (key)
    values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- What is one for the whole cluster; rows are in the first database alone.
create table gx.fanout_policy (
    one boolean primary key default true check (one),
    mode text not null check (mode in ('pull', 'push', 'hybrid')),
    celebrity_followers bigint not null,
    active_bucket_ms bigint not null,
    cold_after_ms bigint not null,
    inbox_cap bigint not null,
    set_at timestamptz not null default now()
);
-- Tokens of services and operators, and names of tokens of end users. What was revoked stays for a while, so that every
-- process hears of it.
create table gx.credential (
    name text collate "C" primary key,
    hash bytea not null,
    kind text not null check (kind in ('end_user', 'service', 'admin')),
    uid bigint,
    scopes text[],
    rate_per_minute bigint,
    created_ms bigint not null,
    active boolean not null,
    change bigint not null,
    changed_at timestamptz not null default now()
);
create index on gx.credential (change);
create index on gx.credential (changed_at) where not active;
-- The number of the last change, how many there are, and up to which change some that were revoked are forgotten. Whoever
-- changes them locks the row.
create table gx.credential_state (
    one boolean primary key default true check (one),
    change bigint not null,
    many bigint not null,
    forgotten bigint not null
);
insert into gx.credential_state (change, many, forgotten) values (0, 0, 0);
-- What was answered under request ids of writes that are no user's; rows are in the first database alone.
create table gx.setting_answer (
    actor bigint not null,
    key text collate "C" not null,
    fingerprint bigint not null,
    at_ms bigint not null,
    answer bytea not null,
    primary key (actor, key)
);
create index on gx.setting_answer (at_ms);
-- What operators did, in the order of its ids; rows are in the first database alone. `entry` is what dumps have of it, too.
create table gx.audit (
    id bytea primary key,
    entry bytea not null
);
-- Where imports stand.
create table gx.import_job (
    job text primary key,
    position bigint not null,
    updated_at timestamptz not null default now()
);
-- How far each check is. One that is at work or was cut off has a place to go on from.
create table gx.check_run (
    kind text primary key,
    phase smallint not null,
    database smallint not null,
    gene smallint not null,
    owner bigint not null,
    other bigint not null,
    compared bigint not null,
    differed bigint not null,
    mended bigint not null,
    started_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    done_at timestamptz
);
-- What one process at a time does: who has it until when, and when it was done last.
create table gx.duty (
    name text collate "C" primary key,
    holder bigint not null,
    until timestamptz not null,
    done_at timestamptz
);
-- Processes that serve the cluster, each as of its last word.
create table gx.serving (
    process bigint primary key,
    tables_version int not null,
    program text not null,
    roles text not null,
    clock_ahead_ms bigint not null,
    host text not null,
    pid bigint not null,
    connections bigint not null,
    index_address text,
    index_posts text,
    index_users text,
    since timestamptz not null default now(),
    seen_at timestamptz not null default now()
);
-- Whose numbers uids are; of those minted here the ends of their range.
create table gx.uid_policy (
    one boolean primary key default true check (one),
    kind text not null check (kind in ('both', 'foreign', 'minted')),
    first bigint,
    last bigint,
    set_at timestamptz not null default now(),
    check ((kind = 'minted') = (first is not null) and (first is null) = (last is null))
);

-- Below, each row is of a gene, which comes first in its key: the rows of a gene are a shard. Keys and indexes without it in
-- front are listed, each with a reason, beside the test of that.

-- Whom users follow: facts. One that has ended stays, for its version. The key is in the order in which
-- all of them are exported.
create table gx.follow (
    gene smallint not null,
    subject bigint not null,
    object bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    friend_at bigint,
    primary key (subject, object, gene)
);
create index on gx.follow (gene, subject, at desc, object desc) where active;
create index on gx.follow (gene, subject, friend_at desc, object desc) where active and friend_at is not null;
-- Who has left a user; below, who has blocked or muted it.
create index on gx.follow (object, subject) where not active;

-- Who follows users: what follows from the facts of others.
create table gx.fan (
    gene smallint not null,
    object bigint not null,
    subject bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, object, subject)
);
create index on gx.fan (gene, object, at desc, subject desc) where active;

-- Whom users block, and who blocks them.
create table gx.block (
    gene smallint not null,
    subject bigint not null,
    object bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (subject, object, gene)
);
create index on gx.block (gene, subject, at desc, object desc) where active;
create index on gx.block (object, subject) where active;
create table gx.blocked_by (
    gene smallint not null,
    object bigint not null,
    subject bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, object, subject)
);

-- Whom users mute, on which terms.
create table gx.mute (
    gene smallint not null,
    subject bigint not null,
    object bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    reposts_only boolean not null,
    until_ms bigint,
    primary key (subject, object, gene)
);
create index on gx.mute (gene, subject, at desc, object desc) where active;
create index on gx.mute (object, subject) where active;
-- When mutes end by themselves.
create index on gx.mute (until_ms, subject, object) where active and until_ms is not null;

-- The counters of users, and their own follow limit. `audience_seq` and `blocked_seq` say where in a user's own log its relations
-- changed, and where somebody began or ceased to block it. `sent` is how many requests of a user are not over, `asking` how many
-- of them hold a place because it does not follow, and `requests_seen` the newest to it that it has seen.
create table gx.user_state (
    gene smallint not null,
    uid bigint not null,
    following int not null default 0,
    followers bigint not null default 0,
    friends int not null default 0,
    blocks int not null default 0,
    mutes int not null default 0,
    follow_limit int,
    audience_seq bigint not null default 0,
    blocked_seq bigint not null default 0,
    sent int not null default 0,
    asking int not null default 0,
    requests_seen bigint not null default 0,
    primary key (gene, uid)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- What was answered under a request id, and where the log stood after it. What was done may stand in the log of another user,
-- too, and in further ones: `gene:seq`, with a comma between two.
create table gx.answer (
    gene smallint not null,
    actor bigint not null,
    key text collate "C" not null,
    fingerprint bigint not null,
    at_ms bigint not null,
    answer bytea not null,
    seq bigint not null default 0,
    other smallint,
    other_seq bigint,
    others text collate "C",
    primary key (gene, actor, key)
) with (autovacuum_vacuum_scale_factor = 0.02);
-- Which answers are forgotten next.
create index on gx.answer (at_ms);

-- Active edges between this gene and another, counted and summed on both sides. Sums are whole and below 2^128.
create table gx.digest (
    gene smallint not null,
    kind smallint not null,
    side smallint not null,
    other smallint not null,
    count bigint not null,
    sum numeric not null,
    seq bigint not null,
    primary key (gene, kind, side, other),
    constraint digest_sum
        check (scale(sum) = 0 and sum >= 0 and sum < 340282366920938463463374607431768211456)
) with (fillfactor = 20);

-- The log of each gene: its facts, and the echoes of what others did to its users. The last columns are what an event tells the
-- other shard beside itself: the mark of the request that it is about, until when may not be asked again, and which versions the
-- plan has minted for what follows there, of a follow and of the end of a request; `place` is the place of a request that waits
-- in an earlier one.
create table gx.log (
    gene smallint not null,
    seq bigint not null,
    version bigint not null,
    subject bigint not null,
    object bigint,
    change smallint not null,
    detail bytea,
    peer smallint,
    origin smallint,
    origin_seq bigint,
    written_at timestamptz not null default clock_timestamp(),
    request bigint,
    cooling_ms bigint,
    edge_version bigint,
    end_version bigint,
    place bigint,
    primary key (gene, seq),
    check ((origin is null) = (origin_seq is null))
) with (autovacuum_vacuum_scale_factor = 0.02);
create index on gx.log (gene, peer, seq) where peer is not null and origin is null;
-- An event is applied to a user once, also one that concerns nobody else.
create unique index on gx.log (gene, origin, origin_seq, subject, object) nulls not distinct where origin is not null;
comment on column gx.log.peer is
    'the gene whose shard has to take the event in; 256: every database, 257: the memory of every process';

-- What users are asked by others, and until when those whom they have rejected may not ask again: facts. `mark` is the name that
-- the shard of the sender has given to the request. `rejected_at` is the version of a rejection: a newer follow ends it, whenever
-- its event arrives. `first_at` is the place of a request that its sender took back, which one that is sent again gets until
-- `cooling_ms`.
create table gx.request (
    gene smallint not null,
    receiver bigint not null,
    sender bigint not null,
    kind text collate "C" check (kind in ('follow', 'friend')),
    at bigint,
    mark bigint,
    expires_ms bigint,
    message text,
    cooling_ms bigint,
    rejected_at bigint,
    first_at bigint,
    primary key (gene, receiver, sender),
    check ((kind is null) = (at is null) and (kind is null) = (mark is null)),
    check ((kind is null) = (expires_ms is null) and (kind is null) = (message is null))
) with (autovacuum_vacuum_scale_factor = 0.02);
create index on gx.request (gene, receiver, kind, at desc, sender desc) where kind is not null;
create index on gx.request (expires_ms, receiver, sender) where kind is not null;
create index on gx.request (cooling_ms, receiver, sender) where cooling_ms is not null;

-- What users have asked of others, and until when they may not ask again: what follows from the facts of those. A request does not
-- wait yet while the other's shard has not said so; it holds a place all the same.
create table gx.sent (
    gene smallint not null,
    sender bigint not null,
    receiver bigint not null,
    kind text collate "C" check (kind in ('follow', 'friend')),
    waits boolean not null,
    at bigint,
    mark bigint,
    expires_ms bigint,
    message text,
    cooling_ms bigint,
    primary key (gene, sender, receiver),
    check ((kind is null) = (at is null) and (kind is null) = (mark is null)),
    check ((kind is null) = (expires_ms is null) and (kind is null) = (message is null))
) with (autovacuum_vacuum_scale_factor = 0.02);
create index on gx.sent (gene, sender, kind, at desc, receiver desc) where waits;
create index on gx.sent (mark) where kind is not null and not waits;
create index on gx.sent (cooling_ms) where cooling_ms is not null;

-- Who has unlocked itself, since when: whoever waits to follow it is to be let.
create table gx.unlocking (
    gene smallint not null,
    uid bigint not null,
    since bigint not null,
    primary key (uid, gene)
);

-- What is kept of users beside relations, posts and passwords. A status that has a time: of one who is deleted, when the rest is erased;
-- of one who is erased, since when. The revision rises with every change of what others see, so that the newer of two copies is known.
-- `takedown` is why an operator has taken the user down, who is as deactivated meanwhile.
create table gx.account (
    gene smallint not null,
    uid bigint not null,
    login_name text collate "C",
    registered_ms bigint,
    nickname text not null,
    sex text not null check (sex in ('unspecified', 'female', 'male', 'other')),
    birth_year int,
    bio text not null,
    avatar text not null,
    attribute_names text[] not null,
    attribute_values text[] not null,
    revision int not null,
    status text collate "C" not null check (status in ('active', 'deactivated', 'deleted', 'erased')),
    status_ms bigint,
    discoverable boolean not null,
    locked boolean not null,
    hides_following boolean not null,
    hides_followers boolean not null,
    login_day int,
    phone text collate "C",
    email text collate "C",
    takedown text,
    primary key (gene, uid),
    check ((status_ms is null) = (status in ('active', 'deactivated')))
);
-- All users, in the order of an export.
create index on gx.account (uid);
create index on gx.account (status_ms, uid) where status = 'deleted';
create index on gx.account (uid) where status = 'erased';

-- Whose login names are. The gene of a name is that of its user.
create table gx.login_name (
    gene smallint not null,
    name text collate "C" not null,
    uid bigint not null,
    primary key (gene, name)
);

-- Passwords, as their hashes.
create table gx.password (
    gene smallint not null,
    uid bigint not null,
    hash text not null,
    primary key (gene, uid)
);

-- Who has claimed phone numbers and mail addresses, in the order in which all are listed. The gene is that of the contact.
create table gx.contact_claim (
    gene smallint not null,
    kind text collate "C" not null check (kind in ('phone', 'email')),
    contact text collate "C" not null,
    uid bigint not null,
    version bigint not null,
    confirmed boolean not null,
    primary key (kind, contact, gene)
);

-- The uids of ids from elsewhere. The gene of an id is that of its user.
create table gx.external_id (
    gene smallint not null,
    external_id text collate "C" not null,
    uid bigint not null,
    primary key (gene, external_id),
    unique (gene, uid)
);

-- Keyed hashes of external ids that led to users who are erased.
create table gx.erased_id (
    gene smallint not null,
    hash bytea not null check (length(hash) = 16),
    primary key (gene, hash)
);

-- When users signed out everywhere, until nothing lives any more that was issued before.
create table gx.signed_out (
    gene smallint not null,
    uid bigint not null,
    at_ms bigint not null,
    primary key (gene, uid)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index on gx.signed_out (at_ms);

-- Posts, deleted ones too; a post has its author's gene. Its kind is 0 for a post, 1 for a reply, 2 for a plain repost, 3 for a quote; whom it is for is
-- 0 for everybody, 1 for followers, 2 for friends, 3 for a group of the author. In texts the character 1 stands before
-- what stands for itself (2) and for the character 0 (1), which a database cannot hold. `takedown` is why an operator has taken
-- the post down, which is as deleted then; `deleted_ms` is set if its author has deleted it, too.
create table gx.post (
    gene smallint not null,
    id bigint not null,
    author bigint not null,
    kind smallint not null,
    ref bigint,
    ref_author bigint,
    visibility smallint not null,
    audience bigint,
    deleted boolean not null,
    made_seq bigint,
    revision int not null,
    update_ms bigint not null,
    create_ms bigint not null,
    deleted_ms bigint,
    text text not null,
    attachment_kinds smallint[] not null,
    attachments text[] not null,
    source_key text collate "C",
    takedown text,
    primary key (id, gene),
    check ((ref is null) = (kind = 0) and (ref_author is null) = (kind = 0))
);
-- The outbox of an author.
create index on gx.post (gene, author, id desc);
-- The plain reposts of an original that stand.
create index on gx.post (gene, author, ref, id) where kind = 2 and not deleted;
-- What is purged next.
create index on gx.post (deleted_ms, id) where deleted_ms is not null;

-- What posts were before they were edited.
create table gx.post_revision (
    gene smallint not null,
    id bigint not null,
    revision int not null,
    update_ms bigint not null,
    visibility smallint not null,
    audience bigint,
    text text not null,
    attachment_kinds smallint[] not null,
    attachments text[] not null,
    primary key (gene, id, revision)
);

-- The counters of posts that ever had one.
create table gx.post_stats (
    gene smallint not null,
    id bigint not null,
    likes bigint not null,
    replies bigint not null,
    reposts bigint not null,
    primary key (gene, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- What answers or shares a post: what follows from the posts of others. Active while it is not deleted.
create table gx.post_ref (
    gene smallint not null,
    original bigint not null,
    ref bigint not null,
    kind smallint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, original, ref)
);
-- The reposts and quotes of a post that stand, newest first.
create index on gx.post_ref (gene, original, ref desc) where active and kind > 1;

-- What users like: facts.
create table gx.liked (
    gene smallint not null,
    uid bigint not null,
    post bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, uid, post)
);

-- Who likes posts: what follows from the facts of others.
create table gx.liker (
    gene smallint not null,
    post bigint not null,
    uid bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (post, uid, gene)
);
create index on gx.liker (gene, post, at desc, uid desc) where active;

-- The newest of each outbox, when it last changed, and where the posts begin that the author created.
create table gx.author (
    gene smallint not null,
    uid bigint not null,
    last_post bigint,
    last_seq bigint not null,
    changed_seq bigint not null,
    created_from bigint,
    primary key (gene, uid)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- The names that sources have for posts of an author. `also` marks another name of a post that was imported before: those of a
-- post are found when it is purged.
create table gx.post_source (
    gene smallint not null,
    author bigint not null,
    key text collate "C" not null,
    id bigint not null,
    also boolean,
    primary key (gene, author, key)
);
create index on gx.post_source (gene, id) where also;

-- Up to where users have seen their homes: logs, and an event of each.
create table gx.seen (
    gene smallint not null,
    uid bigint not null,
    logs smallint[] not null,
    seqs bigint[] not null,
    primary key (gene, uid)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- Groups of users, and the last number that each owner has given.
create table gx.user_group (
    gene smallint not null,
    owner bigint not null,
    id bigint not null,
    name text not null,
    created bigint not null,
    revision bigint not null,
    members bigint not null,
    audience boolean not null,
    primary key (gene, owner, id)
) with (fillfactor = 70);
create table gx.group_number (
    gene smallint not null,
    owner bigint not null,
    last bigint not null,
    primary key (gene, owner)
) with (fillfactor = 70);
-- Who is in them; of the owner's shard, whosever the member is.
create table gx.group_member (
    gene smallint not null,
    owner bigint not null,
    id bigint not null,
    member bigint not null,
    at bigint not null,
    primary key (gene, owner, id, member)
);
create index on gx.group_member (gene, owner, id, at desc, member desc);
create index on gx.group_member (member, owner, id);

-- Whom users have dismissed from their suggestions.
create table gx.dismissed (
    gene smallint not null,
    viewer bigint not null,
    uid bigint not null,
    at bigint not null,
    primary key (gene, viewer, uid)
);
create index on gx.dismissed (uid, viewer);

-- The scores of users with others, and in which time those of each user halve.
create table gx.affinity (
    gene smallint not null,
    actor bigint not null,
    uid bigint not null,
    score bigint not null,
    primary key (gene, actor, uid)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index on gx.affinity (uid, actor);
create table gx.affinity_half_life (
    gene smallint not null,
    actor bigint not null,
    half_life_ms bigint not null,
    primary key (gene, actor)
);

-- Who is logged in. One without `ends_ms` has one secret for good, whose hash is its id.
create table gx.session (
    gene smallint not null,
    id bytea not null,
    uid bigint not null,
    created_ms bigint not null,
    expires_ms bigint,
    used_ms bigint not null,
    device text,
    ends_ms bigint,
    since_ms bigint,
    access bytea,
    access_expires_ms bigint,
    refresh bytea,
    replaced_access bytea,
    replaced_access_expires_ms bigint,
    replaced_refresh bytea,
    nonce bytea,
    primary key (gene, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index on gx.session (uid, created_ms desc, id);
create index on gx.session (expires_ms, id) where expires_ms is not null;
