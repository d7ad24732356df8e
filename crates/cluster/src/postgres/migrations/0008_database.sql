-- What is one for the whole cluster; rows are in the first database alone.

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
