-- The first event that each log still has: those before it were applied everywhere, and are removed.
alter table gx.shard add column first_seq bigint not null default 1;
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
create index on gx.lane (at);
