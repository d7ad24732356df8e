-- What is kept of users beside relations, posts and passwords. A status that has a time: of one who is deleted, when the rest is erased;
-- of one who is erased, since when. The revision rises with every change of what others see, so that the newer of two copies is known.
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
    primary key (gene, uid),
    check ((status_ms is null) = (status in ('active', 'deactivated')))
) partition by list (gene);
create index on gx.account (status_ms, uid) where status = 'deleted';
create index on gx.account (uid) where status = 'erased';

-- Whose login names are. The gene of a name is that of its user.
create table gx.login_name (
    gene smallint not null,
    name text collate "C" not null,
    uid bigint not null,
    primary key (gene, name)
) partition by list (gene);

-- Passwords, as their hashes.
create table gx.password (
    gene smallint not null,
    uid bigint not null,
    hash text not null,
    primary key (gene, uid)
) partition by list (gene);

-- Who has claimed phone numbers and mail addresses, in the order in which all are listed. The gene is that of the contact.
create table gx.contact_claim (
    gene smallint not null,
    kind text collate "C" not null check (kind in ('phone', 'email')),
    contact text collate "C" not null,
    uid bigint not null,
    version bigint not null,
    confirmed boolean not null,
    primary key (kind, contact, gene)
) partition by list (gene);

-- The uids of ids from elsewhere. The gene of an id is that of its user.
create table gx.external_id (
    gene smallint not null,
    external_id text collate "C" not null,
    uid bigint not null,
    primary key (gene, external_id),
    unique (gene, uid)
) partition by list (gene);

-- When users signed out everywhere, until nothing lives any more that was issued before; and the last time that was forgotten.
create table gx.signed_out (
    gene smallint not null,
    uid bigint not null,
    at_ms bigint not null,
    primary key (gene, uid)
) partition by list (gene);
create index on gx.signed_out (at_ms);
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
    hides_followers boolean not null
);
create index on gx.standing (uid) where status <> 'active';

comment on column gx.log.peer is
    'the gene whose shard has to take the event in; 256: every database, 257: the memory of every process';
