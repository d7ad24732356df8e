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
) partition by list (gene);
create table gx.group_number (
    gene smallint not null,
    owner bigint not null,
    last bigint not null,
    primary key (gene, owner)
) partition by list (gene);
-- Who is in them; of the owner's shard, whosever the member is.
create table gx.group_member (
    gene smallint not null,
    owner bigint not null,
    id bigint not null,
    member bigint not null,
    at bigint not null,
    primary key (gene, owner, id, member)
) partition by list (gene);
create index on gx.group_member (owner, id, at desc, member desc);
create index on gx.group_member (member, owner, id);

-- Whom users have dismissed from their suggestions.
create table gx.dismissed (
    gene smallint not null,
    viewer bigint not null,
    uid bigint not null,
    at bigint not null,
    primary key (gene, viewer, uid)
) partition by list (gene);
create index on gx.dismissed (uid, viewer);

-- The scores of users with others, and in which time those of each user halve.
create table gx.affinity (
    gene smallint not null,
    actor bigint not null,
    uid bigint not null,
    score bigint not null,
    primary key (gene, actor, uid)
) partition by list (gene);
create index on gx.affinity (uid, actor);
create table gx.affinity_half_life (
    gene smallint not null,
    actor bigint not null,
    half_life_ms bigint not null,
    primary key (gene, actor)
) partition by list (gene);

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
) partition by list (gene);
create index on gx.session (uid, created_ms desc, id);
create index on gx.session (expires_ms, id) where expires_ms is not null;

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
