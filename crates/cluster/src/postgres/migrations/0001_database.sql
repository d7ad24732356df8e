-- The shard of each gene that is here: who locks its row writes to it, one after the other.
create table gx.shard (
    gene smallint primary key check (gene between 0 and 255),
    epoch bigint not null,
    writable boolean not null,
    seq bigint not null,
    stamp bigint not null,
    post_high bigint not null
) with (fillfactor = 10);
-- Up to where the events of each log are applied to the shards that are here.
create table gx.applied (
    source smallint primary key check (source between 0 and 255),
    seq bigint not null
);

-- Below, each table has a partition in each schema of genes.

-- Whom users follow: facts. One that has ended stays, for its version.
create table gx.follow (
    gene smallint not null,
    subject bigint not null,
    object bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    friend_at bigint,
    primary key (gene, subject, object)
) partition by list (gene);
create index on gx.follow (subject, at desc, object desc) where active;
create index on gx.follow (subject, friend_at desc, object desc) where active and friend_at is not null;

-- Who follows users: what follows from the facts of others.
create table gx.fan (
    gene smallint not null,
    object bigint not null,
    subject bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, object, subject)
) partition by list (gene);
create index on gx.fan (object, at desc, subject desc) where active;

-- Whom users block, and who blocks them.
create table gx.block (
    gene smallint not null,
    subject bigint not null,
    object bigint not null,
    at bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, subject, object)
) partition by list (gene);
create index on gx.block (subject, at desc, object desc) where active;
create table gx.blocked_by (
    gene smallint not null,
    object bigint not null,
    subject bigint not null,
    version bigint not null,
    active boolean not null,
    primary key (gene, object, subject)
) partition by list (gene);

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
    primary key (gene, subject, object)
) partition by list (gene);
create index on gx.mute (subject, at desc, object desc) where active;

-- The counters of users, and their own follow limit.
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
    primary key (gene, uid)
) partition by list (gene);

-- What was answered under a request id.
create table gx.answer (
    gene smallint not null,
    actor bigint not null,
    key text collate "C" not null,
    fingerprint bigint not null,
    at_ms bigint not null,
    answer bytea not null,
    primary key (gene, actor, key)
) partition by list (gene);

-- Active edges between this gene and another, counted and summed on both sides.
create table gx.digest (
    gene smallint not null,
    kind smallint not null,
    side smallint not null,
    other smallint not null,
    count bigint not null,
    sum numeric not null,
    seq bigint not null,
    primary key (gene, kind, side, other)
) partition by list (gene);

-- The log of each gene: its facts, and the echoes of what others did to its users.
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
    primary key (gene, seq),
    check ((origin is null) = (origin_seq is null))
) partition by list (gene);
create index on gx.log (gene, peer, seq) where peer is not null and origin is null;
-- An event is applied to a user once, also one that concerns nobody else.
create unique index on gx.log (gene, origin, origin_seq, subject, object) nulls not distinct where origin is not null;
