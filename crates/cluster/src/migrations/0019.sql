-- Of an event of a post, the post that this one answers or shares; 0 if it does neither. Null in other events, and in those of
-- programs of older versions, which may serve beside newer ones.
alter table gx.log add column original bigint;
