-- What users are asked by others, and until when those whom they have rejected may not ask again: facts. `mark` is the name that
-- the shard of the sender has given to the request.
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
    primary key (gene, receiver, sender),
    check ((kind is null) = (at is null) and (kind is null) = (mark is null)),
    check ((kind is null) = (expires_ms is null) and (kind is null) = (message is null))
) partition by list (gene);
create index on gx.request (receiver, kind, at desc, sender desc) where kind is not null;
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
) partition by list (gene);
create index on gx.sent (sender, kind, at desc, receiver desc) where waits;
create index on gx.sent (mark) where kind is not null and not waits;
create index on gx.sent (cooling_ms) where cooling_ms is not null;

-- Who has unlocked itself, since when: whoever waits to follow it is to be let.
create table gx.unlocking (
    gene smallint not null,
    uid bigint not null,
    since bigint not null,
    primary key (uid, gene)
) partition by list (gene);

-- How many requests of a user are not over, how many of them hold a place because it does not follow, and the newest to it that it
-- has seen.
alter table gx.user_state
    add column sent int not null default 0,
    add column asking int not null default 0,
    add column requests_seen bigint not null default 0;

-- Where what was answered stands in further logs: `gene:seq`, with a comma between two.
alter table gx.answer add column others text collate "C";

-- When mutes end by themselves.
create index on gx.mute (until_ms, subject, object) where active and until_ms is not null;

-- What an event tells the other shard beside itself: the mark of the request that it is about, until when may not be asked again,
-- and which versions the plan has minted for what follows there, of a follow and of the end of a request.
alter table gx.log
    add column request bigint,
    add column cooling_ms bigint,
    add column edge_version bigint,
    add column end_version bigint;
