-- The reposts and quotes of a post that stand, newest first.
create index on gx.post_ref (original, ref desc) where active and kind > 1;
-- The version of a rejection: a follow that is newer ends it, whenever its event arrives. A row of before has none.
alter table gx.request add column rejected_at bigint;
-- The place of a request that its sender took back, which one that is sent again gets until `cooling_ms`; of a rejection there is none.
alter table gx.request add column first_at bigint;
-- The place of a request that waits in an earlier one.
alter table gx.log add column place bigint;
-- Whether it is another name of a post that stood when it was imported: those of a post are found when it is purged.
alter table gx.post_source add column also boolean;
create index on gx.post_source (id) where also;
