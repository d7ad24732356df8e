-- Shards that are behind the marks of logs in `gx.applied`, because other sessions held their rows: the events of a log from one on
-- are not applied to such a shard yet. A row changes under the lock of its mark.
create table gx.held (
    source smallint not null, target smallint not null, from_seq bigint not null,
    primary key (source, target)
);
