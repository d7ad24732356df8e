-- The reposts and quotes of a post that stand, newest first.
create index on gx.post_ref (original, ref desc) where active and kind > 1;
-- The version of a rejection: a follow that is newer ends it, whenever its event arrives. A row of before has none.
alter table gx.request add column rejected_at bigint;
