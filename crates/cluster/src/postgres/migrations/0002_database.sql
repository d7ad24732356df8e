-- The last batch of each lane of a process: whoever loses the answer to a commit looks here whether it took place.
create table gx.lane (
    process bigint not null,
    lane smallint not null,
    batch bigint not null,
    at timestamptz not null default now(),
    primary key (process, lane)
);
-- The number of each process that serves the cluster, given by the first database.
create sequence gx.process;
-- A row for each log, so that whoever applies its events can lock it.
insert into gx.applied (source, seq) select source, 0 from generate_series(0, 255) source on conflict do nothing;

-- Whose relations changed where in its own log, and where somebody began or ceased to block it.
alter table gx.user_state add column blocked_seq bigint not null default 0;
-- Where imports stand; rows are in the first database alone.
create table gx.import_job (
    job text primary key,
    position bigint not null,
    updated_at timestamptz not null default now()
);

-- In the order in which all of them are exported.
alter table gx.follow drop constraint follow_pkey, add primary key (subject, object, gene);
alter table gx.block drop constraint block_pkey, add primary key (subject, object, gene);
alter table gx.mute drop constraint mute_pkey, add primary key (subject, object, gene);

-- Who has left, blocked or muted a user.
create index on gx.follow (object, subject) where not active;
create index on gx.block (object, subject) where active;
create index on gx.mute (object, subject) where active;
-- Where the log stood after what was answered.
alter table gx.answer add column seq bigint not null default 0;
-- And the log of the other user, where what was done stands in both.
alter table gx.answer add column other smallint, add column other_seq bigint;
-- Which answers are forgotten next.
create index on gx.answer (at_ms);
