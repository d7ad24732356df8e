-- A process that lost the answer to a commit looks here whether its batch of writes took place.
-- The process whose batch ends with this event; none of other events.
alter table gx.log add column writer bigint;
-- The number of the last batch that logged nothing: of the first of its shards, or of settings.
alter table gx.shard add column noted bigint not null default 0;
alter table gx.credential_state add column noted bigint not null default 0;
-- Programs of version 17 look in `gx.lane` instead, and may serve beside newer ones: the next version drops it.
