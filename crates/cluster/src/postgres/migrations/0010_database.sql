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
