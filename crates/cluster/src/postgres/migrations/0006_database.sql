-- How far each check is; rows are in the first database alone. One that is at work or was cut off has a place to go on from.
create table gx.check_run (
    kind text primary key,
    phase smallint not null,
    schema smallint not null,
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
-- Up to where each log was looked at for events that were passed over here, by each check of events.
create table gx.checked (
    kind text not null,
    source smallint not null check (source between 0 and 255),
    seq bigint not null,
    primary key (kind, source)
);
-- Sums of digests are whole and below 2^128.
alter table gx.digest add constraint digest_sum
    check (scale(sum) = 0 and sum >= 0 and sum < 340282366920938463463374607431768211456);
