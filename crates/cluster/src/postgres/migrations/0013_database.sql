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
